/**
 * One connection to an SMSC, bound as transceiver: requests with their answers, delivery reports, and a regular question
 * whether the other side is still there. What comes in is untrusted; a PDU that cannot be read ends the connection.
 */
import { connect as connectTcp, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { isCertificateFault } from '../../../outgoing/answer.ts'
import {
  COMMAND,
  createPduReader,
  decodeMessage,
  encodeBind,
  encodePdu,
  isResponse,
  nextSequence,
  readReceipt,
  STATUS,
  type Bind,
  type Pdu,
  type Receipt,
} from './pdu.ts'

export interface LinkSettings extends Bind {
  readonly host: string
  readonly port: number
  /** Null: a connection without TLS. */
  readonly tls: {
    /** PEM of the only accepted certificate authorities; null: public ones. */
    readonly authorities: string | null
    readonly clientCertificate: { readonly certificate: string; readonly key: string } | null
  } | null
  /** Time limit of connecting, and of every answer. */
  readonly timeoutMs: number
  /** A silent connection is asked this often. */
  readonly enquireMs: number
}

export type LinkTrouble =
  | 'unreachable'
  | 'timeout'
  | 'certificate-refused'
  | 'credentials-refused'
  | 'malformed'

export interface Connection {
  /** A trouble: no answer in time, or the connection ended. */
  request(command: number, body: Buffer, timeoutMs: number): Promise<Pdu | LinkTrouble>
  /** Resolves when the connection has ended. */
  readonly ended: Promise<LinkTrouble>
  /** Takes leave and ends it. */
  close(): void
}

/** Handles a delivery report. It is confirmed after this returns; an error has the other side send it again. */
type OnReceipt = (receipt: Receipt) => void

const CREDENTIALS: readonly number[] = [STATUS.BIND_FAILED, STATUS.INVALID_PASSWORD, STATUS.INVALID_SYSTEM_ID]
const EMPTY = Buffer.alloc(0)
/** The other side may not read what says that we leave. */
const LEAVE_MS = 500

/** Never rejects. `signal` gives the attempt up. */
export async function openConnection(
  settings: LinkSettings,
  onReceipt: OnReceipt,
  signal: AbortSignal,
): Promise<Connection | LinkTrouble> {
  const connection = handle(openSocket(settings), settings, onReceipt)
  const giveUp = (): void => connection.end('unreachable')
  signal.addEventListener('abort', giveUp, { once: true })
  const opened = await bind(connection, settings)
  signal.removeEventListener('abort', giveUp)
  return opened
}

async function bind(
  connection: ReturnType<typeof handle>,
  settings: LinkSettings,
): Promise<Connection | LinkTrouble> {
  const isThere = await Promise.race([
    connection.connected.then(() => true),
    connection.ended.then(() => false),
  ])
  if (!isThere) return connection.ended
  const bound = await connection.request(COMMAND.BIND_TRANSCEIVER, encodeBind(settings), settings.timeoutMs)
  if (typeof bound === 'string') connection.end(bound)
  else if (bound.command === COMMAND.BIND_TRANSCEIVER_RESP && bound.status === STATUS.OK) return connection
  else connection.end(CREDENTIALS.includes(bound.status) ? 'credentials-refused' : 'malformed')
  return connection.ended
}

function openSocket({ host, port, tls }: LinkSettings): { socket: Socket; readyEvent: string } {
  if (!tls) return { socket: connectTcp({ host, port }), readyEvent: 'connect' }
  const { authorities, clientCertificate } = tls
  const socket = connectTls({
    host,
    port,
    servername: /[a-z]/i.test(host) && !host.includes(':') ? host : '',
    ...(authorities === null ? {} : { ca: authorities }),
    ...(clientCertificate === null
      ? {}
      : { cert: clientCertificate.certificate, key: clientCertificate.key }),
  })
  return { socket, readyEvent: 'secureConnect' }
}

function handle(
  { socket, readyEvent }: ReturnType<typeof openSocket>,
  { timeoutMs, enquireMs }: LinkSettings,
  onReceipt: OnReceipt,
) {
  const connected = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<LinkTrouble>()
  const waiting = new Map<number, ReturnType<typeof Promise.withResolvers<Pdu | LinkTrouble>>>()
  const read = createPduReader()
  let sequence = 0
  let isOver = false

  const end = (trouble: LinkTrouble): void => {
    if (isOver) return
    isOver = true
    clearTimeout(patience)
    clearTimeout(silence)
    socket.destroy()
    for (const { resolve } of waiting.values()) resolve(trouble)
    ended.resolve(trouble)
  }
  const patience = setTimeout(() => end('timeout'), timeoutMs)
  let silence: NodeJS.Timeout | undefined

  const send = (pdu: Pdu): void => void (isOver || socket.write(encodePdu(pdu)))
  const reply = ({ command, sequence: of }: Pdu, status: number, body = EMPTY): void =>
    send({ command: (command | 0x8000_0000) >>> 0, status, sequence: of, body })

  const request = async (command: number, body: Buffer, withinMs: number): Promise<Pdu | LinkTrouble> => {
    if (isOver) return ended.promise
    sequence = nextSequence(sequence)
    const own = sequence
    const answered = Promise.withResolvers<Pdu | LinkTrouble>()
    waiting.set(own, answered)
    const timer = setTimeout(() => answered.resolve('timeout'), withinMs)
    send({ command, status: STATUS.OK, sequence: own, body })
    try {
      return await answered.promise
    } finally {
      clearTimeout(timer)
      waiting.delete(own)
    }
  }
  const listen = (): void => {
    clearTimeout(silence)
    silence = setTimeout(() => {
      void request(COMMAND.ENQUIRE_LINK, EMPTY, timeoutMs).then((answer) => {
        if (typeof answer === 'string') end(answer)
      })
    }, enquireMs)
  }
  const takeMessage = async (pdu: Pdu): Promise<void> => {
    // A message that a phone sent to us is taken and dropped.
    const receipt = readReceipt(decodeMessage(pdu.body))
    // The report may come before the answer to its message: what waits for the answers runs first.
    await Promise.all([...waiting.values()].map(({ promise }) => promise))
    await nextTurn()
    try {
      if (receipt) onReceipt(receipt)
      reply(pdu, STATUS.OK, Buffer.of(0))
    } catch {
      reply(pdu, STATUS.TEMPORARY_ERROR, Buffer.of(0))
    }
  }
  const take = (pdu: Pdu): void => {
    if (isResponse(pdu.command)) return waiting.get(pdu.sequence)?.resolve(pdu)
    if (pdu.command === COMMAND.ENQUIRE_LINK) return reply(pdu, STATUS.OK)
    if (pdu.command === COMMAND.DELIVER_SM) return void takeMessage(pdu).catch(() => end('malformed'))
    if (pdu.command !== COMMAND.UNBIND)
      return send({ ...pdu, command: COMMAND.GENERIC_NACK, status: STATUS.INVALID_COMMAND, body: EMPTY })
    reply(pdu, STATUS.OK)
    end('unreachable')
  }

  socket.once(readyEvent, () => {
    clearTimeout(patience)
    connected.resolve()
    listen()
  })
  socket.on('data', (chunk: Buffer) => {
    listen()
    try {
      for (const pdu of read(chunk)) take(pdu)
    } catch {
      end('malformed')
    }
  })
  socket.on('error', (error) => end(isCertificateFault(error) ? 'certificate-refused' : 'unreachable'))
  socket.on('close', () => end('unreachable'))
  return {
    connected: connected.promise,
    ended: ended.promise,
    request,
    end,
    close: () => {
      const unbind = {
        command: COMMAND.UNBIND,
        status: STATUS.OK,
        sequence: nextSequence(sequence),
        body: EMPTY,
      }
      if (!isOver) socket.end(encodePdu(unbind), () => end('unreachable'))
      setTimeout(() => end('unreachable'), LEAVE_MS).unref()
    },
  } satisfies Connection & Record<string, unknown>
}
