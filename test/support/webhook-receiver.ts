/** A receiver of webhooks: real HTTP or TLS, on a free port unless given. Each test defines its answers. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly at: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Maximum number of simultaneous requests, by event. */
  readonly mostAtOnce: Map<string, number>
  /** Decides the answer: returns a status, or answers itself. */
  answer: (received: Received, res: ServerResponse) => number | void | Promise<number | undefined>
  close(): Promise<void>
}

export interface ReceiverOptions {
  readonly port?: number
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer }
}

export async function startReceiver({ port = 0, tls }: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = []
  const atOnce = new Map<string, number>()
  const mostAtOnce = new Map<string, number>()
  const listener: RequestListener = (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const event = String(req.headers['webhook-id'])
      const now = (atOnce.get(event) ?? 0) + 1
      atOnce.set(event, now)
      mostAtOnce.set(event, Math.max(now, mostAtOnce.get(event) ?? 0))
      res.once('close', () => atOnce.set(event, (atOnce.get(event) ?? 1) - 1))
      const body = Buffer.concat(chunks).toString('utf8')
      const one = { at: Date.now(), path: req.url ?? '', headers: req.headers, body }
      received.push(one)
      void Promise.resolve(receiver.answer(one, res)).then((status) => {
        if (typeof status === 'number') res.writeHead(status).end('thank you')
      })
    })
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    mostAtOnce,
    answer: () => 204,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/** Resolves when the condition holds. Throws after a minute and a half unless another time is given. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  holds: (value: T) => boolean,
  patienceMs = 90_000,
): Promise<T> {
  const until = Date.now() + patienceMs
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (Date.now() > until) throw new Error(`it never came to that: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
