/** After a take-over: an officer cannot attest a kiosk's captures, but can inspect the document by hand. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import type { AssistView } from '../../../server/counter/contract/assist.ts'
import type { DeskQueue } from '../../../server/counter/contract/desk.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { documentForm, portraitForm } from '../../support/app.ts'
import type { CounterApp, CounterBrowser } from '../../support/counter.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { HARD_TO_READ } from '../app/adjudicators.ts'
import { FACE, photographFace, sendDocument, startWork } from './work.ts'

let counter: CounterApp
let officer: CounterBrowser
beforeAll(async () => {
  counter = await startWork()
  officer = await counter.signedIn('officer')
})
afterAll(() => counter.close())

const store = () => counter.app.appliance.store

/** An applicant who showed passport and face at a kiosk and then called for help. */
async function takenOver(passport = aPassport()): Promise<AssistView> {
  const { app } = counter
  const { body: made } = await app.json('POST', '/v1/identities', { payload: {} })
  const identityId = (made as { id: string }).id
  const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
  await app.call('POST', `/v1/identities/${identityId}/consents`, { payload })
  await app.call('POST', `/v1/identities/${identityId}/id-documents/capture`, {
    body: documentForm(passport),
  })
  await app.runJobs()
  await app.call('POST', `/v1/identities/${identityId}/attributes/portrait/capture`, {
    body: portraitForm(FACE),
  })
  await app.runJobs()
  const visitId = uuidv7()
  store().visits.add({
    id: visitId,
    identityId,
    channel: 'KIOSK',
    journey: 'default/1',
    language: 'en',
    reference: null,
    step: 'portrait',
    startedAt: counter.now(),
    endedAt: null,
    outcome: null,
    helpAskedAt: counter.now(),
    helpAnswer: null,
    takenOverBy: null,
  })
  const { status, body } = await officer.call<AssistView>('POST', 'assist/take-over', { helpCall: visitId })
  expect(status).toBe(200)
  return body
}

const get = async (visitId: string): Promise<AssistView> =>
  (await officer.call<AssistView>('GET', `assist/${visitId}`)).body

const LOOKED_AT = Object.fromEntries(
  ['EDGES', 'BINDING', 'PHOTO_SURFACE', 'TILT_IMAGE'].map((id) => [id, 'AS_IT_SHOULD']),
)
const IN_HAND = { present: false, sameDocument: true, answers: LOOKED_AT }
const PRESENT = { present: true, answers: LOOKED_AT }

async function attest(visitId: string, evidenceId: string, body: object) {
  const answer = await officer.call('POST', `assist/${visitId}/evidences/${evidenceId}/attendance`, body)
  await counter.app.runJobs()
  return answer
}

const positiveOf = (evidenceId: string) => store().evidences.find(evidenceId)?.evaluation.positiveIndicators
const refusalOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { errors?: { code: string }[] }).errors?.[0]?.code,
]

