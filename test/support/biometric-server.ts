/**
 * The server side of the biometrics connector: the protocol in server/connectors/biometrics/README.md, on a
 * real socket. Its callbacks are signed with the reference library of Standard Webhooks.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export const CALLBACK_SECRET = `whsec_${Buffer.from('a secret of the callbacks, 32 by').toString('base64')}`

export interface AskedFor {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly json: Readonly<Record<string, unknown>>
}
type Reply = (res: ServerResponse) => void

export interface Outcome {
  readonly outcome: string
  readonly score?: number | null
  readonly threshold?: number | null
  /** Null: no picture. */
  readonly image?: Uint8Array | null
  readonly imageType?: string
  /** Overrides members of the result. */
  readonly instead?: object
}

export interface CallbackOptions {
  readonly id?: string
  readonly at?: Date
  readonly secret?: string
  readonly type?: string
  readonly body?: string
  readonly host?: string
}

export interface BiometricServerStub {
  readonly url: string
  readonly requests: readonly AskedFor[]
  /** Sessions that are open or have ended and were not deleted. */
  readonly sessions: ReadonlyMap<string, { readonly order: Readonly<Record<string, unknown>> }>
  /** Replaces its own answers while it returns one. */
  reply(how: ((asked: AskedFor) => Reply | undefined) | null): void
  /** Sets the result of a session: from now on it can be fetched. */
  finish(sessionId: string, outcome: Outcome): void
  /** POSTs the completion to the address of the session, unless another is given. */
  callBack(sessionId: string, options?: CallbackOptions & { readonly to?: string }): Promise<Response>
  close(): Promise<void>
}

export function replyWith(
  status: number,
  body: string | Uint8Array = '',
  headers: Record<string, string> = {},
): Reply {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}
export const saySomethingNever: Reply = () => undefined

export async function startBiometricServer(token = 'biometric-token'): Promise<BiometricServerStub> {
  const requests: AskedFor[] = []
  const sessions = new Map<string, { order: Readonly<Record<string, unknown>>; outcome: Outcome | null }>()
  let instead: ((asked: AskedFor) => Reply | undefined) | null = null

  const answer = (asked: AskedFor): Reply => {
    if (asked.headers.authorization !== `Bearer ${token}`) return replyWith(401)
    const { method, path } = asked
    if (method === 'POST' && path === '/bio/sessions') {
      const known = [...sessions].find(([, { order }]) => order.reference === asked.json.reference)
      const sessionId = known?.[0] ?? randomUUID()
      if (!known) sessions.set(sessionId, { order: asked.json, outcome: null })
      return replyWith(201, JSON.stringify({ sessionId, version: '7.1' }))
    }
    const [, sessionId = '', part = ''] = /^\/bio\/sessions\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? []
    const session = sessions.get(sessionId)
    if (!session) return replyWith(404)
    if (method === 'DELETE') {
      sessions.delete(sessionId)
      return replyWith(204)
    }
    if (!session.outcome) return replyWith(409)
    const {
      outcome,
      score = null,
      threshold = null,
      image = null,
      imageType = 'image/jpeg',
    } = session.outcome
    if (part === 'image') return image ? replyWith(200, image, { 'content-type': imageType }) : replyWith(404)
    const result = {
      sessionId,
      type: session.order.type,
      outcome,
      score,
      threshold,
      service: 'Stub',
      version: '7.1',
    }
    return replyWith(200, JSON.stringify({ ...result, ...session.outcome.instead }))
  }

  const server = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString('utf8')
      const json = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
      const asked = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, json }
      requests.push(asked)
      ;(instead?.(asked) ?? answer(asked))(res)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/bio`,
    requests,
    sessions,
    reply: (how) => {
      instead = how
    },
    finish: (sessionId, outcome) => {
      const session = sessions.get(sessionId)
      if (!session) throw new TypeError('no such session')
      sessions.set(sessionId, { ...session, outcome })
    },
    callBack: (sessionId, options = {}) => {
      const {
        id = `msg_${randomUUID()}`,
        at = new Date(),
        secret = CALLBACK_SECRET,
        type = 'session.completed',
      } = options
      const body = options.body ?? JSON.stringify({ type, data: { sessionId, state: 'DONE' } })
      const to = options.to ?? String(sessions.get(sessionId)?.order.callbackUrl)
      return fetch(to, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign(id, at, body),
        },
        body,
      })
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
