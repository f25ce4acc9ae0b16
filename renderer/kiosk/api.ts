/**
 * Calls the kiosk's session API. The session itself lives in an HttpOnly cookie that this code cannot read.
 * Failures are reduced to the kinds that the screens have texts for; no error contains a value of the
 * applicant.
 */
import type {
  CheckAnswer,
  ChipStart,
  DetailsAnswer,
  DetailsCheck,
  CheckFieldName,
  ConsentAnswer,
  CountryView,
  DocumentChoice,
  JourneyView,
  LeavingReason,
  OpenedCapture,
  PortraitWish,
  ScreenNotes,
  SkipStep,
  VisitView,
} from '../../server/kiosk/contract/index.ts'

export type CallFailure =
  | 'offline' // no answer, or the server is closing or overloaded
  | 'session-over' // the session ended or expired
  | 'shut-out' // the appliance did not open this window, or no longer accepts it
  | 'taken-over' // an officer continues the visit
  | 'file-refused' // the file is not a readable picture, is too large, or repeats the side before
  | 'full' // too many visits, or too many calls
  | 'closed' // no new visits for now; visits under way continue
  | 'refused' // not allowed in the present step

export class CallFailedError extends Error {
  override readonly name = 'CallFailedError'
  readonly failure: CallFailure
  constructor(failure: CallFailure, options?: ErrorOptions) {
    super(failure, options)
    this.failure = failure
  }
}

export function toFailure(error: unknown): CallFailure {
  return error instanceof CallFailedError ? error.failure : 'offline'
}

export interface KioskApi {
  /** Exchanges the window's secret for its cookie. */
  enterWindow(secret: string): Promise<void>
  journey(): Promise<JourneyView>
  visit(): Promise<VisitView>
  startSession(language: string): Promise<VisitView>
  changeLanguage(language: string): Promise<VisitView>
  endSession(why: LeavingReason): Promise<void>
  /** Null after a refusal: the visit is over. */
  consent(answer: ConsentAnswer): Promise<VisitView | null>
  countries(): Promise<readonly CountryView[]>
  chooseDocument(choice: DocumentChoice): Promise<VisitView>
  letDocumentTell(): Promise<VisitView>
  otherDocument(): Promise<VisitView>
  openDocument(): Promise<OpenedCapture>
  openPortrait(wish: PortraitWish): Promise<OpenedCapture>
  sendFile(step: 'document' | 'portrait', file: Blob): Promise<VisitView>
  crop(field: CheckFieldName): Promise<Blob>
  check(answer: CheckAnswer): Promise<VisitView>
  retake(): Promise<VisitView>
  chip(start: ChipStart): Promise<VisitView>
  details(answer: DetailsAnswer): Promise<VisitView>
  checkDetails(answer: DetailsAnswer): Promise<DetailsCheck>
  passAddress(): Promise<VisitView>
  phone(number: string): Promise<VisitView>
  otherNumber(): Promise<VisitView>
  code(code: string): Promise<VisitView>
  login(id: string): Promise<VisitView>
  cancelLogin(): Promise<VisitView>
  skip(step: SkipStep): Promise<VisitView>
  finish(): Promise<VisitView>
  askHelp(): Promise<VisitView>
  endHelp(): Promise<VisitView>
  notes(notes: ScreenNotes): Promise<void>
}

// A photo of 20 MB over loopback takes milliseconds; a server that is silent for 30 s no longer answers.
const TIMEOUT_MS = 30_000

type Body = { readonly json: unknown } | { readonly file: Blob }

