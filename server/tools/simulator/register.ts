/**
 * Registers for tests and demonstrations: the range protocol (server/connectors/document-status/README.md) on a real socket,
 * with entries about documents and persons.
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { buildRangeQuestion, hashName } from '../../connectors/service/range.ts'
import { closeServer, listen } from '../../http/http-server.ts'
import { REGISTER_REASONS } from '../../proofing/antifraud/document-status.ts'
import { FRAUD_REASONS } from '../../proofing/antifraud/known-fraud.ts'

/** `name`: canonical name of a document or person, in lines, as the README of the protocol has it. */
export const RegisterEntry = z.object({
  name: z.string(),
  reason: z.enum([...REGISTER_REASONS, ...FRAUD_REASONS]),
})
export type RegisterEntry = z.infer<typeof RegisterEntry>

interface RegisterRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = (res: ServerResponse, range: string) => void

export function answerWith(status: number, body = '', headers: Record<string, string> = {}): Answer {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}
export const keepSilent: Answer = () => undefined

export const REGISTER_FAULTS: Readonly<Record<string, Answer>> = {
  silent: keepSilent,
  error: answerWith(500),
  refuse: answerWith(401),
  'rate-limit': answerWith(429),
  malformed: answerWith(200, '{"register":"Utopian register","entries":"PERHAPS"}'),
  'other-range': (res) =>
    answerWith(200, '{"register":"Utopian register","date":"2026-01-01","range":"00000","entries":[]}')(
      res,
      '',
    ),
}

export interface RegisterOptions {
  readonly port?: number
  readonly entries?: readonly RegisterEntry[]
  readonly coversDeaths?: boolean
  readonly fault?: Answer | null
  /** Default: the system's day. yyyy-MM-dd. */
  readonly date?: string
  /** PEM of key and certificate; without them it speaks plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

export interface Register {
  readonly url: string
  readonly requests: readonly RegisterRequest[]
  /** Replaces all entries. */
  know(entries: Readonly<Record<string, RegisterEntry['reason']>>): void
  /** Replaces its answers from now on; null: it answers correctly again. */
  say(how: Answer | null): void
  /** Overrides members of every answer. */
  with(members: object): void
  close(): Promise<void>
}

export async function startRegister(options: RegisterOptions = {}): Promise<Register> {
  const requests: RegisterRequest[] = []
  let entries = options.entries ?? []
  let how = options.fault ?? null
  let members: object = {}
  const answer: Answer = (res, range) => {
    const found = entries.flatMap(({ name, reason }) => {
      const question = buildRangeQuestion(withFirstGivenName(name))
      const wholeName = name.startsWith('PERSON\n') ? { wholeName: hashName(name) } : {}
      return question.range === range ? [{ suffix: question.suffix, reason, ...wholeName }] : []
    })
    const body = {
      register: 'Utopian register',
      date: options.date ?? new Date().toISOString().slice(0, 10),
      range,
      coversDeaths: options.coversDeaths ?? false,
      entries: found,
    }
    answerWith(200, JSON.stringify({ ...body, ...members }))(res, range)
  }
  const listener: RequestListener = (req, res) => {
    void (async () => {
      const path = req.url ?? ''
      requests.push({ method: req.method ?? '', path, headers: req.headers, body: await text(req) })
      ;(how ?? answer)(res, path.split('/').at(-1) ?? '')
    })().catch(() => res.destroy())
  }
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener)
  const origin = await listen(server, '127.0.0.1', options.port ?? 0)
  return {
    url: `${origin}/ranges`,
    requests,
    know: (known) => {
      entries = Object.entries(known).map(([name, reason]) => ({ name, reason }))
    },
    say: (next) => {
      how = next
    },
    with: (more) => {
      members = more
    },
    close: () => {
      server.closeAllConnections()
      return closeServer(server)
    },
  }
}

/** The name by which a register is asked about a person; a document's name as it is. */
function withFirstGivenName(name: string): string {
  return name.replace(/^(PERSON\n.*\n)(\S+).*(\n.*)$/, '$1$2$3')
}
