/**
 * The common part of simulators that speak one of our signed JSON protocols (server/connectors/service/signed-service.ts) on a
 * real socket: it checks the signature of each request and has faults by name.
 */
import { createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { flattenedVerify } from 'jose'
import { closeServer, listen } from '../../http/http-server.ts'

export const SIGNED_FAULTS = [
  'silent',
  'slow',
  'error',
  'rate-limit',
  'refuse',
  'half',
  'malformed',
  'other-request',
  'unasked',
] as const
type SignedFault = (typeof SIGNED_FAULTS)[number]

export interface SignedSimulator {
  readonly url: string
  /** Requests in the order of their arrival. */
  readonly requests: readonly { readonly idempotencyKey: string; readonly body: string }[]
  /** Null: it answers correctly again. */
  setFault(fault: SignedFault | null): void
  close(): Promise<void>
}

export interface SignedSimulatorOptions {
  readonly port: number
  /** PEM of the public key that the requests are signed with. */
  readonly publicKey: string
  readonly fault?: SignedFault | null
  /** Default: the system's clock. */
  readonly now?: () => Date
}

interface Protocol<Q extends { readonly requestId: string }> {
  readonly path: string
  /** `typ` of the signature's header. */
  readonly type: string
  /** Null: the question does not fit the protocol. */
  read(json: unknown): Q | null
  /** The members of the answer beside `requestId`. */
  answer(question: Q): object
  /** An answer about a value that was not asked. */
  answerUnasked(question: Q): object
}

const SLOW_MS = 3000
const MAX_SIGNATURE_AGE_SECONDS = 300

export async function startSignedSimulator<Q extends { readonly requestId: string }>(
  options: SignedSimulatorOptions,
  protocol: Protocol<Q>,
): Promise<SignedSimulator> {
  const requests: { idempotencyKey: string; body: string }[] = []
  let fault = options.fault ?? null
  const key = createPublicKey(options.publicKey)
  const now = options.now ?? (() => new Date())

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await buffer(req)
    const send = (status: number, json: object): void =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (req.method !== 'POST' || req.url !== protocol.path) return send(404, {})
    requests.push({ idempotencyKey: String(req.headers['idempotency-key']), body: body.toString('utf8') })
    if (fault === 'refuse' || !(await isSigned(body, String(req.headers['request-signature']))))
      return send(401, {})
    if (fault === 'silent') return
    if (fault === 'error') return send(500, {})
    if (fault === 'rate-limit') return send(429, {})
    if (fault === 'malformed') return send(200, { record: 'PERHAPS', records: 'PERHAPS' })
    const question = protocol.read(JSON.parse(body.toString('utf8')))
    if (!question) return send(400, {})
    if (fault === 'half') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      res.write('{"requestId":')
      return void setTimeout(() => res.destroy(), 20)
    }
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    send(200, {
      requestId: fault === 'other-request' ? 'another' : question.requestId,
      ...(fault === 'unasked' ? protocol.answerUnasked(question) : protocol.answer(question)),
    })
  }
  const isSigned = async (body: Buffer, signature: string): Promise<boolean> => {
    const [header = '', , value = ''] = signature.split('.')
    const payload = body.toString('base64url')
    try {
      const { protectedHeader } = await flattenedVerify({ protected: header, payload, signature: value }, key)
      const age = now().getTime() / 1000 - Number(protectedHeader?.iat)
      return protectedHeader?.typ === protocol.type && Math.abs(age) < MAX_SIGNATURE_AGE_SECONDS
    } catch {
      return false
    }
  }
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()))
  const url = await listen(server, '127.0.0.1', options.port)
  return {
    url,
    requests,
    setFault: (next) => {
      fault = next
    },
    close: () => {
      server.closeAllConnections()
      return closeServer(server)
    },
  }
}

/** Removes accents, signs and case. */
export function foldText(text = ''): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}
