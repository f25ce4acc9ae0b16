/**
 * Traces of proofings for OpenTelemetry: one trace for each identity, whose id is the id of the identity. Spans hold names of operations,
 * jobs, steps and calls, states and codes: never a personal value. Spans that cannot be sent are dropped; a proofing never waits.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'

/** OTLP's numbers of a status. */
const OK = 1
const ERROR = 2

export type Attributes = Readonly<Record<string, string | number>>

export interface Span {
  /** 32 and 16 hexadecimal digits (W3C Trace Context). */
  readonly traceId: string
  readonly spanId: string
  /** Null: the span of the whole proofing. */
  readonly parentSpanId: string | null
  readonly name: string
  readonly startedAt: Date
  readonly endedAt: Date
  readonly attributes: Attributes
  readonly status: typeof OK | typeof ERROR
}

export interface Tracer {
  /** Runs the work as a span of the trace of this identity. Work that returns a promise ends with it. */
  run<T>(name: string, identityId: string, attributes: Attributes, work: () => T): T
  /** The same within the running span; if none runs, the work runs without a span. */
  runWithin<T>(name: string, work: () => T): T
  /** Adds a span that has ended to the running span. */
  note(name: string, startedAt: Date, endedAt: Date, attributes: Attributes): void
  /** Adds the span of the whole proofing. */
  noteProofing(identityId: string, startedAt: Date, endedAt: Date): void
  /** Sends the remaining spans. */
  close(): Promise<void>
}

/** Sends spans. Returns null, or the trouble as a code. */
export type SendSpans = (spans: readonly Span[]) => Promise<string | null>

/** Spans in memory, about 1 MB: a minute of the busiest kiosk. */
const MAX_WAITING = 2_000
const MAX_BATCH = 500
const EVERY_MS = 5_000

interface Running {
  readonly traceId: string
  readonly spanId: string
}

export function createTracer(send: SendSpans, clock: Clock, log: Log): Tracer {
  const running = new AsyncLocalStorage<Running>()
  let waiting: Span[] = []
  let isFailing = false
  let sending: Promise<void> = Promise.resolve()

  const add = (span: Span): void => {
    if (waiting.length < MAX_WAITING) waiting.push(span)
  }
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      const trouble = await send(batch)
      if (trouble !== null && !isFailing) log.warn({ trouble, spans: batch.length }, 'traces cannot be sent')
      if (trouble === null && isFailing) log.info({}, 'traces are sent again')
      isFailing = trouble !== null
      if (isFailing) return
    }
  }
  const timer = setInterval(() => {
    sending = sending.then(flush)
  }, EVERY_MS)
  timer.unref()

  const runSpan = <T>(name: string, parent: Running, attributes: Attributes, work: () => T): T => {
    const own: Running = { traceId: parent.traceId, spanId: makeSpanId() }
    const startedAt = clock.now()
    const end = (failure: Attributes | null): void =>
      add({
        ...own,
        parentSpanId: parent.spanId,
        name,
        startedAt,
        endedAt: clock.now(),
        attributes: { ...attributes, ...failure },
        status: failure === null ? OK : ERROR,
      })
    return running.run(own, () => endAfter(work, end))
  }

  return {
    run: (name, identityId, attributes, work) => {
      const traceId = toTraceId(identityId)
      return traceId === null
        ? work()
        : runSpan(name, { traceId, spanId: toRootId(identityId) }, attributes, work)
    },
    runWithin: (name, work) => {
      const parent = running.getStore()
      return parent ? runSpan(name, parent, {}, work) : work()
    },
    note: (name, startedAt, endedAt, attributes) => {
      const parent = running.getStore()
      if (!parent) return
      const { traceId, spanId: parentSpanId } = parent
      add({ traceId, spanId: makeSpanId(), parentSpanId, name, startedAt, endedAt, attributes, status: OK })
    },
    noteProofing: (identityId, startedAt, endedAt) => {
      const traceId = toTraceId(identityId)
      if (traceId === null) return
      const own = { traceId, spanId: toRootId(identityId), parentSpanId: null }
      add({ ...own, name: 'proofing', startedAt, endedAt, attributes: {}, status: OK })
    },
    close: async () => {
      clearInterval(timer)
      await sending
      await flush()
    },
  }
}

/** Calls `end` after the work, with its failure as attributes. */
function endAfter<T>(work: () => T, end: (failure: Attributes | null) => void): T {
  let result: T
  try {
    result = work()
  } catch (error) {
    end(describeFailure(error))
    throw error
  }
  if (!(result instanceof Promise)) {
    end(null)
    return result
  }
  return result.then(
    (value: unknown) => {
      end(null)
      return value
    },
    (error: unknown) => {
      end(describeFailure(error))
      throw error
    },
  ) as T
}

/** The code alone: a message may quote the input. */
function describeFailure(error: unknown): Attributes {
  return { 'error.type': error instanceof AppError ? error.code : 'internal' }
}

const makeSpanId = (): string => randomBytes(8).toString('hex')

/** The 16 bytes of a UUID are those of a trace id. Null: it is no UUID. */
function toTraceId(identityId: string): string | null {
  const hex = identityId.replaceAll('-', '').toLowerCase()
  return /^(?!0{32})[0-9a-f]{32}$/.test(hex) ? hex : null
}

/** Always the same for an identity, so that spans name it before it is sent. */
function toRootId(identityId: string): string {
  return createHash('sha256').update(identityId, 'utf8').digest('hex').slice(0, 16)
}
