/**
 * Conversations with the central service: one pause after failures for all of them, and a record of the last
 * result.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import { noteSyncState, syncState } from '../workflows/health/sync-state.ts'
import type { Connection, Connections } from './connection.ts'
import { createLine } from './line.ts'
import { CentralTroubleError } from './transport.ts'

export interface CentralTalks {
  /**
   * Resolves at the end; false: there was none (no central service, a pause, a failure, the shutdown). Never
   * rejects.
   */
  withConnection(work: (connection: Connection) => Promise<void>): Promise<boolean>
  /** Ends the pause if an operator asked for it from another process. */
  resumeIfRequested(): void
}

type TalkContext = Pick<Context, 'store' | 'clock' | 'log'>

export function createTalks(ctx: TalkContext, connections: Connections, ending: AbortSignal): CentralTalks {
  const line = createLine()
  return {
    withConnection: async (work) => {
      const connection = connections.current()
      if (!connection || line.pauseMs() > 0) return false
      try {
        await work(connection)
        line.worked()
        if (syncState(ctx).failingSince !== null) noteSyncState(ctx, { failingSince: null, lastError: null })
        return true
      } catch (error) {
        if (ending.aborted) return false
        const trouble = toCentralTrouble(error)
        line.failed(trouble)
        noteFailure(ctx, trouble)
        return false
      }
    },
    resumeIfRequested: () => {
      if (syncState(ctx).wantedAt === null) return
      noteSyncState(ctx, { wantedAt: null })
      line.tryNow()
    },
  }
}

/** After an answer that is not the central service's, or if the disk refuses writes, everything waits too. */
function toCentralTrouble(error: unknown): CentralTroubleError {
  if (error instanceof CentralTroubleError) return error
  const code = error instanceof AppError ? error.code : 'internal'
  return new CentralTroubleError('line', code, { cause: error })
}

function noteFailure(ctx: TalkContext, trouble: CentralTroubleError): void {
  const { code: error, status, cause } = trouble
  const fields = { ...(cause instanceof Error ? describeError(cause) : {}), error, status }
  ctx.log.warn(fields, 'the connection to the central service failed and will be retried')
  try {
    const { failingSince, lastError } = syncState(ctx)
    if (failingSince !== null && lastError === error) return
    noteSyncState(ctx, { failingSince: failingSince ?? ctx.clock.now().getTime(), lastError: error })
  } catch (second) {
    ctx.log.error(describeError(second), 'the state of the sync could not be recorded')
  }
}
