/** The runner of the steps: which run, in which order, what a failure stops, and what is recorded of each. */
import { describe, expect, test } from 'vitest'
import type { Pipelines } from '../../../server/config/resources.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { measuredSides } from '../../../server/verification/measured-sides.ts'
import type { Subject } from '../../../server/verification/subject.ts'
import { HOLDER, picture, scriptedVision } from '../app/scripted-vision.ts'
import { aDocument, NOW, openVerification, PIPELINES, raised, runPipeline, side, verify } from './verify.ts'

const SWEDISH = { ...HOLDER, issuingState: 'SWE', nationality: 'SWE' }
const GENUINE = side({ lines: buildTd3(SWEDISH), face: 'A' })
const SPECIMEN = side({ lines: buildTd3(HOLDER), face: 'A' })
const DARK = side({ lines: buildTd3(SWEDISH), face: 'A', quality: { luminanceMean: 5 } })

/** The shipped pipelines, with one rule of the documents changed. */
function withRule(check: string, rule: object): Pipelines {
  const { IDDOCUMENT } = PIPELINES.pipelines
  const checks = { ...IDDOCUMENT.checks, [check]: { ...IDDOCUMENT.checks[check], ...rule } }
  return { ...PIPELINES, pipelines: { ...PIPELINES.pipelines, IDDOCUMENT: { ...IDDOCUMENT, checks } } }
}
const stepsOf = (records: Awaited<ReturnType<typeof verify>>['records']) =>
  records.map(({ verificationServices: [service] }) => service.serviceName)

describe('a rule for test mode', () => {
  const cases = [
    // [in production, in test mode, testMode] → what the specimen is
    ['reject', 'warn', false, 'INVALID'],
    ['reject', 'warn', true, 'VERIFIED'],
    ['withhold', 'reject', false, 'NOT_VERIFIED'],
    ['withhold', 'reject', true, 'INVALID'],
    ['reject', undefined, true, 'INVALID'],
    ['warn', undefined, true, 'VERIFIED'],
    ['warn', 'reject', false, 'VERIFIED'],
  ] as const
  test.each(cases)('(%s, in test mode %s), where test mode is %s, makes a specimen %s', async (...given) => {
    const [onFailure, onFailureInTestMode, testMode, status] = given
    const pipelines = withRule('SPECIMEN_DOCUMENT', { onFailure, onFailureInTestMode })
    const { judgement } = await verify(aDocument(SPECIMEN, { testMode }), { pipelines })
    expect(judgement.status).toBe(status)
  })

  test('is shipped for specimens alone', () => {
    const softened = Object.entries(PIPELINES.pipelines).flatMap(([family, { checks }]) =>
      Object.entries(checks).flatMap(([check, { onFailureInTestMode }]) =>
        onFailureInTestMode === undefined ? [] : [`${family} ${check} ${onFailureInTestMode}`],
      ),
    )
    expect(softened).toEqual(['IDDOCUMENT SPECIMEN_DOCUMENT warn'])
  })
})

