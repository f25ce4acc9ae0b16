import { describe, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { loadPipelines } from '../../../server/config/resources.ts'
import type { IdDocumentData, PersonalAttributes } from '../../../server/proofing/evidence.ts'
import type { LivenessLimits } from '../../../server/proofing/liveness/limits.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { createVerification } from '../../../server/verification/pipeline.ts'
import { STEPS } from '../../../server/verification/registry.ts'
import { loadThresholds } from '../../../server/verification/thresholds.ts'
import { HOLDER, scriptedVision } from '../app/scripted-vision.ts'

const value = (text: string) => ({ value: text, verified: false })

const verification = createVerification({
  vision: scriptedVision(),
  pipelines: loadPipelines([...STEPS.keys()]),
  thresholds: loadThresholds(),
  liveness: {} as LivenessLimits,
  knowledge: loadDocumentTemplates(),
  addressFormats: loadAddressFormats(),
  clock: { now: () => new Date('2026-03-02T09:00:00Z') },
})

/** `document`: the values of the elected reference; null if there is none or it was unreadable. */
async function compared(attributes: PersonalAttributes, document: Partial<IdDocumentData> | 'unread' | null) {
  const read =
    document === 'unread'
      ? null
      : { idDocumentType: 'PASSPORT' as const, personalAttributes: {}, ...document }
  const outcome = await verification.run({
    family: 'DATA',
    kind: 'ATTRIBUTES',
    evidenceId: 'attributes',
    content: { attributes },
    reference: document && { evidenceId: 'document', document: read },
    contact: null,
    testMode: false,
  })
  const { status, positiveIndicators, warningIndicators, unverifiedIndicators, errors } =
    outcome?.judgement ?? {}
  return {
    ...(status === 'VERIFIED' ? { status } : {}),
    with: outcome?.matchedReferenceId,
    found: [positiveIndicators, warningIndicators, unverifiedIndicators].flat().filter(isMatch),
    fields: errors?.map(({ field }) => field),
  }
}
const CORRECTED = {
  status: 'VERIFIED',
  with: 'document',
  found: ['ATTRIBUTES_MATCH_OK'],
  fields: [],
}
const isMatch = (name: string | undefined) => name?.startsWith('ATTRIBUTES_MATCH')

const OK = { with: 'document', found: ['ATTRIBUTES_MATCH_OK'], fields: [] }
const UNVERIFIED = { with: 'document', found: ['ATTRIBUTES_MATCH_UNVERIFIED'], fields: [] }
const differs = (...fields: readonly string[]) => ({
  with: 'document',
  found: ['ATTRIBUTES_MATCH_WARNING'],
  fields,
})

test('a name that the MRZ had no room for agrees with the whole one; typed in, the document would differ', async () => {
  // Doc 9303 part 4: Nilavadhanananda Chayapa Dejthamrong Krasuang.
  const names = { surname: 'NILAVADHANANANDA', givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'KRASUANG'] }
  const personalAttributes = {
    surname: value(names.surname),
    givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'K'].map(value),
  }
  const whole = { surname: value('Nilavadhanananda'), givenNames: [value('Chayapa Dejthamrong Krasuang')] }
  const mrz = buildTd3({ ...HOLDER, ...names })
  expect(await compared(whole, { personalAttributes, mrz })).toEqual(CORRECTED)
  expect(await compared(whole, { personalAttributes })).toEqual(differs('givenNames'))
})

test('one difference outweighs what agrees, and what is unclear keeps it open', async () => {
  const document = { personalAttributes: { surname: value('ERIKSSON'), gender: value('F') } }
  const gender = value('F')
  expect(await compared({ surname: value('Eriksson'), gender }, document)).toEqual(CORRECTED)
  expect(await compared({ surname: value('Erikson'), gender }, document)).toEqual(differs('surname'))
  expect(await compared({ surname: value('山田'), gender }, document)).toEqual(UNVERIFIED)
})

test('nothing in common is not an agreement', async () => {
  const document = { personalAttributes: { surname: value('ERIKSSON') } }
  expect(await compared({ eyeColor: value('grey') }, document)).toEqual(UNVERIFIED)
})

test('attributes are not compared without a document; a comparison with an unreadable document is inconclusive', async () => {
  const attributes = { surname: value('Eriksson') }
  expect(await compared(attributes, null)).toEqual({ ...UNVERIFIED, with: null })
  expect(await compared(attributes, 'unread')).toEqual(UNVERIFIED)
})

describe('a correction of how the document was read', () => {
  const document = { personalAttributes: { surname: value('MUELLER'), gender: value('F') } }

  test('that the reading explains is confirmed by the document, and is no difference', async () => {
    expect(await compared({ surname: value('Müller') }, document)).toEqual(CORRECTED)
    expect(await compared({ surname: value('Müller'), gender: value('F') }, document)).toEqual(CORRECTED)
    const misread = { personalAttributes: { surname: value('MUE1LER') } }
    expect(await compared({ surname: value('Mueller') }, misread)).toEqual(CORRECTED)
    const swapped = { personalAttributes: { surname: value('ANNA'), givenNames: [value('MUELLER')] } }
    expect(await compared({ surname: value('Mueller'), givenNames: [value('Anna')] }, swapped)).toEqual(
      CORRECTED,
    )
  })

  test('beside something that no document shows, or that it contradicts, confirms nothing', async () => {
    expect(await compared({ surname: value('Müller'), eyeColor: value('grey') }, document)).toEqual(OK)
    expect(await compared({ surname: value('Müller'), gender: value('M') }, document)).toEqual(
      differs('gender'),
    )
    expect(await compared({ surname: value('Miller') }, document)).toEqual(differs('surname'))
  })

  test('is not made by a claim', async () => {
    const outcome = await verification.run({
      family: 'DATA',
      kind: 'ID_CLAIM',
      evidenceId: 'claim',
      content: { claim: { attributesData: { surname: value('MUELLEB') } } },
      reference: {
        evidenceId: 'document',
        document: { idDocumentType: 'PASSPORT', ...document },
      },
      contact: null,
      testMode: false,
    })
    expect(outcome?.judgement).toMatchObject({
      status: 'NOT_VERIFIED',
      warningIndicators: ['ATTRIBUTES_MATCH_WARNING'],
      unverifiedIndicators: ['ID_CLAIM_SOURCE_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
    })
  })
})
