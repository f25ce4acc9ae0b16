/**
 * Runs beside the server: sends what waits, tells the centre how the kiosk is, takes what it sends down, and looks
 * whether anything new may begin. Nothing here decides about proofs; whatever fails is tried again, without end.
 */
import type { Context } from '../context.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import type { KioskStatus } from '../protocol/wire.ts'
import { lookAtFreeze } from '../workflows/freeze.ts'
import { noteSyncState, syncState } from '../workflows/sync-state.ts'
import { takeBundle } from './bundles.ts'
import { createChunkSize } from './chunk-size.ts'
import { openConnections, type Connection } from './connection.ts'
import { createLine } from './line.ts'
import { openPackets } from './packets.ts'
import { isQuiet } from './quiet.ts'
import { startLoop } from './loop.ts'
import { tellStatus } from './status.ts'
import { CentreTroubleError } from './transport.ts'
import { sendDue } from './uploader.ts'

export interface SyncOptions {
  readonly ctx: Context
  /** The configuration of the machine itself, without any bundle. */
  readonly own: Config
  /** Component → status. */
  health(): Promise<KioskStatus['health']>
  /** The centre has acknowledged a proof of this identity. */
  acknowledged?(identityId: string): void
}

export interface Sync {
  /** Something waits for the centre, or is to be sent no more. */
  wake(): void
  /** Resolves when new settings wait for a restart and nobody is being proofed. */
  readonly restartWanted: Promise<void>
  close(): Promise<void>
}

/** Looks again even if nobody woke it: another process may have joined a centre, queued or withdrawn something. */
const LOOK_MS = 2_000
/** After something changed, the centre is told soon, but not after every proof. */
const TELL_SOON_MS = 3_000

export function startSync(options: SyncOptions): Sync {
  const { ctx, own } = options
  const { store, config, log } = ctx
  const { chunkBytes, timeoutMs, bytesPerSecond, pollSeconds } = config.sync
  const connections = openConnections(ctx)
  const packets = openPackets(ctx)
  const swept = packets.sweep()
  if (swept > 0) log.info({ files: swept }, 'packets that nobody refers to were removed')
  const parts = {
    packets,
    chunkSize: createChunkSize(chunkBytes, timeoutMs, bytesPerSecond),
    acknowledged: (identityId: string) => {
      try {
        options.acknowledged?.(identityId)
      } catch (error) {
        // The proof is settled all the same; the retention looks at it again by its own clock.
        log.error({ identityId, ...describeError(error) }, 'what follows an acknowledgement was not begun')
      }
    },
  }
  const line = createLine()
  const ending = new AbortController()
  const { promise: restartWanted, resolve: wantRestart } = Promise.withResolvers<void>()
  let wantsRestart = false
  let tellAt = 0
  let tellSoonAt = Infinity
  let toldKey = ''

  const failed = (error: unknown): void => {
    log.error(describeError(error), 'a round of the sync failed; the next one comes all the same')
  }

  /** One talk with the centre, if there is one and no pause is being kept. */
  const talk = async (work: (connection: Connection) => Promise<void>): Promise<void> => {
    const connection = connections.current()
    if (!connection || line.pauseMs() > 0) return
    try {
      await work(connection)
      line.worked()
      noteSuccess(ctx)
    } catch (error) {
      if (ending.signal.aborted) return
      const trouble =
        error instanceof CentreTroubleError
          ? error
          : new CentreTroubleError('line', error instanceof AppError ? error.code : 'internal', {
              cause: error,
            })
      line.failed(trouble)
      noteFailure(ctx, trouble)
    }
  }

  const fetchBundle = async ({ client, tenantId, trust }: Connection): Promise<void> => {
    const jws = await client.bundle(ending.signal)
    if (jws === null) return
    try {
      if (await takeBundle(ctx, { jws, tenantId, trust }, own, config)) wantsRestart = true
      // The centre learns at once what became of it.
      tellAt = 0
    } catch (error) {
      // Not the centre's word, or the disk takes nothing: proofs are sent all the same, and it is fetched again.
      log.error(describeError(error), 'a bundle could not be taken')
    }
  }

  const uploads = startLoop(
    LOOK_MS,
    async () => {
      const wanted = syncState(ctx).wantedAt
      if (wanted !== null) {
        noteSyncState(ctx, { wantedAt: null })
        line.tryNow()
      }
      const { backlog } = store.outbox.summary()
      if (backlog === 0 || store.outbox.due(ctx.clock.now(), 1).length === 0) return
      await talk(async (connection) => {
        const { settled, parked } = await sendDue(ctx, connection, parts, ending.signal)
        if (settled + parked > 0) tellSoonAt = Math.min(tellSoonAt, performance.now() + TELL_SOON_MS)
      })
    },
    failed,
  )

  const statuses = startLoop(
    Math.min(LOOK_MS, pollSeconds * 1000),
    async () => {
      const frozen = lookAtFreeze(ctx)
      if (wantsRestart && isQuiet(ctx)) wantRestart()
      const key = [connections.current()?.trust.centreId, frozen.join()].join('|')
      if (key !== toldKey) tellSoonAt = 0
      if (performance.now() < Math.min(tellAt, tellSoonAt)) return
      await talk(async (connection) => {
        const told = await tellStatus(ctx, connection, await options.health(), ending.signal)
        tellAt = performance.now() + pollSeconds * 1000
        tellSoonAt = Infinity
        toldKey = key
        if (told.hasNewBundle) await fetchBundle({ ...connection, trust: told.trust })
      })
    },
    failed,
  )
  return {
    wake: () => {
      uploads.wake()
    },
    restartWanted,
    close: async () => {
      ending.abort(new Error('the appliance is closing'))
      await Promise.all([uploads.close(), statuses.close()])
      await connections.close()
    },
  }
}

function noteSuccess(ctx: Context): void {
  if (syncState(ctx).failingSince !== null) noteSyncState(ctx, { failingSince: null, lastError: null })
}

function noteFailure(ctx: Context, trouble: CentreTroubleError): void {
  const { failingSince, lastError } = syncState(ctx)
  ctx.log.warn(
    {
      error: trouble.code,
      status: trouble.status,
      ...(trouble.cause instanceof Error ? describeError(trouble.cause) : {}),
    },
    'the centre could not be talked to; it is tried again',
  )
  if (failingSince !== null && lastError === trouble.code) return
  try {
    noteSyncState(ctx, { failingSince: failingSince ?? ctx.clock.now().getTime(), lastError: trouble.code })
  } catch (error) {
    ctx.log.error(describeError(error), 'the state of the sync could not be noted')
  }
}
