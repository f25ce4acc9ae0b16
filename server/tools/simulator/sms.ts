/**
 * An HTTP gateway of an SMS carrier for tests and demonstrations: the protocol in server/connectors/sms/README.md on a real
 * socket, with faults by name. It keeps what phones would show.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeServer, listen } from '../../http/http-server.ts'

interface ReceivedMessage {
  readonly to: string
  readonly text: string
}

interface ReceivedRequest {
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

const SLOW_MS = 3000

export const SMS_FAULTS = {
  silent: keepSilent,
  slow: (res) => void setTimeout(() => accept(res), SLOW_MS),
  error: answerWith(500),
  'rate-limit': answerWith(429),
  refuse: answerWith(401),
  reject: answerWith(422),
  malformed: answerWith(200, '<html>Please sign in</html>'),
  half: (res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{"status":')
    setTimeout(() => res.destroy(), 20)
  },
} as const satisfies Readonly<Record<string, Answer>>

export interface SmsGateway {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  readonly messages: readonly ReceivedMessage[]
  /** The digits of the last message. */
  lastCode(): string
  /** Changes its answers from now on. */
  answer(how: Answer): void
  close(): Promise<void>
}

interface GatewayOptions {
  readonly port?: number
  readonly answer?: Answer
  /** Told of each message, and of the request that brought it. */
  readonly onMessage?: (message: ReceivedMessage, request: ReceivedRequest) => void
}

export async function startSmsGateway(options: GatewayOptions = {}): Promise<SmsGateway> {
  const requests: ReceivedRequest[] = []
  const messages: ReceivedMessage[] = []
  let how = options.answer ?? accept
  const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = (await buffer(req)).toString('utf8')
    const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body }
    requests.push(request)
    const message = JSON.parse(body) as ReceivedMessage
    messages.push(message)
    options.onMessage?.(message, request)
    how(res)
  }
  const server = createServer((req, res) => void take(req, res).catch(() => res.destroy()))
  const url = await listen(server, '127.0.0.1', options.port ?? 0)
  return {
    url: `${url}/messages`,
    requests,
    messages,
    lastCode: () => /\d{4,12}/.exec(messages.at(-1)?.text ?? '')?.[0] ?? '',
    answer: (next) => {
      how = next
    },
    close: () => {
      server.closeAllConnections()
      return closeServer(server)
    },
  }
}
