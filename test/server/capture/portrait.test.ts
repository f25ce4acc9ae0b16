/** A portrait session over HTTP: what the client is told, what ends the session, and what is kept of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PortraitGuidance } from '../../../server/capture/contract.ts'
import type { OwnLivenessRecord } from '../../../server/proofing/liveness/types.ts'
import { liveActor, type Actor, type ActorOptions } from '../../support/live-actor.ts'
import { liveClient, type LiveClient } from '../../support/live-client.ts'
import { startWholeApp, type WholeApp } from '../app/whole-app.ts'

const FRAME_MS = 100
/** Longer than any course. */
const MOST_FRAMES = 800

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp()
})
beforeEach(() => {
  app.see()
})
afterAll(() => app.close())

async function openSession(payload: object = {}, mode = 'webSDK') {
  const id = await app.anIdentity()
  const path = `/v1/identities/${id}/attributes/portrait/capture-session?mode=${mode}`
  const { id: evidenceId, sessionId } = await app.ask('PortraitSessionAnswer', 'POST', path, { payload })
  return { id, evidenceId, sessionId, client: liveClient(app.app, sessionId) }
}

/** Goes on until the session has ended, or `until` says so. */
async function act(
  client: LiveClient,
  actor: Actor = liveActor(),
  until: (frames: number) => boolean = () => false,
): Promise<PortraitGuidance> {
  for (let frames = 0; frames < MOST_FRAMES; frames++) {
    if (until(frames)) return client.due
    app.tick(FRAME_MS)
    const { status, body } = await client.send(actor.picture(client.due.prompt, FRAME_MS))
    if (status !== 200) throw new TypeError(`refused with ${status}`)
    if (body.state === 'ENDED') return body
  }
  throw new TypeError('the session never ended')
}

async function sessionWith(payload: object, options: ActorOptions = {}, mode = 'webSDK') {
  const session = await openSession(payload, mode)
  await session.client.begin()
  const ended = await act(session.client, liveActor(options))
  await app.app.runJobs()
  return { ...session, ended, portrait: await portraitOf(session.id) }
}

const portraitOf = async (id: string) =>
  (await app.ask('Identity', 'GET', `/v1/identities/${id}`)).portrait?.evidenceStatus
const recordOf = (evidenceId: string) =>
  app.app.appliance.store.evidences.find(evidenceId)?.content.liveness as OwnLivenessRecord | undefined
const imagesOf = (evidenceId: string) => {
  const { images } = app.app.appliance.store
  return [...images.listByEvidence(evidenceId), ...images.listFrames(evidenceId)].map(
    ({ kind, frame = 0 }) => [kind, frame],
  )
}
const stateOf = (sessionId: string) => app.app.appliance.store.captureSessions.find(sessionId)?.state

describe('a session of a live person', () => {
  test.each([
    ['LIVENESS_PASSIVE', 'webSDK'],
    ['LIVENESS_PASSIVE_VIDEO', 'webSDK'],
    ['LIVENESS_ACTIVE', 'webSDK'],
  ])('%s ends without errors: live, and no reference yet', async (type, mode) => {
    const { ended, portrait, evidenceId, sessionId } = await sessionWith({ type }, {}, mode)
    expect(ended).toEqual({
      state: 'ENDED',
      evidence: { status: 'PROCESSING', type: 'PORTRAIT', id: evidenceId },
    })
    expect(portrait).toMatchObject({ status: 'NOT_VERIFIED', errors: [] })
    expect(stateOf(sessionId)).toBe('DONE')
    expect(imagesOf(evidenceId)).toEqual([
      ['PORTRAIT', 0],
      ['DOCUMENT_CROP', 0],
      ...[1, 2, 3, 4].map((frame) => ['PORTRAIT', frame]),
    ])
    expect(recordOf(evidenceId)).toMatchObject({
      livenessType: type,
      breach: null,
      trace: { end: 'COMPLETE' },
    })
  })
})
