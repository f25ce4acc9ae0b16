/**
 * An SMSC (SMPP 3.4) for tests and demonstrations: binds, accepted messages, delivery reports and faults by name on a real
 * socket. It keeps what phones would show.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import {
  COMMAND,
  createPduReader,
  decodeBind,
  decodeMessage,
  encodeMessage,
  encodeMessageId,
  encodePdu,
  ESM,
  isResponse,
  STATUS,
  TLV,
  type Pdu,
  type ShortMessage,
} from '../../connectors/sms/smpp/pdu.ts'
import { decodeText } from '../../connectors/sms/smpp/gsm.ts'

export const SMPP_FAULTS = [
  'silent',
  'slow',
  'drop',
  'half',
  'malformed',
  'throttle',
  'reject',
  'system-error',
  'undelivered',
  'no-report',
  'early-report',
  'double-report',
  'wrong-password',
] as const
type SmppFault = (typeof SMPP_FAULTS)[number]

interface Received {
  /** E.164. */
  readonly to: string
  /** Text of one part, without the header that joins parts. */
  readonly text: string
  readonly message: ShortMessage
}

export interface SmppSimulator {
  /** `smpp://127.0.0.1:PORT`, or smpps with a certificate. */
  readonly url: string
  readonly messages: readonly Received[]
  /** Answers of the appliance to delivery reports, by their status. */
  readonly confirmed: readonly number[]
  readonly binds: number
  /** The digits of the last message. */
  lastCode(): string
  setFault(fault: SmppFault | null): void
  /** Sends the delivery report of a message, numbered from 1, to every bound appliance. */
  report(messageId: number, state?: 'DELIVRD' | 'UNDELIV' | 'ENROUTE'): void
  /** Ends every connection. */
  drop(): void
  close(): Promise<void>
}

interface SmppOptions {
  readonly port: number
  readonly systemId?: string
  readonly password?: string
  readonly fault?: SmppFault | null
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Time from accepting a message to its report. */
  readonly reportMs?: number
  /** Told of each message. */
  readonly onMessage?: (message: { readonly to: string; readonly text: string }) => void
}

const SLOW_MS = 3000
const HEADER_INDICATOR = ESM.HAS_HEADER
const MESSAGE_STATES = { DELIVRD: 2, UNDELIV: 5, ENROUTE: 1 } as const
const EMPTY = Buffer.alloc(0)

