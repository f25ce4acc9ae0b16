/**
 * The server side of the SMS connector: the protocol in server/connectors/sms/README.md, on a real socket.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedMessage {
  readonly to: string
  readonly text: string
}

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Its answer after the message was received. */
export type Answer = (res: ServerResponse) => void

export const accept: Answer = (res) => {
  answerWith(200, '{"status":"ACCEPTED"}')(res)
}
/** Accepts the message without an answer. */
export const keepSilent: Answer = () => undefined

export function answerWith(status: number, body = '', headers: Record<string, string> = {}): Answer {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}

export interface SmsGateway {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  readonly messages: readonly ReceivedMessage[]
  /** The digits of the last message. */
  lastCode(): string
  /** From now on. */
  answer(how: Answer): void
  close(): Promise<void>
}

export async function startSmsGateway(): Promise<SmsGateway> {
  const requests: ReceivedRequest[] = []
  const messages: ReceivedMessage[] = []
  let how = accept
  const server = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString('utf8')
      requests.push({ method: req.method ?? '', path: req.url ?? '', headers: req.headers, body })
      messages.push(JSON.parse(body) as ReceivedMessage)
      how(res)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/messages`,
    requests,
    messages,
    lastCode: () => /\d{4,12}/.exec(messages.at(-1)?.text ?? '')?.[0] ?? '',
    answer: (next) => {
      how = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
