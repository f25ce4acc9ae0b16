/** An officer who assists the person of the demonstration at the counter, over the console's own HTTP interface. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { TOTP } from 'otpauth'
import type { AssistView, ConsentDisplay, OpenedCapture } from '../../counter/contract/assist.ts'
import type { TotpOffer } from '../../counter/contract/staff.ts'
import { captureLive, SIMULATED_CAMERA, type Holder } from './live-session.ts'
import { RUN } from './server-process.ts'

const LOGIN = 'demo'
/** The features of a passport that the officer must have examined (resources/attended.json). */
const EXAMINED = ['EDGES', 'BINDING', 'PHOTO_SURFACE', 'TILT_IMAGE']
const POLL_MS = 200
const MAX_POLLS = 450

export interface AttendedVisit {
  readonly identityId: string
  readonly visitId: string
}

export interface Officer {
  /** Begins a visit to which the person consents on the display. */
  begin(): Promise<AttendedVisit>
  /** Photographs the document with the simulated camera. Returns its status. */
  photographDocument(visit: AttendedVisit, photograph: string, country: string): Promise<string>
  /** Inspects the photographed document in the hand. Returns its status. */
  inspectDocument(visit: AttendedVisit): Promise<string>
  /** Reads the chip of the document on the reader. Returns the document's status with it, or the state of a reading that failed. */
  readChip(visit: AttendedVisit): Promise<string>
  /** Photographs the person, and states that the officer saw it. Returns the portrait's status. */
  photographPerson(visit: AttendedVisit, holder: Holder): Promise<string>
}

/** Creates the account on a running appliance, chooses password and authenticator app, and signs in. */
export async function signInOfficer(serverUrl: string, dataDir: string): Promise<Officer> {
  const origin = serverUrl.replace('127.0.0.1', 'localhost')
  const cookies = new Map<string, string>()

  const send = async (path: string, headers: Record<string, string>, body?: object): Promise<Response> => {
    const response = await fetch(`${origin}/counter/api/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-counterproof': 'counter', 'content-type': 'application/json', origin, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // An answer may contain values of the person.
    if (!response.ok) throw new Error(`the counter answered ${response.status} to ${path.split('/')[0]}`)
    return response
  }
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await send(path, { cookie }, body)
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    const text = await response.text()
    return (text === '' ? null : JSON.parse(text)) as T
  }
  const view = ({ visitId }: AttendedVisit): Promise<AssistView> => call(`assist/${visitId}`)

  /** Polls the visit until `read` returns evidence that is not processed any more. */
  const waitFor = async (
    visit: AttendedVisit,
    read: (view: AssistView) => Decided | undefined,
  ): Promise<Decided> => {
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      const found = read(await view(visit))
      if (found && found.status !== 'PROCESSING') return found
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    throw new Error('the counter is still processing after 90 seconds')
  }
  const attend = async (visit: AttendedVisit, { evidenceId }: Decided, statement: object): Promise<void> => {
    await call(`assist/${visit.visitId}/evidences/${evidenceId}/attendance`, statement)
  }
  const readDocument = ({ documents }: AssistView): Decided | undefined => documents.at(-1)
  /** Undefined while the reading runs. */
  const readReading = ({ documents }: AssistView): Decided | undefined => {
    const { evidenceId = '', chip = null } = documents.at(-1) ?? {}
    const state = chip?.reading?.state
    return state && !isReading(state) ? { evidenceId, status: state } : undefined
  }
  const readPortrait = ({ portrait }: AssistView): Decided | undefined => portrait ?? undefined

  await setUp(dataDir, call)
  return {
    async begin() {
      const { visitId } = await call<AssistView>('assist/begin', { language: 'en' })
      const wish = { display: 'SECOND', language: 'en' }
      const { token } = await call<ConsentDisplay>(`assist/${visitId}/consent-display`, wish)
      const presentation = { language: 'en', readAll: true, listened: false }
      await send('display/consent', { authorization: `Bearer ${token}` }, { approved: true, presentation })
      const { identityId } = await call<AssistView>(`assist/${visitId}`)
      if (identityId === null) throw new Error('the consent made no identity')
      return { identityId, visitId }
    },
    async photographDocument(visit, photograph, country) {
      const wish = { country, documentType: 'PASSPORT' }
      const { sessionId } = await call<OpenedCapture>(`assist/${visit.visitId}/document/session`, wish)
      const form = new FormData()
      const bytes = new Uint8Array(await readFile(photograph))
      form.append('DocumentFront', new Blob([bytes], { type: 'image/jpeg' }), 'front.jpg')
      form.append('CaptureDetails', JSON.stringify({ camera: SIMULATED_CAMERA, pretendedCamera: true }))
      const response = await fetch(`${serverUrl}/capture/sessions/${sessionId}/document`, {
        method: 'POST',
        body: form,
      })
      if (!response.ok) throw new Error(`the capture session answered ${response.status}`)
      return (await waitFor(visit, readDocument)).status
    },
    async inspectDocument(visit) {
      const answers = Object.fromEntries(EXAMINED.map((feature) => [feature, 'AS_IT_SHOULD']))
      await attend(visit, await waitFor(visit, readDocument), { present: true, answers })
      return (await waitFor(visit, readDocument)).status
    },
    async readChip(visit) {
      const { evidenceId } = await waitFor(visit, readDocument)
      await call(`assist/${visit.visitId}/chip`, { evidenceId })
      const reading = await waitFor(visit, readReading)
      return reading.status === 'ENDED' ? (await waitFor(visit, readDocument)).status : reading.status
    },
    async photographPerson(visit, holder) {
      const { sessionId } = await call<OpenedCapture>(`assist/${visit.visitId}/portrait/session`, {})
      await captureLive(serverUrl, sessionId, await holder(), () => undefined)
      await attend(visit, await waitFor(visit, readPortrait), { present: true })
      return (await waitFor(visit, readPortrait)).status
    },
  }
}

const isReading = (state: string): boolean => ['WAITING', 'READING', 'LOST'].includes(state)

interface Decided {
  readonly evidenceId: string
  readonly status: string
}

async function setUp(dataDir: string, call: <T>(path: string, body?: object) => Promise<T>): Promise<void> {
  const account = ['--login', LOGIN, '--name', 'Demo Officer', '--role', 'officer']
  const argv = [RUN, 'staff', 'create', ...account, '--data', dataDir, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, argv)
  const { setUpCode } = JSON.parse(stdout) as { setUpCode: string }
  await call('session/set-up', { login: LOGIN, code: setUpCode })
  await call('me/password', { password: randomBytes(18).toString('base64url') })
  const offer = await call<TotpOffer>('me/totp', {})
  const app = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: offer.secret })
  await call('me/totp/confirm', { code: app.generate() })
  await call('me/recovery-codes', {})
  await call('session/set-up/done', {})
}
