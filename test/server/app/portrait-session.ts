/** Portrait sessions on a whole appliance with scripted pictures: opened by a relying service, acted before the camera. */
import type { PortraitGuidance } from '../../../server/api/contract/capture.ts'
import type { OwnLivenessRecord } from '../../../server/proofing/liveness/types.ts'
import { liveActor, type Actor, type ActorOptions } from '../../support/live-actor.ts'
import { liveClient, type LiveClient } from '../../support/live-client.ts'
import type { WholeApp } from './whole-app.ts'

export const FRAME_MS = 100
/** Longer than any course. */
const MAX_FRAMES = 800

export interface OpenSession {
  readonly id: string
  readonly evidenceId: string
  readonly sessionId: string
  readonly client: LiveClient
}

export interface SessionOptions extends ActorOptions {
  /** An identity that is there already. */
  readonly id?: string
  readonly payload?: object
  readonly mode?: 'webSDK' | 'nativeSDK'
}

export async function openSession(app: WholeApp, options: SessionOptions = {}): Promise<OpenSession> {
  const { payload = {}, mode = 'webSDK' } = options
  const id = options.id ?? (await app.anIdentity())
  const path = `/v1/identities/${id}/attributes/portrait/capture-session?mode=${mode}`
  const { id: evidenceId, sessionId } = await app.ask('PortraitSessionAnswer', 'POST', path, { payload })
  return { id, evidenceId, sessionId, client: liveClient(latest(app), sessionId) }
}

/** Also after a restart. */
function latest(app: WholeApp): Pick<WholeApp['app'], 'call'> {
  return { call: (...call) => app.app.call(...call) }
}

/** Continues until the session has ended, or this many pictures were sent. */
export async function act(
  app: WholeApp,
  client: LiveClient,
  actor: Actor = liveActor(),
  frames = MAX_FRAMES,
): Promise<PortraitGuidance> {
  for (let sent = 0; sent < frames; sent++) {
    app.tick(FRAME_MS)
    const { status, body } = await client.send(actor.picture(client.due.prompt, FRAME_MS))
    if (status !== 200) throw new TypeError(`refused with ${status}`)
    if (body.state === 'ENDED') return body
  }
  if (frames === MAX_FRAMES) throw new TypeError('the session never ended')
  return client.due
}

/** Runs a session from its opening to its verdict. */
export async function capturePortrait(app: WholeApp, options: SessionOptions = {}) {
  const session = await openSession(app, options)
  await session.client.begin()
  const ended = await act(app, session.client, liveActor(options))
  await app.app.runJobs()
  return { ...session, ended, portrait: await portraitOf(app, session.id) }
}

export async function portraitOf(app: WholeApp, id: string) {
  return (await app.ask('Identity', 'GET', `/v1/identities/${id}`)).portrait?.evidenceStatus
}

export function recordOf({ app }: WholeApp, evidenceId: string): OwnLivenessRecord | undefined {
  return app.appliance.store.evidences.find(evidenceId)?.content.liveness as OwnLivenessRecord | undefined
}

/** Kind and number of each picture that is kept. */
export function picturesOf({ app }: WholeApp, evidenceId: string) {
  const { images } = app.appliance.store
  const all = [...images.listByEvidence(evidenceId), ...images.listFrames(evidenceId)]
  return all.map(({ kind, frame = 0 }) => [kind, frame])
}
