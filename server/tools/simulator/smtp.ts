/**
 * A mail server (SMTP, RFC 5321) for tests and demonstrations: STARTTLS, login, messages and faults by name on a real socket. It
 * keeps what mailboxes would show.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls'

export const SMTP_FAULTS = [
  'silent',
  'slow',
  'drop',
  'half',
  'malformed',
  'too-large',
  'throttle',
  'reject',
  'reject-message',
  'system-error',
  'wrong-password',
  'no-tls',
  'unanswered',
] as const
export type SmtpFault = (typeof SMTP_FAULTS)[number]

interface Letter {
  /** Addresses of the envelope. */
  readonly from: string
  readonly to: string
  /** Header and body as they came, with the dots of transparency removed. */
  readonly raw: string
  /** The body, decoded. */
  readonly text: string
  readonly isOverTls: boolean
  /** Name of the login; null: none. */
  readonly user: string | null
}

export interface SmtpSimulator {
  /** `smtp://127.0.0.1:PORT`, or smtps with TLS from the start. */
  readonly url: string
  readonly messages: readonly Letter[]
  /** Commands of all connections, in order, without their parameters. */
  readonly commands: readonly string[]
  /** The digits of the last message. */
  lastCode(): string
  setFault(fault: SmtpFault | null): void
  close(): Promise<void>
}

interface SmtpOptions {
  readonly port: number
  readonly fault?: SmtpFault | null
  /** Absent: without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly isImplicit?: boolean }
  /** Absent: no client has to log in. */
  readonly login?: { readonly user: string; readonly password: string }
  /** Told of each message. */
  readonly onMessage?: (message: { readonly to: string; readonly text: string }) => void
}

const SLOW_MS = 3000
/** Longer than any client reads. */
const ENDLESS = '250-'.padEnd(1024 * 1024, 'x')

export async function startSmtp(options: SmtpOptions): Promise<SmtpSimulator> {
  const { tls, login } = options
  const messages: Letter[] = []
  const commands: string[] = []
  const sockets = new Set<Socket>()
  let fault = options.fault ?? null
  const context = tls && createSecureContext({ cert: tls.cert, key: tls.key })

  const serve = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    const isOverTls = socket instanceof TLSSocket
    const session = { user: null as string | null, from: '', to: '', data: null as string[] | null }
    const say = (line: string): void => void socket.write(`${line}\r\n`)

    const takeLine = (line: string): void => {
      if (session.data) {
        if (line !== '.') session.data.push(line.startsWith('.') ? line.slice(1) : line)
        else endData(session.data)
        return
      }
      const [name = ''] = line.split(' ')
      const command = name.toUpperCase()
      commands.push(command)
      answer(command, line)
    }
    const answer = (command: string, line: string): void => {
      if (command === 'EHLO' || command === 'HELO') {
        if (fault === 'system-error') return say('421 4.3.2 shutting down')
        if (fault === 'too-large') return void socket.write(ENDLESS)
        const offers = [
          ...(context && !isOverTls && fault !== 'no-tls' ? ['STARTTLS'] : []),
          ...(login ? ['AUTH PLAIN'] : []),
          'SIZE 1000000',
        ]
        return say(
          [
            '250-localhost',
            ...offers.slice(0, -1).map((offer) => `250-${offer}`),
            `250 ${offers.at(-1)}`,
          ].join('\r\n'),
        )
      }
      if (command === 'STARTTLS') {
        if (!context || isOverTls || fault === 'no-tls') return say('502 5.5.1 no')
        say('220 2.0.0 go ahead')
        socket.removeAllListeners('data')
        sockets.delete(socket)
        serve(new TLSSocket(socket, { isServer: true, secureContext: context }))
        return
      }
      if (command === 'AUTH') {
        const [, , given = ''] = line.split(' ')
        const [, user = '', password = ''] = Buffer.from(given, 'base64').toString('utf8').split('\0')
        const isRight = fault !== 'wrong-password' && user === login?.user && password === login.password
        if (isRight) session.user = user
        return say(isRight ? '235 2.7.0 welcome' : '535 5.7.8 wrong name or password')
      }
      if (command === 'QUIT') {
        say('221 2.0.0 bye')
        socket.end()
        return
      }
      if (command === 'RSET' || command === 'NOOP') return say('250 2.0.0 done')
      if (login && session.user === null) return say('530 5.7.0 log in first')
      if (command === 'MAIL') {
        session.from = readPath(line)
        return say('250 2.1.0 sender taken')
      }
      if (command === 'RCPT') {
        if (fault === 'throttle') return say('451 4.7.1 come back later')
        if (fault === 'reject') return say('550 5.1.1 there is no such mailbox')
        session.to = readPath(line)
        return say('250 2.1.5 recipient taken')
      }
      if (command === 'DATA') {
        session.data = []
        return say('354 end with a dot')
      }
      say('500 5.5.2 not understood')
    }
    const endData = (lines: readonly string[]): void => {
      session.data = null
      const raw = lines.join('\r\n')
      if (fault === 'reject-message') return say('554 5.7.1 refused')
      const { from, to, user } = session
      const text = readText(raw)
      messages.push({ from, to, raw, text, isOverTls, user })
      options.onMessage?.({ to, text })
      if (fault === 'unanswered') return
      if (fault === 'drop') return void socket.destroy()
      if (fault === 'half') {
        socket.write('250 2.0')
        setTimeout(() => socket.destroy(), 20)
        return
      }
      say('250 2.0.0 taken')
    }

    let rest = ''
    socket.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString('latin1')).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) takeLine(line)
    })
    // The session has no second greeting after STARTTLS.
    if (isOverTls && !tls?.isImplicit) return
    if (fault === 'silent') return
    const greeting = fault === 'malformed' ? 'HTTP/1.1 400 Bad Request' : '220 localhost ESMTP'
    if (fault === 'slow') setTimeout(() => say(greeting), SLOW_MS)
    else say(greeting)
  }

  const server: Server = tls?.isImplicit
    ? createTlsServer({ cert: tls.cert, key: tls.key }, serve)
    : createServer(serve)
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  return {
    url: `${tls?.isImplicit ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    messages,
    commands,
    lastCode: () => /\d{4,12}/.exec(messages.at(-1)?.text ?? '')?.[0] ?? '',
    setFault: (next) => {
      fault = next
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const readPath = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ''

/** Decodes the body of a message with one part. */
function readText(raw: string): string {
  const end = raw.indexOf('\r\n\r\n')
  const [header, body] = [raw.slice(0, end), raw.slice(end + 4)]
  const encoding = /^content-transfer-encoding: *(\S+)/im.exec(header)?.[1]?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
