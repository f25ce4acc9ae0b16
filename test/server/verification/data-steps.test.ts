/** The steps for typed data; the rules themselves have their own tests. */
import { describe, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import type { EvidenceContent } from '../../../server/proofing/evidence.ts'
import { keepClaimedCard } from '../../../server/proofing/payment-card.ts'
import { STEPS } from '../../../server/verification/registry.ts'
import type { DataSubject, StepTools, Subject } from '../../../server/verification/subject.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const tools = {
  now: NOW,
  span: { earliest: NOW, latest: NOW },
  judgeEligibility: () => 'passed',
  addressFormats: loadAddressFormats(),
} as unknown as StepTools

const subject = (content: EvidenceContent, more: Partial<DataSubject> = {}): DataSubject => ({
  family: 'DATA',
  kind: 'ID_CLAIM',
  evidenceId: 'data',
  content,
  reference: null,
  contact: null,
  testMode: false,
  ...more,
})
async function run(name: string, given: Subject) {
  const step = STEPS.get(name)
  if (!step) throw new Error(`no step ${name}`)
  const { findings, models } = await step.run(given, tools)
  expect(models).toEqual([])
  return findings
}

describe('a document that was typed in', () => {
  const licence = { idDocumentType: 'DRIVING_LICENSE', issuingCountry: 'AUS', issuingState: 'NSW' } as const
  const outcomes = async (document: EvidenceContent['document']) =>
    (await run('text-document', subject({ document }))).map(({ check, outcome }) => [check, outcome])

  test.each([
    ['2026-11-21', 'passed'],
    ['2026-11-20', 'failed'],
    [undefined, 'inconclusive'],
  ])('that ends on %s has the expiry %s', async (expiryDate, outcome) => {
    expect(await outcomes({ idDocumentType: 'PASSPORT', personalAttributes: {}, expiryDate })).toEqual([
      ['DOCUMENT_EXPIRY', outcome],
    ])
  })

  test('is a licence whose numbers must have the form of its state', async () => {
    // New South Wales: eight digits or letters; ten digits on the card.
    const numbers = (idDocumentNumber: string | undefined, cardNumber: string | undefined) =>
      outcomes({ ...licence, personalAttributes: {}, idDocumentNumber, cardNumber })
    expect(await numbers('1234AB78', '2098765432')).toEqual([
      ['DOCUMENT_EXPIRY', 'inconclusive'],
      ['LICENCE_NUMBER_FORM', 'passed'],
      ['LICENCE_CARD_NUMBER_FORM', 'passed'],
    ])
    expect(await numbers('123456789012', '1')).toEqual([
      ['DOCUMENT_EXPIRY', 'inconclusive'],
      ['LICENCE_NUMBER_FORM', 'failed'],
      ['LICENCE_CARD_NUMBER_FORM', 'failed'],
    ])
    expect(await numbers(undefined, undefined)).toEqual([
      ['DOCUMENT_EXPIRY', 'inconclusive'],
      ['LICENCE_NUMBER_FORM', 'failed'],
    ])
  })

  test('of an issuer with an unknown number format is inconclusive', async () => {
    const foreign = { ...licence, issuingCountry: 'MNG', issuingState: undefined, personalAttributes: {} }
    expect((await outcomes({ ...foreign, idDocumentNumber: '1' })).at(1)).toEqual([
      'LICENCE_NUMBER_FORM',
      'inconclusive',
    ])
  })

  test('passes the eligibility check if its issuer can confirm it; without a document the check is inconclusive', async () => {
    const eligible = async (document: EvidenceContent['document']) =>
      run('issuer-eligibility', subject({ document }))
    expect(await eligible({ ...licence, personalAttributes: {} })).toEqual([
      { check: 'GIV_ELIGIBILITY', outcome: 'passed' },
    ])
    expect(await eligible(undefined)).toEqual([{ check: 'GIV_ELIGIBILITY', outcome: 'inconclusive' }])
  })
})

