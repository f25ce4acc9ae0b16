/**
 * An SMS carrier by SMPP 3.4: stays bound to the SMSC, connects again after a fault, keeps to the window, and waits where the
 * SMSC asks for it. Numbers and texts are passed on, neither stored nor logged.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../clock.ts'
import { createServiceHealth } from '../../service/service-health.ts'
import { waitOutside } from '../../service/outside-wait.ts'
import type { DeliveryReport, Carrier, PasscodeMessage, CarrierOutcome } from '../../carrier.ts'
import { openConnection, type Connection, type LinkSettings, type LinkTrouble } from './connection.ts'
import { encodeText } from './gsm.ts'
import { COMMAND, decodeMessageId, encodeMessage, ESM, STATUS, type Address, type Receipt } from './pdu.ts'

export interface SmppSettings extends LinkSettings {
  readonly sender: string
  /** Asks the SMSC for delivery reports. */
  readonly reports: boolean
  /** Messages without an answer at the same time. */
  readonly window: number
  /** Pauses before the next connection; the last one repeats. */
  readonly pausesMs?: readonly number[]
}

const PAUSES_MS = [1_000, 5_000, 15_000, 60_000]
/** Pause after the SMSC asked for one; it doubles. */
const THROTTLED_MS = 500

/** The SMSC cannot take the message now; it was not sent. */
const BUSY: readonly number[] = [STATUS.THROTTLED, STATUS.QUEUE_FULL]
/** Another try may succeed, and it is unknown whether the message was sent. */
const TEMPORARY: readonly number[] = [STATUS.SYSTEM_ERROR, STATUS.TEMPORARY_ERROR, STATUS.WRONG_BIND_STATE]

const TELEPHONE = { ton: 1, npi: 1 } as const

