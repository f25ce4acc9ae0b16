/** The three zones of a comparison: the step, and what becomes of the evidence. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { portraitMatch } from '../../../server/verification/steps/portrait-match.ts'
import type { PortraitSubject, StepTools } from '../../../server/verification/subject.ts'
import type { FaceComparison, OperatingPoint } from '../../../server/vision/protocol.ts'
import { startProofing, type ProofingClient } from '../app/proofing-client.ts'
import { aPassport, picture, scriptedVision } from '../app/scripted-vision.ts'

const model = { id: 'network', version: '1', sha256: 'ab'.repeat(32) }
const point = (id: string, threshold: number, fmr: number): OperatingPoint => ({
  id,
  measure: 'fused-z',
  threshold,
  fmr,
  fnmr: 0.04,
  source: 'made up',
  measured: {
    fmr: fmr / 2,
    fnmr: 0.03,
    ci95: { fmr: [0, fmr], fnmr: [0.02, 0.05] },
    source: '4 people',
  },
})
const [DECISION, REVIEW] = [point('decision', 3, 0.0005), point('review', 2, 0.03)]
const comparisonAt = (score: number): NonNullable<FaceComparison['comparison']> => ({
  engine: { id: 'engine', version: '4', sha256: 'cd' },
  score,
  operatingPoint: DECISION,
  reviewPoint: REVIEW,
  atOrBeyondThreshold: score >= DECISION.threshold,
  scores: [{ model, measure: 'fused-z', value: score }],
})

const run = async (comparison: FaceComparison['comparison'] | undefined, personMayDecide?: boolean) => {
  const subject = { family: 'PORTRAIT', image: new Uint8Array(1), personMayDecide } as PortraitSubject
  const tools = {
    comparison: async () => (comparison === undefined ? null : { comparison, probesUsed: 3 }),
  } as StepTools
  const { findings, models } = await portraitMatch.run(subject, tools)
  return { finding: findings[0], findings, models }
}

describe('a portrait compared with the document', () => {
  test('matches on the decision threshold, with everything a verdict is defended by', async () => {
    const { finding, models } = await run(comparisonAt(3), true)
    expect(finding).toEqual({
      check: 'BIOMETRIC_MATCHING_CHECK',
      outcome: 'passed',
      measured: {
        zone: 'match',
        score: 3,
        measure: 'fused-z',
        threshold: 3,
        reviewThreshold: 2,
        reviewOperatingPoint: 'review',
        fmr: 0.0005,
        fnmr: 0.04,
        source: 'made up',
        measuredFmr: 0.00025,
        measuredFmrLow: 0,
        measuredFmrHigh: 0.0005,
        measuredFnmr: 0.03,
        measuredFnmrLow: 0.02,
        measuredFnmrHigh: 0.05,
        measuredOn: '4 people',
        engine: 'engine 4',
        operatingPoint: 'decision',
        pictures: 3,
        'score:network': 3,
      },
    })
    expect(models).toEqual([model])
  })

  test('stays open after a failure of the engine, which is named with its hash', async () => {
    const failure = { engine: { id: 'acme', version: '7', sha256: 'cd' }, trouble: 'unreachable' }
    const tools = {
      comparison: async () => ({ comparison: null, failure, probesUsed: 0 }),
    } as unknown as StepTools
    const subject = { family: 'PORTRAIT', image: new Uint8Array(1) } as PortraitSubject
    expect(await portraitMatch.run(subject, tools)).toEqual({
      findings: [
        {
          check: 'BIOMETRIC_MATCHING_CHECK',
          outcome: 'inconclusive',
          measured: { engine: 'acme 7', engineTrouble: 'unreachable' },
        },
      ],
      models: [failure.engine],
    })
  })

  test('goes to a person from the review threshold up, where the tenant has one', async () => {
    for (const score of [2, 2.999]) {
      const { finding } = await run(comparisonAt(score), true)
      expect(finding).toMatchObject({ outcome: 'inconclusive', refers: true, measured: { zone: 'review' } })
      expect(finding.errors).toBeUndefined()
    }
  })

  test('in the review zone is no match without adjudication, and the finding names the zone', async () => {
    for (const score of [2, 2.999]) {
      const { finding } = await run(comparisonAt(score))
      expect(finding).toMatchObject({
        outcome: 'failed',
        errors: [{ code: '1600' }],
        measured: { zone: 'review' },
      })
    }
  })

  test('below the review threshold is no match, even if an adjudicator is available', async () => {
    for (const may of [true, false]) {
      const { finding } = await run(comparisonAt(1.999), may)
      expect(finding).toMatchObject({
        outcome: 'failed',
        errors: [{ code: '1600' }],
        measured: { zone: 'no-match' },
      })
    }
  })

  test('without a reference, or with a reference without a face, is not compared', async () => {
    for (const nothing of [undefined, null]) {
      const { findings, models } = await run(nothing, true)
      // There is none yet, or its face could not be used.
      const pending = nothing === undefined ? ['PORTRAIT_REFERENCE'] : []
      const undecided = [...pending, 'BIOMETRIC_MATCHING_CHECK'].map((check) => ({
        check,
        outcome: 'inconclusive',
      }))
      expect(findings).toEqual(undecided)
      expect(models).toEqual([])
    }
  })
})

describe('evidence between match and no match', () => {
  const between = {
    ...scriptedVision(),
    compareFaces: async (input: Parameters<ReturnType<typeof scriptedVision>['compareFaces']>[0]) => ({
      ...(await scriptedVision().compareFaces(input)),
      comparison: comparisonAt(2.5),
    }),
  }
  const clients: ProofingClient[] = []
  const start = async (adjudication: boolean) => {
    const tenant = {
      id: 'default',
      name: 'Bank',
      mode: 'test',
      policy: 'default',
      features: { adjudication },
    }
    const client = await startProofing({ tenant }, between)
    clients.push(client)
    const id = await client.anIdentity()
    await client.document(id, aPassport())
    const evidenceId = await client.portrait(id, picture({ shows: 'person', face: 'A' }))
    return { client, id, evidenceId }
  }
  let asked: Awaited<ReturnType<typeof start>>
  beforeAll(async () => void (asked = await start(true)))
  afterAll(() => Promise.all(clients.map(({ app }) => app.close())))

  // @clause AI-ACT/oversight
  test('is sent to an adjudicator by the appliance, and undecided until the answer', async () => {
    const { client, id, evidenceId } = asked
    expect((await client.identity(id)).portrait?.evidenceStatus).toMatchObject({
      status: 'ADJUDICATION',
      score: 'LEVEL0',
      isAdjudicable: false,
    })
    const path = `/v1/identities/${id}/adjudications/${evidenceId}`
    expect(await client.ask('AdjudicationAnswer', 'GET', path)).toMatchObject({ status: 'TO_PROCESS' })
    expect(client.events(id)).toContainEqual([
      'adjudication.requested',
      expect.objectContaining({ evidenceId, status: 'TO_PROCESS' }),
    ])
    const decided = client.events(id).filter(([type]) => type === 'evidence.decided')
    expect(decided.some(([, body]) => 'evidenceId' in body && body.evidenceId === evidenceId)).toBe(false)
  })

  test('is not verified if no adjudicator answers in time', async () => {
    const { client, id } = asked
    await client.passTime(48 * 3_600_000)
    expect((await client.identity(id)).portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      unverifiedIndicators: expect.arrayContaining(['BIOMETRIC_MATCHING_CHECK_UNVERIFIED']) as string[],
    })
  })

  test('is invalid where the tenant has no people who look', async () => {
    const { client, id } = await start(false)
    expect((await client.identity(id)).portrait?.evidenceStatus).toMatchObject({
      status: 'INVALID',
      errors: [{ code: '1600' }],
    })
  })
})