/** @param base URL of the API, ending in a slash. */
export function createKioskApi(base: string, fetcher: typeof fetch = (...args) => fetch(...args)): KioskApi {
  const call = async (method: string, path: string, body?: Body): Promise<Response> => {
    const init: RequestInit = { method, credentials: 'same-origin', signal: AbortSignal.timeout(TIMEOUT_MS) }
    // The browser must not cache personal data.
    init.cache = 'no-store'
    if (body && 'json' in body) {
      init.headers = { 'Content-Type': 'application/json' }
      init.body = JSON.stringify(body.json)
    } else if (body) {
      init.headers = { 'Content-Type': body.file.type || 'application/octet-stream' }
      init.body = body.file
    }
    let response: Response
    try {
      response = await fetcher(base + path, init)
    } catch (error) {
      throw new CallFailedError('offline', { cause: error })
    }
    if (!response.ok)
      throw new CallFailedError(toCallFailure(response.status, await readProblemCode(response)))
    return response
  }
  /** A truncated answer counts as no answer. */
  const json = async <T>(response: Promise<Response>): Promise<T> => {
    const answer = await response
    try {
      return (await answer.json()) as T
    } catch (error) {
      throw new CallFailedError('offline', { cause: error })
    }
  }
  const get = <T>(path: string) => json<T>(call('GET', path))
  const post = <T = VisitView>(path: string, body: unknown = {}) =>
    json<T>(call('POST', path, { json: body }))
  const remove = (path: string) => json<VisitView>(call('DELETE', path))

  return {
    enterWindow: async (secret) => void (await call('POST', 'window', { json: { secret } })),
    journey: () => get('journey'),
    visit: async () => {
      const response = await call('GET', 'visit')
      // There is no visit. The status 204 keeps this normal case out of the browser's error console.
      if (response.status === 204) throw new CallFailedError('session-over')
      return json<VisitView>(Promise.resolve(response))
    },
    startSession: (language) => post('session', { language }),
    changeLanguage: (language) => json(call('PUT', 'session/language', { json: { language } })),
    endSession: async (why) => void (await call('DELETE', `session?why=${why}`)),
    consent: async (answer) => {
      const response = await call('POST', 'consent', { json: answer })
      return response.status === 204 ? null : json<VisitView>(Promise.resolve(response))
    },
    countries: () => get('countries'),
    chooseDocument: (choice) => post('document/choice', choice),
    otherDocument: () => remove('document/choice'),
    letDocumentTell: () => remove('document/kind'),
    openDocument: () => post<OpenedCapture>('document/session'),
    openPortrait: (wish) => post<OpenedCapture>('portrait/session', wish),
    sendFile: (step, file) => json(call('POST', `${step}/file`, { file })),
    crop: async (field) => (await call('GET', `check/crop/${field}`)).blob(),
    check: (answer) => post('check', answer),
    retake: () => post('check/retake'),
    chip: (start) => post('chip', start),
    details: (answer) => post('details', answer),
    checkDetails: (answer) => post<DetailsCheck>('details/check', answer),
    passAddress: () => post('details/next'),
    phone: (number) => post('phone', { number }),
    otherNumber: () => remove('phone'),
    code: (code) => post('phone/code', { code }),
    login: (id) => post('trusted-login', { id }),
    cancelLogin: () => remove('trusted-login'),
    skip: (step) => post('skip', step),
    finish: () => post('finish'),
    askHelp: () => post('help'),
    endHelp: () => remove('help'),
    notes: async (notes) => void (await call('POST', 'notes', { json: notes })),
  }
}

const FAILURE_OF_CODE: Readonly<Record<string, CallFailure>> = {
  proofings_frozen: 'closed',
  window_refused: 'shut-out',
  visit_taken_over: 'taken-over',
  unauthorized: 'session-over',
  rate_limited: 'full',
  unsupported_image: 'file-refused',
  unreadable_image: 'file-refused',
  upload_too_large: 'file-refused',
  // The applicant chose the file of the front again for the back.
  sides_mismatch: 'file-refused',
}

/**
 * Maps an error to a failure: by its code, or by the HTTP status if something between page and server
 * answered.
 */
export function toCallFailure(status: number, code: string | null): CallFailure {
  const known = code === null ? undefined : FAILURE_OF_CODE[code]
  if (known) return known
  if (status === 401) return 'session-over'
  if (status === 413 || status === 415) return 'file-refused'
  if (status === 429) return 'full'
  return status >= 500 ? 'offline' : 'refused'
}

const PROBLEM = 'urn:counterproof:problem:'

async function readProblemCode(response: Response): Promise<string | null> {
  const problem: unknown = await response.json().catch(() => null)
  if (typeof problem !== 'object' || problem === null || !('type' in problem)) return null
  return typeof problem.type === 'string' && problem.type.startsWith(PROBLEM)
    ? problem.type.slice(PROBLEM.length)
    : null
}