export function openSmppCarrier(settings: SmppSettings, clock: Clock): Carrier {
  const closing = new AbortController()
  const link = createServiceHealth(clock, 'there is no connection to the carrier')
  const messages = createServiceHealth(clock, 'the last message was not accepted')
  /** A report before the appliance is ready is refused, so that the SMSC sends it again. */
  let onReport: (report: DeliveryReport) => void = () => {
    throw new Error('not ready')
  }
  let current: Connection | null = null
  let trouble: LinkTrouble = 'unreachable'
  /** Resolved at the end of every attempt to connect. */
  let attempt = Promise.withResolvers<void>()
  let hurry = new AbortController()

  const takeReceipt = ({ messageId, state }: Receipt): void => {
    if (state !== 'UNKNOWN') onReport({ messageId, isDelivered: state === 'DELIVERED' })
  }
  const keepBound = async (): Promise<void> => {
    const pauses = settings.pausesMs ?? PAUSES_MS
    for (let failures = 0; !closing.signal.aborted;) {
      const opened = await openConnection(settings, takeReceipt, closing.signal)
      if (typeof opened !== 'string') {
        failures = 0
        current = opened
        link.note(null)
        if (closing.signal.aborted) opened.close()
      }
      attempt.resolve()
      attempt = Promise.withResolvers<void>()
      trouble = typeof opened === 'string' ? opened : await opened.ended
      current = null
      link.note(trouble)
      const pauseMs = pauses[Math.min(failures, pauses.length - 1)]
      failures++
      const signal = AbortSignal.any([closing.signal, hurry.signal])
      await wait(pauseMs, undefined, { signal }).catch(() => undefined)
      hurry = new AbortController()
    }
  }
  /** A message does not wait for a long pause to end. */
  const getConnection = async (withinMs: number): Promise<Connection | LinkTrouble> => {
    if (current) return current
    const attempted = attempt.promise.then(() => current ?? trouble)
    hurry.abort()
    return Promise.race([
      attempted,
      wait(withinMs, 'timeout' as const, { signal: closing.signal }).catch(() => 'unreachable' as const),
    ])
  }
  const window = createWindow(settings.window)

  const submit = async (body: Buffer, endsAt: number, onTry: () => void): Promise<CarrierOutcome> => {
    const left = () => endsAt - performance.now()
    for (let pauseMs = THROTTLED_MS; ; pauseMs *= 2) {
      if (closing.signal.aborted) return { kind: 'unavailable', reason: 'unreachable' }
      if (left() <= 0) return { kind: 'unavailable', reason: 'timeout' }
      const connection = await getConnection(left())
      if (typeof connection === 'string') return unavailable(connection)
      onTry()
      const answer = await connection.request(COMMAND.SUBMIT_SM, body, left())
      if (typeof answer === 'string') return unavailable(answer)
      const { command, status } = answer
      if (!BUSY.includes(status)) return readAnswer(command, status, answer.body)
      if (left() <= pauseMs) return { kind: 'unavailable', reason: 'throttled', commandStatus: status }
      await wait(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const readAnswer = (command: number, status: number, body: Buffer): CarrierOutcome => {
    if (command !== COMMAND.SUBMIT_SM_RESP || TEMPORARY.includes(status))
      return { kind: 'unavailable', reason: 'unexpected-answer', commandStatus: status }
    if (status !== STATUS.OK) return { kind: 'request-refused', commandStatus: status }
    const messageId = readMessageId(body)
    if (messageId === null) return { kind: 'unavailable', reason: 'malformed' }
    return settings.reports && messageId !== '' ? { kind: 'accepted', messageId } : { kind: 'accepted' }
  }
  const sendParts = async ({ to, text }: PasscodeMessage, onTry: () => void): Promise<CarrierOutcome> => {
    const endsAt = performance.now() + settings.timeoutMs
    const { coding, parts } = encodeText(text, randomInt(256))
    let outcome: CarrierOutcome = { kind: 'accepted' }
    for (const content of parts) {
      const body = encodeMessage({
        source: chooseSender(settings.sender),
        destination: { ...TELEPHONE, digits: to.replace(/^\+/, '') },
        esmClass: parts.length > 1 ? ESM.HAS_HEADER : 0,
        // The report about the last part stands for the whole message.
        registeredDelivery: settings.reports && content === parts.at(-1) ? 1 : 0,
        coding,
        content,
        parameters: new Map(),
      })
      outcome = await submit(body, endsAt, onTry)
      if (outcome.kind !== 'accepted') break
    }
    return outcome
  }
  void keepBound()
  return {
    send: async (message) => {
      const startedAt = performance.now()
      let tries = 0
      const outcome = await waitOutside(() => window(() => sendParts(message, () => tries++)))
      messages.note(outcome.kind === 'accepted' ? null : describe(outcome))
      return { ...outcome, effort: { tries, durationMs: Math.round(performance.now() - startedAt) } }
    },
    onReport: (handler) => {
      onReport = handler
    },
    health: () => {
      const connection = link.read()
      return connection.status === 'UP' ? messages.read() : connection
    },
    close: () => {
      closing.abort()
      current?.close()
    },
  }
}

const unavailable = (trouble: LinkTrouble): CarrierOutcome =>
  trouble === 'credentials-refused' ? { kind: trouble } : { kind: 'unavailable', reason: trouble }

function describe(outcome: Exclude<CarrierOutcome, { kind: 'accepted' }>): string {
  const name = outcome.kind === 'unavailable' ? outcome.reason : outcome.kind
  const status = 'commandStatus' in outcome ? outcome.commandStatus : undefined
  return status === undefined ? name : `${name} (SMPP 0x${status.toString(16).padStart(2, '0')})`
}

/** Null for a response that cannot be read. */
function readMessageId(body: Buffer): string | null {
  try {
    return decodeMessageId(body)
  } catch {
    return null
  }
}

/** A number in E.164 form, a short code, or a name of up to 11 characters. */
function chooseSender(sender: string): Address {
  if (/^\+\d{1,15}$/.test(sender)) return { ...TELEPHONE, digits: sender.slice(1) }
  if (/^\d{1,8}$/.test(sender)) return { ton: 3, npi: 0, digits: sender }
  return { ton: 5, npi: 0, digits: sender }
}

/** Runs at most this many at the same time; the others wait in the order of their calls. */
function createWindow(size: number) {
  let free = size
  const queue: (() => void)[] = []
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await run()
    } finally {
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
