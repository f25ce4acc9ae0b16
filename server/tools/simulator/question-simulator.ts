/**
 * The common part of simulators that answer questions by HTTP on a real socket: they keep the requests, and have faults by name.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { closeServer, listen } from '../../http/http-server.ts'

export const QUESTION_FAULTS = [
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
export type QuestionFault = (typeof QUESTION_FAULTS)[number]

export interface QuestionSimulator<F extends string = QuestionFault> {
  readonly url: string
  /** Requests in the order of their arrival. */
  readonly requests: readonly { readonly idempotencyKey: string; readonly body: string }[]
  /** Null: it answers correctly again. */
  setFault(fault: F | null): void
  close(): Promise<void>
}

export interface SimulatorListener {
  readonly port: number
  /** PEM; `ca` is the only authority of client certificates. Absent: plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly ca: string }
  /** Receives the time from the arrival of a request to the end of its answer. */
  onAnswered?(idempotencyKey: string, milliseconds: number): void
}

interface Protocol<Q, F extends string> {
  readonly path: string
  /** Media type of the answer to a request. */
  getType(body: string): string
  /** An answer that does not fit the protocol. */
  readonly malformed: string
  /** Absent: every caller is believed. */
  isBelieved?(req: IncomingMessage, body: Buffer): Promise<boolean>
  /** Null: the question does not fit the protocol. */
  read(body: string): Q | null
  /** @param fault one of the protocol, or `other-request`, or `unasked` */
  answer(question: Q, fault: F | QuestionFault | null): string
}

const SLOW_MS = 3000

export async function startQuestionSimulator<Q, F extends string = never>(
  options: SimulatorListener & { readonly fault?: F | QuestionFault | null },
  protocol: Protocol<Q, F>,
): Promise<QuestionSimulator<F | QuestionFault>> {
  const requests: { idempotencyKey: string; body: string }[] = []
  const { port, tls, fault: first = null } = options
  let fault = first
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await buffer(req)
    const type = protocol.getType(body.toString('utf8'))
    const send = (status: number, text: string): void =>
      void res.writeHead(status, { 'content-type': type }).end(text)
    if (req.method !== 'POST' || req.url !== protocol.path) return send(404, '')
    requests.push({ idempotencyKey: String(req.headers['idempotency-key']), body: body.toString('utf8') })
    if (fault === 'refuse' || (await protocol.isBelieved?.(req, body)) === false) return send(401, '')
    if (fault === 'silent') return
    if (fault === 'error') return send(500, '')
    if (fault === 'rate-limit') return send(429, '')
    if (fault === 'malformed') return send(200, protocol.malformed)
    const question = protocol.read(body.toString('utf8'))
    if (!question) return send(400, '')
    const text = protocol.answer(question, fault)
    if (fault === 'half') {
      res.writeHead(200, { 'content-type': type, 'content-length': text.length })
      res.write(text.slice(0, 12))
      return void setTimeout(() => res.destroy(), 20)
    }
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    send(200, text)
  }
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    const from = performance.now()
    const key = String(req.headers['idempotency-key'])
    res.once('finish', () => options.onAnswered?.(key, performance.now() - from))
    void answer(req, res).catch(() => res.destroy())
  }
  const server = tls
    ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, listener)
    : createServer(listener)
  const url = await listen(server, '127.0.0.1', port)
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
