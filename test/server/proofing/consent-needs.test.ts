import { expect, test } from 'vitest'
import { consentNeeds } from '../../../server/proofing/consent-needs.ts'
import { EVIDENCE_KINDS } from '../../../server/proofing/evidence.ts'

const TABLE = [
  ['IDDOCUMENT', [], ['ID_DOCUMENT']],
  ['IDDOCUMENT_TEXT', [], ['ID_DOCUMENT']],
  ['MEDICARE', [], ['ID_DOCUMENT']],
  ['PORTRAIT', ['PORTRAIT'], []],
  ['ATTRIBUTES', [], ['ATTRIBUTES']],
  ['ADDRESS', [], ['ADDRESS']],
  ['TRUSTED_ID_CLAIM', [], []],
  ['ID_CLAIM', ['ID_CLAIM'], []],
  ['CONTACT', ['MOBILE_OTP'], ['MOBILE']],
  ['EMAIL', ['EMAIL_OTP'], ['EMAIL']],
  ['LANDLINE', ['LANDLINE'], []],
] as const

test.each(TABLE)(
  'evidence of kind %s needs the consents %j and respects a refusal of %j',
  (kind, ...needs) => {
    const [demanded, respected] = needs
    expect(consentNeeds(kind)).toEqual({ demanded, respected })
  },
)

test('every kind of evidence has its row', () => {
  expect(TABLE.map(([kind]) => kind)).toEqual([...EVIDENCE_KINDS])
})

test('a tenant may demand more for a kind, never less, and nothing twice', () => {
  const tenant = { PORTRAIT: ['PORTRAIT', 'MOBILE'], ATTRIBUTES: ['ATTRIBUTES'] } as const
  expect(consentNeeds('PORTRAIT', tenant).demanded).toEqual(['PORTRAIT', 'MOBILE'])
  expect(consentNeeds('ATTRIBUTES', tenant).demanded).toEqual(['ATTRIBUTES'])
  expect(consentNeeds('CONTACT', tenant).demanded).toEqual(['MOBILE_OTP'])
})
