/** A counter with staff, an applicant who agrees on a separate display, and cases for the desk. */
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'
import type { AssistView, ConsentDisplay, OpenedCapture } from '../../../server/counter/contract/assist.ts'
import { liveActor } from '../../support/live-actor.ts'
import { liveClient } from '../../support/live-client.ts'
import { visionInDoubt } from '../app/adjudicators.ts'
import { picture } from '../app/scripted-vision.ts'

/** The holder of `aPassport`. */
export const FACE = picture({ shows: 'person', face: 'A' })

export function startWork(config: object = {}, startsAt = new Date()): Promise<CounterApp> {
  return startCounterApp({ config, vision: visionInDoubt(), startsAt })
}

/** The calls of the applicant's display: without an officer's cookie. */
export async function onDisplay(
  { origin }: CounterApp,
  token: string,
  method: 'GET' | 'POST',
  answer?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${origin}/counter/api/display/consent`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-counterproof': 'counter',
      ...(method === 'POST' ? { origin, 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(answer === undefined ? {} : { body: JSON.stringify(answer) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}

export const YES = { approved: true, presentation: { language: 'en', readAll: false, listened: false } }

/** Begun, and agreed to by the person. */
export async function anAssisted(counter: CounterApp, officer: CounterBrowser): Promise<AssistView> {
  const { body: begun } = await officer.call<AssistView>('POST', 'assist/begin', { language: 'en' })
  const { body: asked } = await officer.call<ConsentDisplay>(
    'POST',
    `assist/${begun.visitId}/consent-display`,
    { display: 'SECOND', language: 'en' },
  )
  await onDisplay(counter, asked.token, 'POST', YES)
  const { body } = await officer.call<AssistView>('GET', `assist/${begun.visitId}`)
  return body
}

/** A passport before the camera of the counter's computer, up to its verdict. */
export async function sendDocument(
  counter: CounterApp,
  officer: CounterBrowser,
  visitId: string,
  front: Uint8Array,
): Promise<AssistView> {
  const wish = { country: 'UTO', documentType: 'PASSPORT' }
  const { body: opened } = await officer.call<OpenedCapture>(
    'POST',
    `assist/${visitId}/document/session`,
    wish,
  )
  const form = new FormData()
  form.append('DocumentFront', new Blob([front as BlobPart], { type: 'image/jpeg' }), 'front.jpg')
  const path = `/capture/sessions/${opened.sessionId}/document`
  const { status } = await counter.app.json('POST', path, { key: null, body: form })
  if (status !== 200) throw new Error(`${path} answered ${status}`)
  await counter.app.runJobs()
  return (await officer.call<AssistView>('GET', `assist/${visitId}`)).body
}

export function sendPortrait(
  counter: CounterApp,
  officer: CounterBrowser,
  visitId: string,
  image: Uint8Array,
): Promise<AssistView> {
  return send(
    counter,
    officer,
    `assist/${visitId}/portrait/file`,
    new Blob([image as BlobPart], { type: 'image/jpeg' }),
  )
}

const FRAME_MS = 100
/** Longer than any challenge sequence. */
const MAX_FRAMES = 800

/** A face before the counter's camera, up to its verdict. */
export async function photographFace(
  counter: CounterApp,
  officer: CounterBrowser,
  visitId: string,
  { wish = {}, face = 'A' }: { readonly wish?: object; readonly face?: string } = {},
): Promise<AssistView> {
  const { body: opened } = await officer.call<OpenedCapture>(
    'POST',
    `assist/${visitId}/portrait/session`,
    wish,
  )
  const client = liveClient(counter.app, opened.sessionId)
  const actor = liveActor({ face })
  await client.begin()
  for (let sent = 0; sent < MAX_FRAMES; sent++) {
    counter.tick(FRAME_MS)
    const { body } = await client.send(actor.picture(client.due.prompt, FRAME_MS))
    if (body.state === 'ENDED') break
  }
  await counter.app.runJobs()
  return (await officer.call<AssistView>('GET', `assist/${visitId}`)).body
}

async function send(
  { app, origin }: CounterApp,
  { cookie }: CounterBrowser,
  path: string,
  body: BodyInit,
): Promise<AssistView> {
  const response = await fetch(`${origin}/counter/api/${path}`, {
    method: 'POST',
    headers: { origin, 'x-counterproof': 'counter', cookie: cookie ?? '' },
    body,
  })
  if (response.status !== 200)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  await app.runJobs()
  return (await response.json()) as AssistView
}
