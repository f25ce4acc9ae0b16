/** The server side of the document-status connector: the protocol in its README, on a real socket. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buildRangeQuestion } from '../../server/connectors/document-status/range.ts'
import type { RegisterReason } from '../../server/proofing/antifraud/document-status.ts'

export interface RegisterRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = (res: ServerResponse, range: string) => void

export interface FakeRegister {
  readonly url: string
  readonly requests: readonly RegisterRequest[]
  /** Sets the known documents (`TYPE\nISSUER\nNUMBER`). */
  know(documents: Readonly<Record<string, RegisterReason>>): void
  /** Replaces its answers from now on; null: it answers normally again. */
  say(how: Answer | null): void
  /** Overrides members of every answer. */
  with(members: object): void
  close(): Promise<void>
}

export function answerWith(status: number, body = '', headers: Record<string, string> = {}): Answer {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}
export const keepSilent: Answer = () => undefined

/** @param tls PEM of key and certificate; without them it speaks plain HTTP */
export async function startDocumentRegister(tls?: { key: string; cert: string }): Promise<FakeRegister> {
  const requests: RegisterRequest[] = []
  let documents: Readonly<Record<string, RegisterReason>> = {}
  let how: Answer | null = null
  let members: object = {}
  const answer: Answer = (res, range) => {
    const entries = Object.entries(documents).flatMap(([name, reason]) => {
      const question = buildRangeQuestion(name)
      return question.range === range ? [{ suffix: question.suffix, reason }] : []
    })
    // Padding, as in a register that hides the number of entries.
    const padding = { suffix: 'A'.repeat(59), reason: 'LOST' }
    const body = { register: 'Utopian register', date: '2026-03-02', range, entries: [padding, ...entries] }
    answerWith(200, JSON.stringify({ ...body, ...members }))(res, range)
  }
  const listener: RequestListener = (req, res) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString('utf8')
      const path = req.url ?? ''
      requests.push({ method: req.method ?? '', path, headers: req.headers, body })
      const range = path.split('/').at(-1) ?? ''
      ;(how ?? answer)(res, range)
    })()
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/ranges`,
    requests,
    know: (known) => {
      documents = known
    },
    say: (next) => {
      how = next
    },
    with: (more) => {
      members = more
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