describe('a Medicare card', () => {
  // 2·1 + 1·3 + 2·7 + 3·9 + 4·1 + 5·3 + 6·7 + 7·9 = 170: the check digit is 0.
  const NUMBER = '2123456701'
  const card = async (
    number: string | undefined,
    medicare: NonNullable<EvidenceContent['document']>['medicare'],
    expiryDate?: string,
  ) => {
    const document = {
      idDocumentType: 'MEDICARE',
      personalAttributes: {},
      idDocumentNumber: number,
      medicare,
      expiryDate,
    } as const
    return (await run('medicare-card', subject({ document }))).map(({ check, outcome }) => [check, outcome])
  }

  test('has a number with a check digit, and the last day of its kind', async () => {
    expect(await card(NUMBER, { cardType: 'G', furtherNames: [] }, '2026-11-01')).toEqual([
      ['MEDICARE_NUMBER', 'passed'],
      ['DOCUMENT_EXPIRY', 'passed'],
    ])
    expect(await card('2123456711', { cardType: 'B', furtherNames: [] }, '2026-11-01')).toEqual([
      ['MEDICARE_NUMBER', 'failed'],
      ['DOCUMENT_EXPIRY', 'failed'],
    ])
    expect(await card(undefined, { cardType: 'Y', furtherNames: [] })).toEqual([
      ['MEDICARE_NUMBER', 'failed'],
      ['DOCUMENT_EXPIRY', 'inconclusive'],
    ])
    expect(await card(NUMBER, undefined, '2026-11-01')).toEqual([
      ['MEDICARE_NUMBER', 'passed'],
      ['DOCUMENT_EXPIRY', 'inconclusive'],
    ])
    expect(await run('medicare-card', subject({}))).toEqual([
      { check: 'MEDICARE_NUMBER', outcome: 'failed' },
      { check: 'DOCUMENT_EXPIRY', outcome: 'inconclusive' },
    ])
  })

  test('says the person’s number once or twice; twice it must be the same', async () => {
    const found = async (number: string, individualReferenceNumber?: number) =>
      (await card(number, { cardType: 'G', individualReferenceNumber, furtherNames: [] })).slice(2)
    expect(await found(`${NUMBER}2`, 2)).toEqual([['MEDICARE_REFERENCE_NUMBER', 'passed']])
    expect(await found(`${NUMBER}2`, 3)).toEqual([['MEDICARE_REFERENCE_NUMBER', 'failed']])
    expect(await found(`${NUMBER}2`)).toEqual([])
    expect(await found(NUMBER, 2)).toEqual([])
  })
})

describe('an address that derives from other evidence', () => {
  const street = { streetLines: ['1 Long Lane'], verified: false }
  const stated = {
    streetDetails: street,
    verified: false,
    city: 'Elsewhere',
    postcode: '3000',
    country: 'AUS',
  }
  const match = (address: EvidenceContent['address'], of: typeof stated | undefined) =>
    run(
      'address-match',
      subject({ address }, { reference: { evidenceId: 'bill', document: null, address: of } }),
    )

  test('is the one that the evidence states, or differs in parts that are named', async () => {
    expect(await match({ ...stated }, stated)).toMatchObject([
      { check: 'ADDRESS_MATCH', outcome: 'passed', measured: { different: 0 }, errors: [] },
    ])
    const [different] = await match({ ...stated, city: 'Otherwhere', postcode: '3001' }, stated)
    expect(different).toMatchObject({ check: 'ADDRESS_MATCH', outcome: 'failed' })
    expect(different.measured?.different).toBeGreaterThanOrEqual(2)
    expect(different.errors?.map(({ code, field }) => [code, field])).toEqual(
      expect.arrayContaining([
        ['1131', 'postcode'],
        ['1131', 'city'],
      ]),
    )
    expect(different.errors?.map(({ field }) => field)).not.toContain('country')
  })

  test.each([
    ['nothing', undefined, stated],
    ['an address, and the evidence none', { city: 'Elsewhere', verified: false }, undefined],
  ])('is open where it says %s', async (_, address, of) => {
    expect(await match(address, of)).toEqual([{ check: 'ADDRESS_MATCH', outcome: 'inconclusive' }])
  })
})

