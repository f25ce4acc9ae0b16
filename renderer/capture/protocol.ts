/**
 * The calls of server/capture/README.md. It opens no connection itself (transport.ts does), keeps nothing,
 * and puts the session's id only into paths.
 */
import type {
  CaptureGuidance,
  CaptureSessionView,
  PortraitGuidance,
  RecognisedSide,
} from '../../server/api/contract/capture.ts'
import type { CameraIdentity, CapturedEvidence, DocumentSide } from './events.ts'

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly body?: FormData | string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Share of the body that was sent, 0–1. */
  readonly onProgress?: (share: number) => void
}
export interface Incoming {
  readonly status: number
  readonly text: string
}
/** Rejects if no answer came. */
export type Transport = (request: Outgoing) => Promise<Incoming>

/**
 * gone: the session has ended or never existed · busy: repeat the same call later · unfit: this picture was
 * refused, another one may be accepted · offline: no answer, or the appliance has a fault.
 */
export type CallFault = 'gone' | 'busy' | 'unfit' | 'offline'

export class CaptureCallError extends Error {
  override readonly name = 'CaptureCallError'
  readonly fault: CallFault
  constructor(fault: CallFault, options?: ErrorOptions) {
    super(fault, options)
    this.fault = fault
  }
}

export interface SidePictures {
  readonly best: Blob
  readonly further: readonly Blob[]
}
export interface FrameSignature {
  readonly sequence: number
  readonly ticket: string
  readonly signature: string
}

/** Reported, not proven: the appliance judges by the reported colours, so a page that paints others fails. */
export interface ToldAtBegin {
  readonly camera: CameraIdentity | null
  /** The browser simulates the camera. */
  readonly isPretended: boolean
  readonly colours: 'CALM' | 'FULL'
}

export interface CaptureClient {
  session(): Promise<CaptureSessionView>
  /** Asks the appliance about a live picture. */
  assess(frame: Blob): Promise<CaptureGuidance>
  /** Asks the appliance which side a photo shows. */
  recognise(picture: Blob): Promise<RecognisedSide>
  handIn(
    sides: ReadonlyMap<DocumentSide, SidePictures>,
    details: object,
    onProgress: (share: number) => void,
  ): Promise<CapturedEvidence>
  begin(publicKey: object, told: ToldAtBegin): Promise<PortraitGuidance>
  sendFrame(frame: Blob, signature: FrameSignature): Promise<PortraitGuidance>
  abandon(): Promise<void>
}

export interface ClientOptions {
  /** Origin of the appliance, without a slash at the end. Empty: the origin of the page. */
  readonly base: string
  readonly sessionId: string
  readonly transport: Transport
  readonly signal: AbortSignal
  readonly answerWithinMs: number
  readonly sendWithinMs: number
}

const PARTS = {
  FRONT: { best: 'DocumentFront', further: 'FrontFrame' },
  BACK: { best: 'DocumentBack', further: 'BackFrame' },
} as const satisfies Record<DocumentSide, { best: string; further: string }>

export function captureClient(options: ClientOptions): CaptureClient {
  const { base, transport, signal } = options
  const root = `${base.replace(/\/+$/, '')}/capture/sessions/${encodeURIComponent(options.sessionId)}`
  const call = async <T>(method: Outgoing['method'], path: string, more: Partial<Outgoing> = {}) => {
    const request = { method, url: root + path, timeoutMs: options.answerWithinMs, signal, ...more }
    const { status, text } = await transport(request).catch((cause: unknown) => {
      throw new CaptureCallError('offline', { cause })
    })
    if (status < 200 || status > 299) throw new CaptureCallError(toFault(status))
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  return {
    session: () => call('GET', ''),
    assess: (frame) => call('POST', '/frame', { body: buildForm({ Frame: frame }) }),
    recognise: (picture) =>
      call('POST', '/side', { body: buildForm({ Side: picture }), timeoutMs: options.sendWithinMs }),
    handIn: (sides, details, onProgress) =>
      call('POST', '/document', {
        body: documentForm(sides, details),
        timeoutMs: options.sendWithinMs,
        onProgress,
      }),
    begin: (publicKey, { camera, isPretended, colours }) =>
      call('POST', '/portrait/begin', {
        // An appliance of an earlier version does not know `pretendedCamera`.
        body: JSON.stringify({
          publicKey,
          camera: camera ?? undefined,
          pretendedCamera: isPretended || undefined,
          colours,
        }),
      }),
    // No time limit: a lost answer ends the session, and the last answer comes only after all pictures are
    // measured.
    sendFrame: (frame, signature) =>
      call('POST', '/portrait/frame', {
        body: buildForm({ Frame: frame, FrameSignature: JSON.stringify(signature) }),
        timeoutMs: options.sendWithinMs,
      }),
    abandon: () => call('DELETE', ''),
  }
}

/** 403 means that the page's origin is not allowed: neither another picture nor waiting helps. */
export function toFault(status: number): CallFault {
  if ([401, 403, 404, 409, 410].includes(status)) return 'gone'
  if (status === 429 || status === 503) return 'busy'
  return status >= 500 ? 'offline' : 'unfit'
}

function documentForm(sides: ReadonlyMap<DocumentSide, SidePictures>, details: object): FormData {
  const form = new FormData()
  for (const [side, { best, further }] of sides) {
    form.append(PARTS[side].best, best, `${side.toLowerCase()}`)
    for (const frame of further) form.append(PARTS[side].further, frame, 'frame')
  }
  form.append('CaptureDetails', JSON.stringify(details))
  return form
}

function buildForm(parts: Readonly<Record<string, Blob | string>>): FormData {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts))
    if (typeof part === 'string') form.append(name, part)
    else form.append(name, part, 'frame')
  return form
}