describe('the steps', () => {
  test('run in the order of the file, and each leaves a record', async () => {
    const { records, judgement } = await verify(aDocument(GENUINE))
    const { steps } = PIPELINES.pipelines.IDDOCUMENT
    const ran = stepsOf(records)
    // No officer attended, no chip was read, and no issuer may be asked.
    const notApplicable = ['attended-capture', 'document-chip', 'issuer-verification']
    expect(ran).toEqual(steps.map(({ step }) => step).filter((step) => !notApplicable.includes(step)))
    expect(judgement.status).toBe('VERIFIED')
    expect(records[0]).toMatchObject({
      participantType: 'IMAGE_OCR',
      participantState: 'ACCEPTED',
      isBlockingParticipant: true,
      startDateTime: '2026-11-21T12:00:00.000',
      endDateTime: '2026-11-21T12:00:00.000',
      verificationServices: [{ serviceName: 'document-quality', isTechnicalError: false, responseTimeMS: 0 }],
    })
    expect(records[0].measurements.map(({ check }) => check)).toContain('DARK_IMAGE_QUALITY')
    expect(records[0].raisedIndicators).toContain('DARK_IMAGE_QUALITY_OK')
    expect(NOW.toISOString()).toContain('2026-11-21T12:00:00.000')
  })

  test('end with one that fails and stops; what comes later is read and not checked', async () => {
    const { records, judgement, facts } = await verify(aDocument(DARK))
    expect(stepsOf(records)).toEqual(['document-quality'])
    expect(records[0]).toMatchObject({ participantState: 'REJECTED', errors: [{ code: '1531' }] })
    expect(judgement.status).toBe('NOT_VERIFIED')
    expect(judgement.blockingIndicators).toEqual([])
    expect(judgement.warningIndicators).toEqual(['DARK_IMAGE_QUALITY_WARNING'])
    expect(records[0].raisedIndicators).toContain('DARK_IMAGE_QUALITY_FAILED')
    expect(judgement.mandatoryMissing).toContain('DOCUMENT_READING')
    expect(facts?.data).toMatchObject({
      idDocumentNumber: HOLDER.documentNumber,
      personalAttributes: { surname: { value: 'ERIKSSON' } },
    })
  })

  test('end for good with one that fails in a live capture: the next picture is taken at once', async () => {
    const { records, facts } = await verify({ ...aDocument(DARK), isLive: true })
    expect(stepsOf(records)).toEqual(['document-quality'])
    expect(facts).toBeNull()
  })

  test('continue after one that only warns, though it stops where it blocks', async () => {
    const pipelines = withRule('DARK_IMAGE_QUALITY', { onFailure: 'warn' })
    const { records, judgement } = await verify(aDocument(DARK), { pipelines })
    expect(stepsOf(records).length).toBeGreaterThan(5)
    expect(records[0]).not.toHaveProperty('participantState')
    expect([judgement.status, raised(judgement, 'DARK_IMAGE_QUALITY')]).toEqual([
      'VERIFIED',
      ['DARK_IMAGE_QUALITY_WARNING'],
    ])
  })

  test('continue after one that blocks where the file does not have it stop', async () => {
    const { records } = await verify(aDocument(SPECIMEN))
    const ran = stepsOf(records)
    expect(ran.at(-1)).toBe('document-authenticity')
    const states = Object.fromEntries(records.map((record, i) => [ran[i], record.participantState]))
    expect(states).toMatchObject({ 'mrz-check': 'ACCEPTED', 'document-validity': 'REJECTED' })
  })

  const stopAt = (step: string): Pipelines => {
    const { IDDOCUMENT } = PIPELINES.pipelines
    const steps = IDDOCUMENT.steps.map((one) => ({ ...one, stopOnFailure: one.step === step }))
    return { ...PIPELINES, pipelines: { ...PIPELINES.pipelines, IDDOCUMENT: { ...IDDOCUMENT, steps } } }
  }

  test('end with one that stops where it could not tell and no verdict can stand beside that', async () => {
    const world = {
      pipelines: stopAt('document-validity'),
      earliest: new Date('2026-11-30T00:00:00Z'),
      latest: new Date('2026-12-02T00:00:00Z'),
    }
    const front = side({ lines: buildTd3({ ...SWEDISH, birthDate: '261201' }), face: 'A' })
    const { records, judgement } = await verify(aDocument(front), world)
    expect(stepsOf(records).at(-1)).toBe('document-validity')
    expect(judgement.status).toBe('NOT_VERIFIED')
  })

  test('continue after one that stops where another check outweighs what failed', async () => {
    const mitigated = withRule('SPECIMEN_DOCUMENT', { mitigatedBy: ['MRZ_CHECK_DIGITS'] }).pipelines
      .IDDOCUMENT
    const { steps } = stopAt('document-validity').pipelines.IDDOCUMENT
    const IDDOCUMENT = { ...mitigated, steps }
    const pipelines = { ...PIPELINES, pipelines: { ...PIPELINES.pipelines, IDDOCUMENT } }
    const { records, judgement } = await verify(aDocument(SPECIMEN), { pipelines })
    expect(stepsOf(records).at(-1)).toBe('document-authenticity')
    expect(judgement.status).toBe('VERIFIED')
    expect(judgement.mitigations).toEqual([
      { indicator: 'SPECIMEN_DOCUMENT_FAILED', mitigatedBy: 'MRZ_CHECK_DIGITS_OK' },
    ])
  })

  test('say of what this release does not check that it was not checked', async () => {
    const { judgement } = await verify(aDocument(GENUINE))
    expect(judgement.unverifiedIndicators).toContain('GIV_VERIFICATION_UNVERIFIED')
  })

  test('with an unknown name end the verification with an error that names the step', async () => {
    const { IDDOCUMENT } = PIPELINES.pipelines
    const steps = [{ step: 'no-such-step', participantType: 'IMAGE_OCR' as const, stopOnFailure: false }]
    const pipelines = {
      ...PIPELINES,
      pipelines: { ...PIPELINES.pipelines, IDDOCUMENT: { ...IDDOCUMENT, steps } },
    }
    await expect(verify(aDocument(GENUINE), { pipelines })).rejects.toThrow('no step no-such-step')
  })
})

