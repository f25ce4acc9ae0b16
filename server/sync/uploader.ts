/**
 * Empties the outbox: every due row, oldest first, one at a time, until none is left or the connection fails.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { pauseAfter } from './back-off.ts'
import type { ChunkSize } from './chunk-size.ts'
import type { Connection } from './connection.ts'
import { deliver, park, type Outcome } from './deliver.ts'
import type { Packets } from './packets.ts'
import { CentralTroubleError } from './transport.ts'

interface UploaderParts {
  readonly packets: Packets
  readonly chunkSize: ChunkSize
  acknowledged?(identityId: string): void
}

const OUTCOME_MESSAGES: Readonly<Record<Outcome, string>> = {
  settled: 'the central service acknowledged a proof',
  parked: 'a proof is parked for an operator',
  'given up': 'a withdrawn or lost proof is not sent',
}

type UploadContext = Pick<Context, 'store' | 'clock' | 'log'>

export interface Progress {
  readonly settled: number
  readonly parked: number
}

/**
 * Throws CentralTroubleError if the connection failed or the central service refuses this kiosk: then every
 * row waits. An error of a single row delays only that row.
 */
export async function sendDue(
  ctx: UploadContext,
  connection: Connection,
  parts: UploaderParts,
  signal?: AbortSignal,
): Promise<Progress> {
  const progress = { settled: 0, parked: 0 }
  for (;;) {
    signal?.throwIfAborted()
    const [entry] = ctx.store.outbox.due(ctx.clock.now(), 1)
    if (!entry) return progress
    const outcome = await attempt(ctx, connection, parts, entry, signal)
    if (outcome === 'parked') progress.parked++
    else if (outcome !== 'waits') progress.settled++
  }
}

async function attempt(
  ctx: UploadContext,
  { client, trust }: Connection,
  parts: UploaderParts,
  entry: OutboxEntry,
  signal?: AbortSignal,
) {
  const { store, clock, log } = ctx
  const { sequence, proofId } = entry
  try {
    const outcome = await deliver({ store, clock, client, trust, ...parts }, sequence, signal)
    log.info({ sequence, proofId }, OUTCOME_MESSAGES[outcome])
    return outcome
  } catch (error) {
    if (signal?.aborted) throw error
    if (error instanceof CentralTroubleError) {
      if (error.trouble === 'line' || error.trouble === 'kiosk') throw error
      log.warn(
        { sequence, proofId, error: error.code, status: error.status },
        'the central service did not take a proof',
      )
      // The refusal is final: the same request would be refused again.
      if (error.trouble === 'request') return park(ctx, entry, error.code)
      retryLater(ctx, entry, error.code, error.retryAfterMs)
      return 'waits'
    }
    log.error({ sequence, proofId, ...describeError(error) }, 'a proof could not be sent')
    const code = error instanceof AppError ? error.code : 'internal'
    if (code === 'storage_damaged') return park(ctx, entry, code)
    retryLater(ctx, entry, code, null)
    return 'waits'
  }
}

function retryLater(
  { store, clock }: UploadContext,
  entry: OutboxEntry,
  code: string,
  atLeastMs: number | null,
) {
  const pauseMs = Math.max(pauseAfter(entry.attempts + 1, Math.random()), atLeastMs ?? 0)
  store.outbox.retry(entry.sequence, new Date(clock.now().getTime() + pauseMs), code)
}
