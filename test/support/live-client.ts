/**
 * A capture component of a portrait session, like a browser: its own key from WebCrypto, and each picture
 * signed with the number and ticket of the answer before. Tests choose what it sends wrongly.
 */
import type { PortraitGuidance } from '../../server/api/contract/capture.ts'
import type { TestApp } from './app.ts'

type Capturing = Extract<PortraitGuidance, { state: 'CAPTURING' }>

/** Replacements for the due values of the next picture. */
export interface Tampering {
  readonly sequence?: number
  readonly ticket?: string
  readonly key?: CryptoKey
  readonly sealedFrame?: Uint8Array
}

export interface Sent {
  readonly status: number
  readonly body: PortraitGuidance
  readonly frame: Uint8Array
  /** The form as sent, to send it again. */
  readonly form: () => FormData
}

export interface LiveClient {
  begin(keys?: CryptoKeyPair, told?: object): Promise<Sent['body']>
  /** Sends with the due number and ticket. */
  send(frame: Uint8Array, tampering?: Tampering): Promise<Sent>
  resend(sent: Sent): Promise<Sent>
  /** The previous answer. */
  readonly due: Capturing
}

export function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
}

/** @param frameType declared type of each picture */
export function liveClient(
  app: Pick<TestApp, 'call'>,
  sessionId: string,
  frameType = 'image/jpeg',
): LiveClient {
  const path = `/capture/sessions/${sessionId}/portrait`
  let keys: CryptoKeyPair | undefined
  let due: Capturing | undefined

  const post = async (to: string, options: object) => {
    const answer = await app.call('POST', `${path}/${to}`, { key: null, ...options })
    const body = (await answer.json()) as PortraitGuidance
    if (answer.ok && body.state === 'CAPTURING') due = body
    return { status: answer.status, body }
  }
  const send = async (frame: Uint8Array, form: () => FormData): Promise<Sent> => ({
    ...(await post('frame', { body: form() })),
    frame,
    form,
  })
  return {
    get due() {
      if (!due) throw new TypeError('begin first')
      return due
    },
    begin: async (other, told = {}) => {
      keys = other ?? (await newKeys())
      return (await post('begin', { payload: { publicKey: await publicKeyOf(keys), ...told } })).body
    },
    send: async (frame, { sealedFrame = frame, key = keys?.privateKey, ...instead } = {}) => {
      if (!due || !key) throw new TypeError('begin first')
      const { sequence, ticket } = { ...due, ...instead }
      const signature = await sign(key, sessionId, { sequence, ticket }, sealedFrame)
      return send(frame, () => formOf(frame, frameType, { sequence, ticket, signature }))
    },
    resend: ({ frame, form }) => send(frame, form),
  }
}

/** Only the members of the contract. */
async function publicKeyOf({ publicKey }: CryptoKeyPair) {
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { kty, crv, x, y }
}

async function sign(
  key: CryptoKey,
  sessionId: string,
  { sequence, ticket }: { readonly sequence: number; readonly ticket: string },
  frame: Uint8Array,
): Promise<string> {
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', frame as BufferSource)).toString('hex')
  const text = `counterproof-frame/1\n${sessionId}\n${sequence}\n${ticket}\n${digest}`
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, Buffer.from(text))
  return Buffer.from(signature).toString('base64url')
}

function formOf(frame: Uint8Array, type: string, signature: object): FormData {
  const form = new FormData()
  form.append('Frame', new Blob([frame as BlobPart], { type }), 'frame')
  form.append('FrameSignature', JSON.stringify(signature))
  return form
}
