/** Whatever adjudicators, a service and the clock do in whatever order: no state that the table does not allow. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AdjudicationStatus } from '../../../server/proofing/types.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { ANSWER_SECRET_FILE, ANSWERS_CONFIG, sendAnswer } from '../../support/adjudication-service.ts'
import { startDesk, type Desk, type OpenCase } from './adjudicators.ts'

const MINUTE_MS = 60_000
const RUNS = 60
/** One seed for every run of the suite; `PROPERTY_SEED` looks further. A failure prints the one it had. */
const SEED = Number(process.env.PROPERTY_SEED ?? '20261121')
const PEOPLE = ['anna', 'ben', 'cleo', 'officer'] as const
const DECISIONS = {
  ACCEPTED: 'DATA_LEGIBLE_TO_EYE',
  REJECTED: 'DOCUMENT_TAMPERED',
  UNSURE: 'SPECIALIST_NEEDED',
} as const
type Decision = keyof typeof DECISIONS

/** Two people have to accept. */
let desk: Desk
beforeAll(async () => {
  const tenant = {
    id: 'default',
    name: 'First run',
    mode: 'test',
    policy: 'eidas',
    features: { pauseResume: true },
  }
  desk = await startDesk(
    {
      tenant,
      rateLimits: { relyingServicePerMinute: 1_000_000 },
      connectors: { adjudication: ANSWERS_CONFIG },
    },
    ANSWER_SECRET_FILE,
  )
})
afterAll(() => desk.app.close())

/** Written out by hand: what one call, or the clock, may do to a request. */
const MOVES: Readonly<Record<AdjudicationStatus, readonly AdjudicationStatus[]>> = {
  // A service claims and answers in one.
  TO_PROCESS: ['PROCESSING', 'ACCEPTED', 'REJECTED', 'UNSURE', 'ERROR', 'TIME_OUT'],
  // A claimed case returns to its former state, or is decided.
  PROCESSING: ['TO_PROCESS', 'ACCEPTED', 'REJECTED', 'UNSURE', 'ERROR', 'TIME_OUT'],
  UNSURE: ['PROCESSING', 'ACCEPTED', 'REJECTED', 'ERROR', 'TIME_OUT'],
  ACCEPTED: [],
  REJECTED: [],
  ERROR: [],
  TIME_OUT: [],
}
const EVIDENCE = {
  TO_PROCESS: 'ADJUDICATION',
  PROCESSING: 'ADJUDICATION',
  UNSURE: 'ADJUDICATION',
  ACCEPTED: 'VERIFIED',
  REJECTED: 'INVALID',
  ERROR: 'NOT_VERIFIED',
  TIME_OUT: 'NOT_VERIFIED',
} as const

/** `judge`: claims and decides. As often as they stand here. */
const WEIGHTED = [
  ...(['judge', 'judge', 'judge', 'judge', 'claim', 'claim', 'decide', 'decide'] as const),
  ...(['release', 'service', 'error', 'wait', 'wait', 'tick', 'resume'] as const),
] as const

interface Act {
  readonly what: (typeof WEIGHTED)[number]
  readonly who: (typeof PEOPLE)[number]
  readonly decision: Decision
  readonly minutes: number
}
const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...WEIGHTED),
    who: fc.constantFrom(...PEOPLE),
    decision: fc.constantFrom('ACCEPTED', 'ACCEPTED', 'ACCEPTED', 'UNSURE', 'REJECTED'),
    minutes: fc.constantFrom(1, 11, 21, 3000),
  }),
  { minLength: 1, maxLength: 14 },
)

