/**
 * Acts as a capture component over HTTP: creates a key, begins, seals each picture and sends it. Keeps the calls that it
 * sent.
 */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import type { PortraitGuidance } from '../../../api/contract/capture.ts'
import type { CameraIdentity } from '../../../proofing/antifraud/device-integrity.ts'
import type { ColourSet } from '../../../proofing/liveness/types.ts'

/** One call as sent; may be sent again to any session. */
export interface SentCall {
  readonly atMs: number
  send(sessionId: string): Promise<Response>
}

/** The component's statements about itself. */
export interface ToldAtBegin {
  readonly colours?: ColourSet
  readonly pretendedCamera?: boolean
  readonly camera?: CameraIdentity
}

export interface CaptureClient {
  readonly sent: readonly SentCall[]
  begin(atMs: number, told?: ToldAtBegin): Promise<PortraitGuidance>
  /** `numberedTooHigh`: gives this picture the number of the next one. Null: refused. */
  frame(picture: Buffer, atMs: number, numberedTooHigh?: boolean): Promise<PortraitGuidance | null>
}

type Due = Extract<PortraitGuidance, { state: 'CAPTURING' }>

export function captureClient(url: string, sessionId: string): CaptureClient {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sent: SentCall[] = []
  let due: Pick<Due, 'sequence' | 'ticket'> | null = null
  const answered = async (call: SentCall): Promise<PortraitGuidance | null> => {
    sent.push(call)
    const response = await call.send(sessionId)
    if (!response.ok) return refused(response)
    const guidance = (await response.json()) as PortraitGuidance
    due = guidance.state === 'CAPTURING' ? guidance : null
    return guidance
  }
  return {
    sent,
    async begin(atMs, told = {}) {
      const body = JSON.stringify({ publicKey: publicKey.export({ format: 'jwk' }), ...told })
      const headers = { 'content-type': 'application/json' }
      const send = (to: string) => post(`${url}/capture/sessions/${to}/portrait/begin`, body, headers)
      const guidance = await answered({ atMs, send })
      if (!guidance) throw new Error('a session that was just opened did not begin')
      return guidance
    },
    async frame(picture, atMs, numberedTooHigh = false) {
      if (!due) throw new TypeError('no picture is due')
      const numbered = { sequence: due.sequence + (numberedTooHigh ? 1 : 0), ticket: due.ticket }
      const signature = JSON.stringify(signFrame(privateKey, sessionId, numbered, picture))
      const send = (to: string) =>
        post(`${url}/capture/sessions/${to}/portrait/frame`, form(picture, signature))
      return answered({ atMs, send })
    },
  }
}

/** The session has ended or breaks a protocol rule; neither gives guidance. */
async function refused(response: Response): Promise<null> {
  const text = await response.text()
  if (response.status === 404) return null
  throw new Error(`a picture was refused: ${response.status} ${text.slice(0, 300)}`)
}

function form(picture: Buffer, signature: string): FormData {
  const parts = new FormData()
  parts.append('Frame', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'frame.jpg')
  parts.append('FrameSignature', signature)
  return parts
}

function post(url: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers })
}

function signFrame(
  key: KeyObject,
  sessionId: string,
  { sequence, ticket }: Pick<Due, 'sequence' | 'ticket'>,
  picture: Buffer,
) {
  const digest = createHash('sha256').update(picture).digest('hex')
  const text = `counterproof-frame/1\n${sessionId}\n${sequence}\n${ticket}\n${digest}`
  const signature = sign('sha256', Buffer.from(text, 'utf8'), { key, dsaEncoding: 'ieee-p1363' })
  return { sequence, ticket, signature: signature.toString('base64url') }
}