export async function startSmpp(options: SmppOptions): Promise<SmppSimulator> {
  const { systemId = 'counterproof', password = 'secret', reportMs = 20 } = options
  const messages: Received[] = []
  const confirmed: number[] = []
  const bound = new Set<Socket>()
  const all = new Set<Socket>()
  let fault = options.fault ?? null
  let binds = 0
  let sequence = 0

  const report = (messageId: number, state: keyof typeof MESSAGE_STATES = 'DELIVRD'): void => {
    const { message } = messages[messageId - 1]
    const id = `m-${messageId}`
    const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:${state} err:000 text:`
    const body = encodeMessage({
      source: message.destination,
      destination: message.source,
      esmClass: ESM.IS_RECEIPT,
      registeredDelivery: 0,
      coding: 0,
      content: Buffer.from(text, 'latin1'),
      parameters: new Map([
        [TLV.RECEIPTED_MESSAGE_ID, encodeMessageId(id)],
        [TLV.MESSAGE_STATE, Buffer.of(MESSAGE_STATES[state])],
      ]),
    })
    for (const socket of bound)
      socket.write(encodePdu({ command: COMMAND.DELIVER_SM, status: 0, sequence: ++sequence, body }))
  }
  const takeMessage = (socket: Socket, pdu: Pdu): void => {
    const reply = (status: number, body: Buffer = EMPTY): void =>
      void socket.write(encodePdu({ command: COMMAND.SUBMIT_SM_RESP, status, sequence: pdu.sequence, body }))
    if (!bound.has(socket)) return reply(STATUS.WRONG_BIND_STATE)
    if (fault === 'throttle') return reply(STATUS.THROTTLED)
    if (fault === 'reject') return reply(STATUS.INVALID_DESTINATION)
    if (fault === 'system-error') return reply(STATUS.SYSTEM_ERROR)
    const message = decodeMessage(pdu.body)
    const { esmClass, content, coding, destination } = message
    const bare = (esmClass & HEADER_INDICATOR) === 0 ? content : content.subarray(1 + content[0])
    const received = { to: `+${destination.digits}`, text: decodeText(bare, coding), message }
    messages.push(received)
    options.onMessage?.(received)
    const number = messages.length
    if (fault === 'silent') return
    if (fault === 'drop') return void socket.destroy()
    if (fault === 'malformed') return void socket.write(Buffer.from('ffffffff80000004', 'hex'))
    if (fault === 'half') {
      socket.write(Buffer.from('0000002080000004', 'hex'))
      return void setTimeout(() => socket.destroy(), 20)
    }
    const wantsReport = message.registeredDelivery === 1 && fault !== 'no-report'
    if (wantsReport && fault === 'early-report') report(number)
    const accept = (): void => reply(STATUS.OK, encodeMessageId(`m-${number}`))
    if (fault === 'slow') setTimeout(accept, SLOW_MS)
    else accept()
    if (!wantsReport || fault === 'early-report') return
    const state = fault === 'undelivered' ? 'UNDELIV' : 'DELIVRD'
    const times = fault === 'double-report' ? 2 : 1
    setTimeout(() => {
      for (let sent = 0; sent < times; sent++) report(number, state)
    }, reportMs)
  }
  const take = (socket: Socket, pdu: Pdu): void => {
    const { command, sequence: of } = pdu
    const reply = (answer: number, status: number, body: Buffer = EMPTY): void =>
      void socket.write(encodePdu({ command: answer, status, sequence: of, body }))
    if (command === COMMAND.DELIVER_SM_RESP) confirmed.push(pdu.status)
    if (isResponse(command)) return
    if (command === COMMAND.SUBMIT_SM) return takeMessage(socket, pdu)
    if (command === COMMAND.ENQUIRE_LINK)
      return fault === 'silent' ? undefined : reply(COMMAND.ENQUIRE_LINK_RESP, 0)
    if (command === COMMAND.UNBIND) {
      reply(COMMAND.UNBIND_RESP, 0)
      return void socket.end()
    }
    if (command !== COMMAND.BIND_TRANSCEIVER) return reply(COMMAND.GENERIC_NACK, STATUS.INVALID_COMMAND)
    const asked = decodeBind(pdu.body)
    binds++
    if (asked.systemId !== systemId) return reply(COMMAND.BIND_TRANSCEIVER_RESP, STATUS.INVALID_SYSTEM_ID)
    if (fault === 'wrong-password' || asked.password !== password)
      return reply(COMMAND.BIND_TRANSCEIVER_RESP, STATUS.INVALID_PASSWORD)
    bound.add(socket)
    reply(COMMAND.BIND_TRANSCEIVER_RESP, STATUS.OK, encodeMessageId('simulator'))
  }
  const attend = (socket: Socket): void => {
    const read = createPduReader()
    all.add(socket)
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const pdu of read(chunk)) take(socket, pdu)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      all.delete(socket)
      bound.delete(socket)
    })
  }
  const server: Server = options.tls ? createTlsServer(options.tls, attend) : createServer(attend)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  const drop = (): void => {
    for (const socket of all) socket.destroy()
  }
  return {
    url: `${options.tls ? 'smpps' : 'smpp'}://127.0.0.1:${port}`,
    messages,
    confirmed,
    get binds() {
      return binds
    },
    lastCode: () => /\d{4,12}/.exec(messages.at(-1)?.text ?? '')?.[0] ?? '',
    setFault: (next) => {
      fault = next
    },
    report,
    drop,
    close: async () => {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