describe('what a run leaves behind', () => {
  test('of a document are its data, its portrait, what it is known by, and the barcodes as they are', async () => {
    const front = side({ lines: buildTd3(SWEDISH), face: 'A', barcode: 'RAW TEXT' })
    const outcome = await verify(aDocument(front))
    expect(outcome).toMatchObject({
      facts: { type: 'PASSPORT', data: { idDocumentNumber: 'L898902C3' } },
      documentIdentifier: { number: 'L898902C3' },
      barcodes: [{ format: 'PDF417', text: 'RAW TEXT' }],
      matchedReferenceId: null,
      comparedDocumentIds: [],
      livenessDiagnostic: null,
    })
    expect(outcome.documentPortrait).toEqual(picture({ shows: 'person', face: 'A' }))
  })

  test('of a picture that cannot be measured is nothing, and any other fault is the machine’s', async () => {
    expect(await runPipeline(aDocument(picture({ shows: 'garbage' })))).toBeNull()
    const vision = {
      ...scriptedVision(),
      measureDocument: async () => {
        throw new Error('the worker is gone')
      },
    }
    await expect(verify(aDocument(GENUINE), { vision })).rejects.toThrow('the worker is gone')
  })

  const portrait = (face: string): Uint8Array => picture({ shows: 'person', face })
  const aPortrait = (over: object = {}): Subject =>
    ({
      family: 'PORTRAIT',
      evidenceId: 'the portrait',
      image: portrait('A'),
      frames: [],
      liveness: null,
      reference: {
        evidenceId: 'the passport',
        pictureId: 'its crop',
        image: portrait('A'),
        isOfChip: false,
      },
      further: [{ evidenceId: 'the licence', image: portrait('A') }],
      testMode: false,
      ...over,
    }) satisfies Subject

  test('of a portrait is every document that it was compared with, the elected one by name', async () => {
    const outcome = await verify(aPortrait())
    expect(outcome).toMatchObject({
      judgement: { status: 'VERIFIED' },
      matchedReferenceId: 'the passport',
      comparedDocumentIds: ['the passport', 'the licence'],
    })
  })

  test('of a portrait that was compared with nothing is no name', async () => {
    const outcome = await verify(aPortrait({ reference: null, further: [] }))
    expect(outcome).toMatchObject({ matchedReferenceId: null, comparedDocumentIds: [] })
    // No face in the picture: the step before the comparison stops.
    const nobody = await verify(aPortrait({ image: picture({ shows: 'person', face: null }) }))
    expect(nobody).toMatchObject({ matchedReferenceId: null, comparedDocumentIds: [] })
    expect(nobody.judgement.status).toBe('NOT_VERIFIED')
  })

  test('of a portrait of another person is the document that it does not fit', async () => {
    const outcome = await verify(aPortrait({ image: portrait('B') }))
    expect(outcome).toMatchObject({
      judgement: { status: 'INVALID', blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'] },
      matchedReferenceId: 'the passport',
      // The other document was not asked about any more.
      comparedDocumentIds: ['the passport'],
    })
  })
})

test('a model that several measurements of one step used is named once', async () => {
  const front = side({ lines: buildTd3(SWEDISH), face: 'A' })
  const { records } = await verify(aDocument(front, { back: side({}) }))
  for (const { models } of records) {
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length)
  }
  expect(records.flatMap(({ models }) => models).length).toBeGreaterThan(0)
})

describe('a picture about which the capture component asked', () => {
  const DOUBTFUL = side({ lines: buildTd3(SWEDISH), face: 'A', doubtful: true })
  const FRAME = side({ lines: buildTd3(SWEDISH), face: 'A' })

  /** @returns how many frames went along with each measurement. */
  async function measurements(asked: Uint8Array, ...checked: readonly Subject[]): Promise<readonly number[]> {
    const frames: number[] = []
    const scripted = scriptedVision()
    const vision = {
      ...scripted,
      measureDocument: (input: Parameters<typeof scripted.measureDocument>[0]) => {
        frames.push(input.frames?.length ?? 0)
        return scripted.measureDocument(input)
      },
    }
    const verification = openVerification({ vision })
    await verification.recognise(asked, 'the document')
    for (const subject of checked) expect(await verification.run(subject)).not.toBeNull()
    return frames
  }

  test('is measured once, for the question and for the check', async () => {
    expect(await measurements(GENUINE, aDocument(GENUINE))).toEqual([0])
    expect(await measurements(GENUINE, aDocument(GENUINE, { frames: [[FRAME, FRAME], []] }))).toEqual([0])
  })

  test('is measured again with its further frames where the first reading leaves a doubt', async () => {
    expect(await measurements(DOUBTFUL, aDocument(DOUBTFUL, { frames: [[FRAME, FRAME], []] }))).toEqual([
      0, 2,
    ])
  })

  test('is measured again for another evidence, for other bytes and for a second check', async () => {
    expect(await measurements(GENUINE, aDocument(GENUINE, { evidenceId: 'of another person' }))).toEqual([
      0, 0,
    ])
    expect(await measurements(GENUINE, aDocument(DARK))).toEqual([0, 0])
    expect(await measurements(GENUINE, aDocument(GENUINE), aDocument(GENUINE))).toEqual([0, 0])
  })
})

test('measurements are kept for at most eight sides and for a short time', async () => {
  const kept = measuredSides(20)
  const measured = await scriptedVision().measureDocument({ image: GENUINE })
  for (let i = 0; i < 9; i++) kept.keep(`document ${i}`, GENUINE, measured)
  expect(kept.take('document 0', GENUINE)).toBeNull()
  expect(kept.take('document 8', GENUINE)).toBe(measured)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(kept.take('document 7', GENUINE)).toBeNull()
})