async function carryOut({ id, adjudicationId }: OpenCase, act: Act): Promise<void> {
  const post = (what: string, payload: object) =>
    desk.app.json('POST', `/v1/adjudications/${adjudicationId}/${what}`, { payload })
  const { what, who: adjudicator, decision, minutes } = act
  const reason = DECISIONS[decision]
  const answer = (data: object) => sendAnswer(desk.app.url, { adjudicationId, ...data }, { at: desk.now() })
  switch (what) {
    case 'claim':
    case 'release':
      return void (await post(what, { adjudicator }))
    case 'judge':
      await post('claim', { adjudicator })
      return void (await post('decision', { adjudicator, decision, reason }))
    case 'decide':
      return void (await post('decision', { adjudicator, decision, reason }))
    case 'service':
      return void (await answer({ adjudicator: `expert-${adjudicator}`, decision, reason }))
    case 'error':
      return void (minutes > 1000 && (await answer({ decision: 'ERROR' })))
    case 'wait':
      return desk.passTime(minutes * MINUTE_MS)
    case 'tick':
      return desk.tick(minutes * MINUTE_MS)
    case 'resume':
      return void (await desk.app.call('GET', `/v1/identities/${id}/resume`))
  }
}

function look({ id, evidenceId, adjudicationId }: OpenCase) {
  const { store } = desk.app.appliance
  const request = store.adjudications.find(adjudicationId)
  const evidence = store.evidences.find(evidenceId)
  const decisions = store.adjudicationDecisions.list(adjudicationId)
  const status = request?.status ?? 'ERROR'
  return { status, request, evidence, decisions, identity: store.identities.find(APPLIANCE, id) }
}

test('no sequence of calls and hours leads where the table does not', { timeout: 240_000 }, async () => {
  const reached = new Set<string>()
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const open = await desk.aDocumentCase({ headers: { 'officer-id': 'officer' } })
      let before = look(open)
      for (const act of sequence) {
        await carryOut(open, act)
        const after = look(open)
        reached.add(after.status)
        if (after.status !== before.status) expect(MOVES[before.status]).toContain(after.status)
        // Nothing that was decided is ever taken back or changed.
        expect(after.decisions.slice(0, before.decisions.length)).toEqual(before.decisions)
        expect(after.decisions.length - before.decisions.length).toBeLessThanOrEqual(1)
        if (MOVES[before.status].length === 0) expect(after.request).toEqual(before.request)
        expect(after.evidence?.status).toBe(EVIDENCE[after.status])
        expect(after.request?.claim === null).toBe(after.status !== 'PROCESSING')

        const people = after.decisions.map(({ adjudicator }) =>
          adjudicator.kind === 'SERVICE' ? 'service' : adjudicator.id,
        )
        expect(new Set(people).size).toBe(people.length)
        expect(people).not.toContain('officer')
        const accepted = after.decisions.filter(({ decision }) => decision === 'ACCEPTED').length
        const rejected = after.decisions.filter(({ decision }) => decision === 'REJECTED').length
        expect(after.status === 'ACCEPTED').toBe(accepted >= 2)
        expect(after.status === 'REJECTED').toBe(rejected > 0)
        before = after
      }
    }),
    { numRuns: RUNS, seed: SEED },
  )
  // The runs are worth nothing unless they came about.
  expect([...reached].sort()).toEqual(
    expect.arrayContaining([
      'ACCEPTED',
      'ERROR',
      'PROCESSING',
      'REJECTED',
      'TIME_OUT',
      'TO_PROCESS',
      'UNSURE',
    ]),
  )
})

test('exactly one of several simultaneous decisions wins', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<Decision>('ACCEPTED', 'REJECTED', 'UNSURE'), { minLength: 2, maxLength: 6 }),
      fc.boolean(),
      async (decisions, withService) => {
        const open = await desk.aDocumentCase()
        await desk.claim(open.adjudicationId, 'anna')
        const payloads = decisions.map((decision) => ({
          adjudicator: 'anna',
          decision,
          reason: DECISIONS[decision],
        }))
        const answers = await Promise.all([
          ...payloads.map((payload) =>
            desk.app.call('POST', `/v1/adjudications/${open.adjudicationId}/decision`, { payload }),
          ),
          // Anna has it: the service comes too early, or after her.
          ...(withService
            ? [carryOut(open, { what: 'service', who: 'ben', decision: 'UNSURE', minutes: 1 })]
            : []),
        ])
        const won = answers.filter((answer) => answer?.status === 200)
        expect(won).toHaveLength(1)
        const { decisions: made } = look(open)
        expect(made.filter(({ adjudicator }) => adjudicator.id === 'anna')).toHaveLength(1)
      },
    ),
    { numRuns: 15, seed: SEED },
  )
})
