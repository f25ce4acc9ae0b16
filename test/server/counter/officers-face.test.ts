/** A face that the officer takes in place of the machine: it counts by the officer's statement alone. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AssistView } from '../../../server/counter/contract/assist.ts'
import type { ProofingDetail } from '../../../server/counter/contract/today.ts'
import type { CounterApp, CounterBrowser } from '../../support/counter.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { anAssisted, photographFace, sendDocument, startWork } from './work.ts'

const CANNOT_TURN = { withoutTurning: true, exceptions: ['CANNOT_TURN'] }

let counter: CounterApp
let officer: CounterBrowser
beforeAll(async () => {
  counter = await startWork()
  officer = await counter.signedIn('officer')
})
afterAll(() => counter.close())

/** Up to the verified face of a live session. */
async function withFace(wish: object): Promise<AssistView> {
  const { visitId } = await anAssisted(counter, officer)
  await sendDocument(counter, officer, visitId, aPassport())
  return photographFace(counter, officer, visitId, { wish })
}
async function checked(visitId: string): Promise<AssistView> {
  await counter.app.runJobs()
  return (await officer.call<AssistView>('GET', `assist/${visitId}`)).body
}
async function finish({ visitId }: AssistView) {
  return (await officer.call<AssistView>('POST', `assist/${visitId}/finish`, { notConfirmed: true })).body
    .result?.outcome
}

test('a live face without turning shows no person until the officer states it, and then does', async () => {
  const view = await withFace(CANNOT_TURN)
  expect(view.officerTakes).toEqual({ withoutColours: true, withoutTurning: true })
  expect(view.portrait).toMatchObject({ status: 'VERIFIED', needsStatement: true, attendance: null })
  expect(view.level).toMatchObject({ reached: 'LOA1', presenceShown: false })
  const path = `assist/${view.visitId}/evidences/${view.portrait?.evidenceId ?? ''}/attendance`
  expect((await officer.call('POST', path, { present: true, exceptions: ['CANNOT_TURN'] })).status).toBe(200)
  const attended = await checked(view.visitId)
  expect(attended.level.presenceShown).toBe(true)
  expect(await finish(attended)).toBe('CONFIRMED')
})

test('without the statement such a face confirms no person', async () => {
  expect(await finish(await withFace(CANNOT_TURN))).toBe('NOT_CONFIRMED')
})

test('a live face taken as usual needs no statement, and its capture is the officer’s in the history', async () => {
  const view = await withFace({})
  const { body } = await officer.call<ProofingDetail>('GET', `proofings/${view.identityId ?? ''}`)
  const captures = body.timeline.filter(({ what }) => what.startsWith('session.'))
  expect(captures.map(({ what }) => what)).toEqual([
    ...['session.opened', 'session.ended'],
    ...['session.opened', 'session.ended'],
  ])
  expect(new Set(captures.map(({ who }) => who)).size).toBe(1)
  expect(view.portrait).toMatchObject({ status: 'VERIFIED', needsStatement: false })
  expect(await finish(view)).toBe('CONFIRMED')
})