describe('a document that a kiosk captured', () => {
  test('is shown as captured elsewhere, and cannot be attested as an attended capture', async () => {
    const { visitId, documents, portrait } = await takenOver()
    expect([documents[0].capturedHere, portrait?.capturedHere]).toEqual([false, false])
    const refused = await attest(visitId, documents[0].evidenceId, PRESENT)
    expect(refusalOf(refused)).toEqual([403, 'not_captured_here'])
    expect((await get(visitId)).documents[0]).toMatchObject({ status: 'VERIFIED', attendance: null })
  })

  test('is inspected in hand: that counts as an inspection, never as an attended capture', async () => {
    const { visitId, documents, level } = await takenOver()
    const [{ evidenceId }] = documents
    expect((await attest(visitId, evidenceId, IN_HAND)).status).toBe(200)
    const view = await get(visitId)
    expect(view.documents[0]).toMatchObject({ status: 'VERIFIED', attendance: { seen: 'IN_HAND' } })
    const positive = positiveOf(evidenceId)
    expect(positive).toContain('TACTILE_INSPECTION_OK')
    expect(positive).not.toContain('ATTENDED_CAPTURE_OK')
    // No policy raises the level: only the officer states that the pictures show this document.
    expect(view.level.reached).toBe(level.reached)
    const score = store().evidences.find(evidenceId)?.score
    expect(score).toBe(store().evidences.find((await takenOver()).documents[0].evidenceId)?.score)
  })

  test('is no longer verified after the officer has marked a feature in hand as different', async () => {
    const { visitId, documents } = await takenOver()
    const wrong = { ...IN_HAND, answers: { TILT_IMAGE: 'DIFFERENT' } }
    expect((await attest(visitId, documents[0].evidenceId, wrong)).status).toBe(200)
    expect((await get(visitId)).documents[0].status).toBe('NOT_VERIFIED')
  })

  test('is photographed once more: that one is attended and inspected, and the face is compared with it', async () => {
    const { visitId, documents, identityId } = await takenOver()
    const [{ evidenceId: earlier }] = documents
    await sendDocument(counter, officer, visitId, aPassport())
    const here = (await get(visitId)).documents.find(({ capturedHere }) => capturedHere)
    expect(here?.status).toBe('VERIFIED')
    expect((await attest(visitId, here?.evidenceId ?? '', PRESENT)).status).toBe(200)
    const { portrait } = await photographFace(counter, officer, visitId)
    expect(portrait?.capturedHere).toBe(true)
    expect((await attest(visitId, portrait?.evidenceId ?? '', { present: true })).status).toBe(200)
    const both = ['ATTENDED_CAPTURE_OK', 'TACTILE_INSPECTION_OK']
    expect(positiveOf(here?.evidenceId ?? '')).toEqual(expect.arrayContaining(both))
    expect(positiveOf(earlier)).not.toContain('ATTENDED_CAPTURE_OK')
    // The face is compared with the picture that was taken here, too: what was attended is not lost for the level.
    const identity = store().identities.find(APPLIANCE, identityId ?? '')
    expect(identity?.portraitReferenceId).toBe(here?.evidenceId)
    // Both stand in the case: the interface knows no withdrawal of a document, and a failed try is part of the record.
    expect((await get(visitId)).documents.map(({ evidenceId }) => evidenceId)).toContain(earlier)
  })

  test.each([
    ['that is perhaps another one', { ...IN_HAND, sameDocument: false }],
    ['with nothing said', { present: false }],
    ['at which the officer did not look', { ...IN_HAND, answers: { EDGES: 'NOT_LOOKED' } }],
    ['with a feature of no list', { ...IN_HAND, answers: { SMELL: 'AS_IT_SHOULD' } }],
  ])('%s is not inspected', async (_, body) => {
    const { visitId, documents } = await takenOver()
    expect((await attest(visitId, documents[0].evidenceId, body)).status).toBe(400)
    expect((await get(visitId)).documents[0].attendance).toBeNull()
  })
})

test('a face that a kiosk captured cannot be attested with any body', async () => {
  const { visitId, portrait } = await takenOver()
  for (const body of [{ present: true }, { present: false, sameDocument: true }, IN_HAND]) {
    expect(refusalOf(await attest(visitId, portrait?.evidenceId ?? '', body))).toEqual([
      403,
      'not_captured_here',
    ])
  }
  expect((await get(visitId)).portrait?.attendance).toBeNull()
})

// @clause NIST-63A-4/3.2.1-insiders
test('who inspected a document decides nothing about its person at the desk', async () => {
  const { visitId, documents, identityId } = await takenOver()
  await attest(visitId, documents[0].evidenceId, IN_HAND)
  const { app } = counter
  const sent = await app.json('POST', `/v1/identities/${identityId ?? ''}/id-documents/capture`, {
    body: documentForm(HARD_TO_READ),
  })
  await app.runJobs()
  const evidenceId = (sent.body as { id: string }).id
  await app.json('POST', `/v1/identities/${identityId ?? ''}/adjudications/${evidenceId}`)
  const id = store().adjudications.latest(evidenceId)?.id ?? ''
  const { body: queue } = await officer.call<DeskQueue>('GET', 'desk')
  expect(queue.cases.find(({ adjudicationId }) => adjudicationId === id)?.refusedBecause).toBe('CAPTURED')
  expect((await officer.call('POST', `desk/${id}/claim`, {})).status).toBe(403)
})

test('no policy counts an inspection of a document whose capture was unattended', () => {
  const folder = join(import.meta.dirname, '../../../resources/policies')
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const lists = files.flatMap((name) => listsIn(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
  const counting = lists.filter((list) => list.includes('TACTILE_INSPECTION'))
  expect(counting.length).toBeGreaterThan(4)
  expect(counting.filter((list) => !list.includes('ATTENDED_CAPTURE'))).toEqual([])
})

/** Every list in a policy: what a rule requires is one. */
function listsIn(value: unknown): (readonly unknown[])[] {
  if (Array.isArray(value)) return [value, ...value.flatMap(listsIn)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listsIn) : []
}