describe('a claimed attribute', () => {
  const claiming = (claim: NonNullable<EvidenceContent['claim']>, more: Partial<DataSubject> = {}) =>
    subject({ claim }, more)
  const mobile = { contactDetails: { mobile: { value: '+61400000001', verified: false } } }

  test.each([
    [null, 'inconclusive', []],
    [{ number: '+61400000001', confirmed: true }, 'passed', []],
    [{ number: '+61400000001', confirmed: false }, 'inconclusive', []],
    [{ number: '+61400000002', confirmed: true }, 'failed', ['1151']],
  ])('of a phone is compared with the number that was submitted, %j: %s', async (contact, outcome, codes) => {
    const [finding, ...others] = await run('claimed-contact', claiming(mobile, { contact }))
    expect(others).toEqual([])
    expect([finding.check, finding.outcome]).toEqual(['CONTACT_MATCH', outcome])
    expect(finding.errors?.map(({ code }) => code)).toEqual(codes)
  })

  test('of no phone and no card is not looked at', async () => {
    expect(await run('claimed-contact', claiming({}))).toEqual([])
    expect(await run('claimed-payment-card', claiming({}))).toEqual([])
  })

  test.each([
    ['4111 1111-1111 1111', 'passed'],
    ['4111111111111112', 'failed'],
    ['41111111111', 'failed'],
  ])('of the payment card %s has the check digit %s', async (cardNumber, outcome) => {
    const claim = { creditCardDetails: keepClaimedCard(cardNumber, () => 'hash', { unasked: 'LIMIT' }) }
    expect(await run('claimed-payment-card', claiming(claim))).toEqual([
      { check: 'PAYMENT_CARD_NUMBER', outcome },
      { check: 'PAYMENT_CARD_OWNER', outcome: 'inconclusive', reason: 'LIMIT' },
    ])
  })

  test('of nothing about the person is compared with no document', async () => {
    expect(await run('attributes-match', claiming({}))).toEqual([])
  })
})

describe('a correction of a reading', () => {
  const value = (text: string) => ({ value: text, verified: false })
  const correcting = (attributes: EvidenceContent['attributes'], surname: string) =>
    run(
      'attributes-match',
      subject(
        { attributes },
        {
          kind: 'ATTRIBUTES',
          reference: {
            evidenceId: 'document',
            document: { idDocumentType: 'PASSPORT', personalAttributes: { surname: value(surname) } },
          },
        },
      ),
    )

  test('says on which ground it is plausible; repeating the document needs none', async () => {
    expect(await correcting({ surname: value('Müller') }, 'MUELLER')).toMatchObject([
      { check: 'ATTRIBUTES_MATCH', outcome: 'passed', measured: { compared: 1, same: 1, different: 0 } },
      {
        check: 'ATTRIBUTES_CORRECTION',
        outcome: 'passed',
        measured: { surname: expect.any(String) as string },
      },
    ])
    expect(await correcting({ surname: value('Mueller') }, 'MUELLER')).toMatchObject([
      { outcome: 'passed' },
      { check: 'ATTRIBUTES_CORRECTION', outcome: 'passed', measured: {} },
    ])
    expect(await correcting({ surname: value('Miller') }, 'MUELLER')).toMatchObject([
      { outcome: 'failed', measured: { compared: 1, same: 0, different: 1 } },
      { outcome: 'inconclusive' },
    ])
  })

  test('without a document leaves both checks open, a claim only the match', async () => {
    const attributes = { surname: value('Müller') }
    expect(await run('attributes-match', subject({ attributes }, { kind: 'ATTRIBUTES' }))).toEqual([
      { check: 'ATTRIBUTES_MATCH', outcome: 'inconclusive' },
      { check: 'ATTRIBUTES_CORRECTION', outcome: 'inconclusive' },
    ])
    expect(await run('attributes-match', subject({ claim: { attributesData: attributes } }))).toEqual([
      { check: 'ATTRIBUTES_MATCH', outcome: 'inconclusive' },
    ])
  })
})

test.each([
  ['text-document', 'IDDOCUMENT', 'submitted data'],
  ['portrait-quality', 'DATA', 'portraits'],
  ['document-quality', 'PORTRAIT', 'documents'],
])('the step %s refuses a subject of the family %s: it is for %s', async (name, family, meant) => {
  const wrong = { family } as Subject
  await expect(async () => STEPS.get(name)?.run(wrong, tools)).rejects.toThrow(
    new TypeError(`step ${name} is for ${meant}`),
  )
})
