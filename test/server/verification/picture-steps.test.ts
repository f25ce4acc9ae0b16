/** The steps for measured pictures of a document or a face; the rules themselves have their own tests. */
import { describe, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import type { Finding } from '../../../server/proofing/judge.ts'
import { parseAamva } from '../../../server/proofing/aamva/parse.ts'
import { buildMrz, buildTd3 } from '../../../server/proofing/mrz/build.ts'
import type { LivenessRecord } from '../../../server/proofing/liveness/types.ts'
import { buildAamva, type AamvaContents } from '../../../server/tools/specimen/aamva.ts'
import { loadLivenessLimits } from '../../../server/verification/liveness-limits.ts'
import type { ReadDocument } from '../../../server/verification/read-document.ts'
import { STEPS } from '../../../server/verification/registry.ts'
import { createStepTools } from '../../../server/verification/step-tools.ts'
import type {
  DocumentSubject,
  PortraitSubject,
  StepTools,
  Subject,
} from '../../../server/verification/subject.ts'
import { measuredSides } from '../../../server/verification/measured-sides.ts'
import { loadThresholds } from '../../../server/verification/thresholds.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { HOLDER, picture, scriptedVision } from '../app/scripted-vision.ts'
import { aDocument, NOW, raised, side, verify } from './verify.ts'

const PARTS = {
  thresholds: loadThresholds(),
  liveness: loadLivenessLimits(),
  knowledge: loadDocumentTemplates(),
  addressFormats: loadAddressFormats(),
  clock: { now: () => NOW },
  measured: measuredSides(),
}
async function run(name: string, subject: Subject, over: Partial<StepTools> = {}, vision?: Vision) {
  const tools = createStepTools(subject, { ...PARTS, vision: vision ?? scriptedVision() })
  const step = STEPS.get(name)
  if (!step) throw new Error(`no step ${name}`)
  return step.run(subject, { ...tools, ...over })
}
const outcomesOf = (findings: readonly Finding[]) => findings.map(({ check, outcome }) => [check, outcome])

/** An invented person. */
const CARD: AamvaContents = {
  iin: '636010',
  country: 'USA',
  jurisdiction: 'FL',
  kind: 'DRIVING_LICENSE',
  documentNumber: 'F255921505940',
  surname: 'FICKENMAN',
  givenNames: ['WILMA', 'ADA'],
  birthDate: '1950-03-14',
  issueDate: '2024-03-14',
  expiryDate: '2032-03-14',
  sex: 'F',
}

describe('the barcode of a card', () => {
  const NO_TEXT = { format: 'PDF417', text: null, bytes: null, decoder: 'zxing-cpp' } as const
  const carrying = (barcode: string) => side({ barcode })
  const barcode = async (front: Uint8Array, more: Partial<DocumentSubject>) =>
    run('document-barcode', aDocument(front, more))
  const FLORIDA = { declaredType: 'DRIVING_LICENSE', jurisdiction: 'USA' } as const

  test('is kept as it was read, and says what card it is', async () => {
    const text = buildAamva(CARD)
    const { findings, barcodes } = await barcode(carrying(text), FLORIDA)
    expect(findings).toMatchObject([
      { check: 'PDF417_BARCODE', outcome: 'passed', measured: { symbols: 1, scanned: 0 } },
      { check: 'BARCODE_READING', outcome: 'passed', measured: { cards: 1 } },
    ])
    expect(barcodes).toMatchObject([{ format: 'PDF417', text }])
  })

  test('is missed where a card of these states was declared, and only there', async () => {
    const nothing = side({ face: 'A' })
    const { findings } = await barcode(nothing, FLORIDA)
    expect(findings).toMatchObject([
      { check: 'PDF417_BARCODE', outcome: 'failed', measured: { symbols: 0, scanned: 0 } },
    ])
    expect(findings[0].errors).toMatchObject([{ code: '1542' }])
    for (const elsewhere of [
      { ...FLORIDA, jurisdiction: 'FRA' },
      { ...FLORIDA, jurisdiction: null },
      { declaredType: null, jurisdiction: 'USA' },
      { declaredType: 'PASSPORT', jurisdiction: 'USA' },
    ] as const) {
      expect((await barcode(nothing, elsewhere)).findings).toEqual([])
    }
    expect((await barcode(nothing, { ...FLORIDA, jurisdiction: 'CAN' })).findings).toHaveLength(1)
    expect((await barcode(nothing, { ...FLORIDA, declaredType: 'IDENTITY_CARD' })).findings).toHaveLength(1)
  })

  test('that is seen and not read is missed too, and nothing is kept of it', async () => {
    const unread = { barcodes: async () => [{ symbols: [NO_TEXT] }] }
    const { findings, barcodes } = await run('document-barcode', aDocument(side({}), FLORIDA), unread)
    expect(outcomesOf(findings)).toEqual([['PDF417_BARCODE', 'failed']])
    expect(findings[0].measured).toEqual({ symbols: 1, scanned: 0 })
    expect(barcodes).toEqual([])
  })

  test('is kept with its bytes, of any kind; only PDF417 is a card’s', async () => {
    const read = {
      format: 'QR_CODE',
      text: 'x',
      bytes: Uint8Array.of(1, 2, 255),
      decoder: 'zxing-cpp',
    } as const
    const { findings, barcodes } = await run('document-barcode', aDocument(side({}), FLORIDA), {
      barcodes: async () => [{ symbols: [read] }],
    })
    expect(barcodes).toEqual([{ format: 'QR_CODE', text: 'x', bytes: 'AQL/' }])
    expect(findings[0].measured).toEqual({ symbols: 0, scanned: 0 })
  })

  test('that a device read must be the same card as the one in the picture', async () => {
    const scannedAs = async (scanned: Partial<AamvaContents>) =>
      (
        await barcode(carrying(buildAamva(CARD)), {
          ...FLORIDA,
          scannedBarcode: buildAamva({ ...CARD, ...scanned }),
        })
      ).findings.at(1)
    expect(await scannedAs({})).toMatchObject({ outcome: 'passed', measured: { cards: 2 } })
    // Another address on a replaced card is no other person.
    expect(await scannedAs({ discriminator: 'Z9' })).toMatchObject({ outcome: 'passed' })
    for (const other of [
      { documentNumber: 'F255921505941' },
      { birthDate: '1950-03-15' },
      { surname: 'FICKENMANN' },
    ]) {
      expect(await scannedAs(other)).toMatchObject({ check: 'BARCODE_READING', outcome: 'failed' })
    }
  })

  test('that a device read alone counts; what is no card’s is a failed reading', async () => {
    const alone = await barcode(side({}), { ...FLORIDA, scannedBarcode: buildAamva(CARD) })
    expect(alone.findings).toMatchObject([
      { outcome: 'passed', measured: { symbols: 0, scanned: 1 } },
      { outcome: 'passed', measured: { cards: 1 } },
    ])
    const { findings } = await barcode(carrying('PARCEL 17'), FLORIDA)
    expect(findings).toMatchObject([
      { check: 'PDF417_BARCODE', outcome: 'passed' },
      { check: 'BARCODE_READING', outcome: 'failed', measured: { cards: 0, deviations: '' } },
    ])
    expect((await barcode(carrying('PARCEL 17'), { jurisdiction: 'USA' })).findings).toEqual([])
  })

  test('is not looked for on a card with an MRZ, unless it is a licence', async () => {
    const mrz = side({ lines: buildMrz({ ...HOLDER, documentCode: 'I' }, 'TD1') })
    const { findings } = await barcode(mrz, { declaredType: 'IDENTITY_CARD', jurisdiction: 'USA' })
    expect(findings).toEqual([])
    expect(outcomesOf((await barcode(mrz, FLORIDA)).findings)).toEqual([['PDF417_BARCODE', 'failed']])
  })
})

describe('the number of a card', () => {
  const licenceOf = (card: Partial<AamvaContents> = {}): ReadDocument['licence'] => {
    const facts = parseAamva(buildAamva({ ...CARD, ...card }))
    return facts && { facts, scanned: false }
  }
  const EMPTY_PAGE = { template: null, kind: null, country: null, state: null, fields: [] } as const
  const checked = async (document: object) => {
    const read = {
      mrz: null,
      licence: null,
      page: EMPTY_PAGE,
      classification: { layout: 'OTHER' },
      ...document,
    }
    const report = await run('document-number', aDocument(side({})), {
      document: async () => read as unknown as ReadDocument,
    })
    expect(report.models).toEqual([])
    return report.findings
  }

  test('in a barcode has the form of its state, repeats its holder, and lies between likely dates', async () => {
    expect(outcomesOf(await checked({ licence: licenceOf() }))).toEqual([
      ['LICENCE_NUMBER_FORM', 'passed'],
      ['LICENCE_NUMBER_CODING', 'passed'],
      ['BARCODE_DATES', 'passed'],
      ['BARCODE_ISSUER', 'passed'],
    ])
    // F255921505940 is of a woman born on 14 March 1950: a man’s would end on 094.
    const ofAMan = await checked({ licence: licenceOf({ sex: 'M' }) })
    expect(outcomesOf(ofAMan)).toContainEqual(['LICENCE_NUMBER_CODING', 'failed'])
    expect(ofAMan[1].measured).toEqual({ repeats: 'all' })
    expect(outcomesOf(await checked({ licence: licenceOf({ documentNumber: '1' }) }))[0]).toEqual([
      'LICENCE_NUMBER_FORM',
      'failed',
    ])
  })

  test('of an identity card is no licence’s', async () => {
    const found = await checked({ licence: licenceOf({ kind: 'IDENTITY_CARD' }) })
    expect(found.map(({ check }) => check)).toEqual(['BARCODE_DATES', 'BARCODE_ISSUER'])
  })

  test('is left to the check digits of an MRZ, and no number is no finding', async () => {
    expect(await checked({ mrz: {}, licence: licenceOf() })).toEqual([])
    expect(await checked({})).toEqual([])
  })

  test.each([
    // 2·1 + 1·3 + 2·7 + 3·9 + 4·1 + 5·3 + 6·7 + 7·9 = 170: the check digit is 0.
    [[{ field: 'documentNumber', value: '2123 45670 1', confidence: 1 }], 'passed'],
    [[{ field: 'documentNumber', value: '2123 45671 1', confidence: 1 }], 'failed'],
    [[], 'inconclusive'],
  ])('of a Medicare card is compared with its check digit: %j %s', async (fields, outcome) => {
    const page = { ...EMPTY_PAGE, kind: 'MEDICARE', country: 'AUS', fields }
    const found = await checked({ classification: { layout: 'MEDICARE_CARD' }, page })
    expect(found).toEqual([{ check: 'MEDICARE_NUMBER', outcome }])
  })
})

describe('the printed portrait', () => {
  const cropped = (widthPx: number, heightPx: number) => ({
    jpeg: Uint8Array.of(widthPx),
    widthPx,
    heightPx,
    box: { x: 0, y: 0, width: widthPx, height: heightPx },
    detectionScore: 0.9,
  })
  const model = (id: string) => ({ id, version: '1', sha256: 'ab' })
  const found = (...portraits: readonly (ReturnType<typeof cropped> | null)[]) =>
    run('document-portrait', aDocument(side({})), {
      sides: async () =>
        portraits.map((portrait, index) => ({ portrait, models: [model(`m${index}`)] })) as never,
    })

  test('is the largest of all pictures, by its area', async () => {
    const report = await found(cropped(100, 120), cropped(90, 140), null)
    expect(report.documentPortrait).toEqual(Uint8Array.of(90))
    expect(report.findings).toEqual([
      {
        check: 'DOCUMENT_PORTRAIT',
        outcome: 'passed',
        measured: { detectionScore: 0.9, widthPx: 90, heightPx: 140, captureIndex: 1 },
      },
    ])
    expect(report.models.map(({ id }) => id)).toEqual(['m0', 'm1', 'm2'])
  })

  test('is missing where no picture shows a face', async () => {
    expect(await found(null, null)).toEqual({
      findings: [{ check: 'DOCUMENT_PORTRAIT', outcome: 'failed' }],
      models: [model('m0'), model('m1')],
    })
  })
})

describe('the quality of the pictures', () => {
  const judged = async (front: Uint8Array, back: Uint8Array | null = null) => {
    const { findings } = await run('document-quality', aDocument(front, { back }))
    return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
  }
  const GOOD = side({ face: 'A' })

  test('is one check for each code of the specification, with its measure', async () => {
    const checks = await judged(GOOD)
    expect(Object.keys(checks).sort()).toEqual([
      'BLUR_IMAGE_QUALITY',
      'CAPTURE_TOO_CLOSE_CHECK',
      'CAPTURE_TOO_FAR_CHECK',
      'DARK_IMAGE_QUALITY',
      'DOCUMENT_DETECTION',
      'GLARE_IMAGE_QUALITY',
      'KEYSTONE_IMAGE_QUALITY',
    ])
    expect(checks.DARK_IMAGE_QUALITY.outcome).toBe('passed')
    expect(checks.DOCUMENT_DETECTION.outcome).toBe('passed')
  })

  test('is that of the worse side', async () => {
    const dark = side({ face: 'A', quality: { luminanceMean: 5 } })
    for (const pair of [
      [GOOD, dark],
      [dark, GOOD],
    ]) {
      const { DARK_IMAGE_QUALITY: finding } = await judged(pair[0], pair[1])
      expect(finding.outcome).toBe('failed')
      expect(finding.measured).toMatchObject({ luminance: 5 })
      expect(finding.errors).toMatchObject([{ code: '1531' }])
    }
  })
})

test.each([
  // Declared type, whether the session made sure of the sides, whether there is a back → outcome.
  ['DRIVING_LICENSE', false, false, 'failed'],
  ['DRIVING_LICENSE', false, true, 'passed'],
  ['DRIVING_LICENSE', true, false, 'passed'],
  ['PASSPORT', false, false, 'passed'],
  [null, true, false, 'passed'],
  [null, false, false, undefined],
] as const)('all sides of a %s were shown (session sure: %s, back: %s): %s', async (...given) => {
  const [declaredType, sidesEnsured, hasBack, outcome] = given
  const subject = aDocument(side({}), { declaredType, sidesEnsured, back: hasBack ? side({}) : null })
  const { findings } = await run('required-sides', subject)
  expect(findings[0]?.outcome).toBe(outcome)
  if (outcome === 'failed') expect(findings[0].errors).toMatchObject([{ code: '1508' }])
})

describe('how a document was made', () => {
  const measured = (scores: Readonly<Record<string, number | null>>) => ({
    signals: Object.entries(scores).map(([signal, score]) => ({ signal, score, measures: {} })),
    models: [{ id: 'forensics', version: '1', sha256: 'ab' }],
    elapsedMs: 1,
  })
  const authentic = async (
    sides: readonly Readonly<Record<string, number | null>>[],
    document: Partial<ReadDocument>,
    more: Partial<DocumentSubject> = {},
  ) => {
    const nothingRead = {
      mrz: null,
      licence: null,
      page: { template: null, kind: null, country: null, state: null, fields: [] },
    }
    const report = await run('document-authenticity', aDocument(side({}), more), {
      authenticity: async () => sides.map(measured) as never,
      document: async () => ({ ...nothingRead, ...document }) as ReadDocument,
    })
    return { ...report, of: Object.fromEntries(report.findings.map((finding) => [finding.check, finding])) }
  }
  const printed = (value: string, confidence: number, country: string | null = 'FRA') => ({
    page: {
      template: null,
      kind: 'IDENTITY_CARD',
      country,
      state: null,
      fields: [
        { field: 'surname', value: 'ERIKSSON', confidence: 1, captureIndex: 0, foundBy: 'label' },
        { field: 'documentNumber', value, confidence, captureIndex: 0, foundBy: 'label' },
      ],
    } as ReadDocument['page'],
  })

  test('is the worst of its sides for each signal, from the threshold on', async () => {
    const { of, models } = await authentic([{ PHOTOCOPY: 0.2 }, { PHOTOCOPY: 0.5, ZONE_GLYPHS: null }], {})
    expect(of.PHOTOCOPY).toMatchObject({ outcome: 'failed', measured: { score: 0.5, threshold: 0.5 } })
    expect(of.ZONE_GLYPHS.outcome).toBe('inconclusive')
    expect(of.ZONE_GLYPHS.measured).not.toHaveProperty('score')
    expect(of.SCREEN_RECAPTURE.outcome).toBe('inconclusive')
    expect((await authentic([{ PHOTOCOPY: 0.49 }], {})).of.PHOTOCOPY.outcome).toBe('passed')
    expect(models).toHaveLength(2)
  })

  test('is one verdict over all signals: two groups that speak against it are needed', async () => {
    const one = await authentic([{ PHOTOCOPY: 1, SCREEN_RECAPTURE: 1 }], {})
    expect(one.of.DOCUMENT_AUTHENTICITY).toMatchObject({
      outcome: 'inconclusive',
      measured: { failedGroups: 1, leastFailed: 2 },
    })
    const two = await authentic([{ PHOTOCOPY: 1, ZONE_GLYPHS: 1 }], {})
    expect(two.of.DOCUMENT_AUTHENTICITY).toMatchObject({ outcome: 'failed', measured: { failedGroups: 2 } })
  })

  test('is inconclusive about dates that were not read', async () => {
    const { of } = await authentic([], {})
    expect(of.DATE_PLAUSIBILITY).toMatchObject({ outcome: 'inconclusive' })
    expect(of.DATE_PLAUSIBILITY.measured).toEqual({ datesKnown: 0, contradictions: 'none' })
    expect(of).not.toHaveProperty('MRZ_UNREPAIRED_CHECK_DIGITS')
  })

  test('a printed number makes it known again where it was read for sure, with its kind and issuer', async () => {
    const asked: unknown[] = []
    const presentedToOthers = (key: unknown) => asked.push(key)
    const { documentIdentifier, of } = await authentic([], printed('X1', 0.8), { presentedToOthers })
    const key = { type: 'IDENTITY_CARD', issuer: 'FRA', number: 'X1' }
    expect(documentIdentifier).toEqual(key)
    expect(asked).toEqual([key])
    expect(of.DOCUMENT_PRESENTED_TWICE).toEqual({
      check: 'DOCUMENT_PRESENTED_TWICE',
      outcome: 'failed',
      measured: { otherIdentities: 1 },
    })
    for (const unknown of [printed('X1', 0.79), printed('', 1), printed('X1', 1, null)]) {
      const found = await authentic([], unknown, { presentedToOthers })
      expect(found.documentIdentifier).toBeUndefined()
      expect(found.of).not.toHaveProperty('DOCUMENT_PRESENTED_TWICE')
    }
    expect(asked).toHaveLength(1)
  })

  test('passes if no other identity presented the document, and reports no finding if that is not counted', async () => {
    const alone = await authentic([], printed('X1', 1), { presentedToOthers: () => 0 })
    expect(alone.of.DOCUMENT_PRESENTED_TWICE).toMatchObject({ outcome: 'passed' })
    expect((await authentic([], printed('X1', 1))).of).not.toHaveProperty('DOCUMENT_PRESENTED_TWICE')
  })

  test('a card is known again by its barcode with the state that issued it, before its print', async () => {
    const facts = { ...CARD, sex: 'F' } as unknown as NonNullable<ReadDocument['licence']>['facts']
    const { documentIdentifier, of } = await authentic([], {
      ...printed('X1', 1),
      licence: { facts, scanned: false },
    })
    expect(documentIdentifier).toEqual({ type: 'DRIVING_LICENSE', issuer: 'USAFL', number: 'F255921505940' })
    expect(of.DATE_PLAUSIBILITY).toMatchObject({ outcome: 'passed', measured: { datesKnown: 3 } })
  })
})

describe('a live portrait', () => {
  const portrait = (more: Partial<PortraitSubject> = {}): PortraitSubject => ({
    family: 'PORTRAIT',
    evidenceId: 'portrait',
    image: picture({ shows: 'face', face: 'A' } as never),
    frames: [],
    liveness: null,
    reference: null,
    testMode: false,
    ...more,
  })
  const record = (outcome: string): LivenessRecord =>
    ({
      source: 'external',
      livenessType: 'LIVENESS_MLC',
      securityLevel: 'HIGH',
      service: 'server',
      serviceVersion: '1',
      outcome,
      score: 0.9,
      threshold: 0.5,
    }) as unknown as LivenessRecord

  test('of an uploaded file is not shown to be live', async () => {
    expect(await run('portrait-liveness', portrait())).toEqual({
      findings: [{ check: 'BIOMETRIC_LIVENESS', outcome: 'inconclusive' }],
      models: [],
    })
  })

  test('is live by the record of the session, and needs a still besides', async () => {
    const live = await run('portrait-liveness', portrait({ liveness: record('passed') }))
    expect(outcomesOf(live.findings)).toEqual([
      ['BIOMETRIC_LIVENESS_CHALLENGE', 'passed'],
      ['BIOMETRIC_LIVENESS', 'passed'],
    ])
    expect(live.findings[0]).not.toHaveProperty('withholds')
    expect(live.findings[0]).not.toHaveProperty('errors')
    const without = await run('portrait-liveness', portrait({ liveness: record('passed'), image: null }))
    expect(without.findings.at(-1)).toMatchObject({
      check: 'BIOMETRIC_QUALITY_CHECK',
      outcome: 'failed',
      errors: [{ code: '1601', field: 'FACE_MISSING' }],
    })
  })

  test.each([
    ['failed', 'failed', '1611', undefined],
    ['timeout', 'failed', '1609', undefined],
    ['inconclusive', 'inconclusive', '1610', true],
    ['technical', 'inconclusive', '1610', true],
  ])('whose session ended as %s has not passed the challenge, and is not called live', async (...given) => {
    const [ended, outcome, code, withholds] = given
    const { findings } = await run('portrait-liveness', portrait({ liveness: record(ended), image: null }))
    expect(findings).toHaveLength(2)
    expect(findings[0]).toMatchObject({ check: 'BIOMETRIC_LIVENESS_CHALLENGE', outcome, errors: [{ code }] })
    expect(findings[0].withholds).toBe(withholds)
    expect(findings[1]).toEqual({ check: 'BIOMETRIC_LIVENESS', outcome: 'inconclusive' })
  })

  test('that was uploaded is looked at for an attack; one of a session is, if an engine is mounted for it', async () => {
    const applies = (more: Partial<PortraitSubject>) => STEPS.get('portrait-pad')?.appliesTo?.(portrait(more))
    expect(applies({})).toBe(true)
    expect(applies({ image: null })).toBe(false)
    expect(applies({ liveness: record('passed') })).toBe(false)
    expect(applies({ liveness: record('passed'), stillIsJudged: true })).toBe(true)
    const padOf = async (score: number | null) => {
      const engine = { id: 'pad', version: '1', sha256: 'ab' }
      const point = { id: 'still', threshold: 0.6, source: 'made up' }
      const pad = score === null ? null : { engine, score, point, models: [engine] }
      return run('portrait-pad', portrait(), { portrait: async () => ({ pad }) as never })
    }
    const measured = { score: 0.6, threshold: 0.6, operatingPoint: 'still', engine: 'pad 1' }
    expect(await padOf(0.6)).toEqual({
      findings: [{ check: 'BIOMETRIC_PAD', outcome: 'passed', measured }],
      models: [{ id: 'pad', version: '1', sha256: 'ab' }],
    })
    expect((await padOf(0.59)).findings[0].outcome).toBe('failed')
    expect(await padOf(null)).toEqual({
      findings: [{ check: 'BIOMETRIC_PAD', outcome: 'inconclusive' }],
      models: [],
    })
    const padFailure = { engine: { id: 'acme', version: '7', sha256: 'cd' }, trouble: 'timeout' }
    const failed = { portrait: async () => ({ pad: null, padFailure }) as never }
    expect(await run('portrait-pad', portrait(), failed)).toEqual({
      findings: [
        {
          check: 'BIOMETRIC_PAD',
          outcome: 'inconclusive',
          measured: { engine: 'acme 7', engineTrouble: 'timeout' },
        },
      ],
      models: [padFailure.engine],
    })
  })

  test('is no copy of the elected document’s picture or of another document’s', async () => {
    const thresholds = { ...PARTS.thresholds, portraitMaximumDetailCorrelation: 0.85 }
    const outcomeOf = async (elected: number | null, ...further: readonly (number | null)[]) => {
      const { findings } = await run('portrait-own-picture', portrait(), {
        thresholds,
        comparison: async () => ({ detailCorrelation: elected }) as never,
        furtherComparisons: async () => further.map((detailCorrelation) => ({ detailCorrelation })) as never,
      })
      return findings[0].outcome
    }
    expect(await outcomeOf(0.84)).toBe('passed')
    expect(await outcomeOf(0.85)).toBe('failed')
    expect(await outcomeOf(0.3, 0.9)).toBe('failed')
    expect(await outcomeOf(null, 0.9)).toBe('failed')
    expect(await outcomeOf(null)).toBe('inconclusive')
    expect(await outcomeOf(0.3, null)).toBe('inconclusive')
  })

  test("is compared with the applicant's other documents, with a result for each", async () => {
    const at = (score: number | null) => ({
      comparison:
        score === null
          ? null
          : {
              score,
              operatingPoint: { id: 'decision', measure: 'fused-z', threshold: 3 },
              reviewPoint: { id: 'review', measure: 'fused-z', threshold: 2 },
              scores: [{ model: { id: 'network' }, value: score }],
            },
    })
    const against = async (...scores: readonly (number | null)[]) => {
      const further = scores.map((_, index) => ({ evidenceId: `d${index}`, image: new Uint8Array(1) }))
      const { findings, models } = await run('portrait-match-further', portrait({ further }), {
        furtherComparisons: async () => scores.map(at) as never,
      })
      expect(models).toHaveLength(scores.filter((score) => score !== null).length)
      return findings[0]
    }
    expect(await against(3, 4)).toEqual({
      check: 'BIOMETRIC_MATCHING_FURTHER',
      outcome: 'passed',
      measured: {
        documents: 2,
        matching: 'd0 d1',
        different: '',
        undecided: '',
        'score:d0': 3,
        'score:d1': 4,
      },
    })
    expect(await against(3, 1, 2.5)).toMatchObject({
      outcome: 'failed',
      measured: { matching: 'd0', different: 'd1', undecided: 'd2' },
    })
    expect(await against(3, 2.5)).toMatchObject({ outcome: 'inconclusive' })
    expect(await against(3, null)).toMatchObject({ outcome: 'inconclusive', measured: { matching: 'd0' } })
  })

  test('is compared with them only beside the elected one', () => {
    const one = { evidenceId: 'd', pictureId: 'p', image: new Uint8Array(1), isOfChip: false }
    const applies = (more: Partial<PortraitSubject>) =>
      STEPS.get('portrait-match-further')?.appliesTo?.(portrait(more))
    expect(applies({ reference: one, further: [one] })).toBe(true)
    expect(applies({ reference: one, further: [] })).toBe(false)
    expect(applies({ reference: one })).toBe(false)
    expect(applies({ reference: null, further: [one] })).toBe(false)
    expect(applies({ reference: one, further: [one], image: null })).toBe(false)
  })

  test('is measured once, also where a comparison measures it', async () => {
    const asked: string[] = []
    const vision = {
      measurePortrait: async () => asked.push('alone') && { faces: [] },
      compareFaces: async () => asked.push('compared') && { probe: { faces: [] }, comparison: null },
    } as unknown as Vision
    const alone = createStepTools(portrait(), { ...PARTS, vision })
    await Promise.all([alone.portrait(), alone.portrait(), alone.comparison()])
    const one = { evidenceId: 'd', pictureId: 'p', image: new Uint8Array(1), isOfChip: false }
    const both = createStepTools(portrait({ reference: one }), { ...PARTS, vision })
    await Promise.all([both.portrait(), both.comparison(), both.portrait()])
    expect(asked).toEqual(['alone', 'compared'])
    const none = createStepTools(portrait({ image: null, reference: one, further: [one] }), {
      ...PARTS,
      vision,
    })
    expect(await none.comparison()).toBeNull()
    expect(await none.furtherComparisons()).toEqual([])
    await expect(none.portrait()).rejects.toThrow('only a portrait is measured so')
    expect(asked).toHaveLength(2)
  })
})

describe('how a document lies in the picture', () => {
  const BAND = { characterPitchPx: 20, geometry: { turnDeg: 0, widthShare: 1.2, isCut: true } }
  const passport = (more: object) =>
    aDocument(side({ lines: buildTd3(HOLDER), face: 'A', ...more }), { testMode: true })
  const tooNear = {
    quality: {
      framing: { by: 'outline', tiltDeg: 40, resolutionDpi: 60, spanShare: 1.3, missingShare: 0.3 } as const,
    },
  }

  test('is not compared with an uploaded picture on which the document was read', async () => {
    const { judgement } = await verify(passport(tooNear))
    for (const check of [
      'CAPTURE_TOO_CLOSE_CHECK',
      'CAPTURE_TOO_FAR_CHECK',
      'KEYSTONE_IMAGE_QUALITY',
      'DOCUMENT_DETECTION',
    ])
      expect(raised(judgement, check), check).toEqual([`${check}_OK`])
  })

  test('is compared with a live capture, which can still be corrected', async () => {
    const { judgement } = await verify({ ...passport(tooNear), isLive: true })
    expect(raised(judgement, 'CAPTURE_TOO_CLOSE_CHECK')).toEqual(['CAPTURE_TOO_CLOSE_CHECK_WARNING'])
  })

  test('is compared with an uploaded picture on which nothing was read', async () => {
    const { judgement } = await verify(aDocument(side({ band: BAND, ...tooNear }), { testMode: true }))
    expect(raised(judgement, 'CAPTURE_TOO_CLOSE_CHECK')).toEqual(['CAPTURE_TOO_CLOSE_CHECK_WARNING'])
  })

  test('is one thing, light is another: a dark upload is refused though it was read', async () => {
    const { judgement } = await verify(passport({ quality: { luminanceMean: 5 } }))
    expect(raised(judgement, 'DARK_IMAGE_QUALITY')).toEqual(['DARK_IMAGE_QUALITY_WARNING'])
  })
})
