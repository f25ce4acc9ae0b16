/**
 * Runs beside the server: sends what waits, tells the central service how the kiosk is, takes what it sends down, and looks
 * whether anything new may begin. Nothing here decides about proofs; whatever fails is tried again, without end.
 */
import type { Context } from '../context.ts'
import type { Config } from '../config/config.ts'
import { describeError } from '../log.ts'
import type { KioskStatus } from '../protocol/wire.ts'
import { frozenSince, lookAtFreeze } from '../workflows/health/freeze.ts'
import { takeBundle } from './bundles.ts'
import { createChunkSize } from './chunk-size.ts'
import { openConnections, type Connection } from './connection.ts'
import { startLoop } from './loop.ts'
import { openPackets } from './packets.ts'
import { isQuiet } from './quiet.ts'
import { tellStatus } from './status.ts'
import { createTalks } from './talks.ts'
import { sendDue } from './uploader.ts'

export interface SyncOptions {
  readonly ctx: Context
  /** The configuration of the machine itself, without any bundle. */
  readonly own: Config
  /** Component → status. */
  health(): Promise<KioskStatus['health']>
  /** The central service has acknowledged a proof of this identity. */
  acknowledged?(identityId: string): void
}

export interface Sync {
  /** Something waits for the central service, or is to be sent no more. */
  wake(): void
  /** Resolves when new settings wait for a restart and nobody is being proofed. */
  readonly restartWanted: Promise<void>
  close(): Promise<void>
}

/** Looks again even if nobody woke it: another process may have joined a central service, queued or withdrawn something. */
const LOOK_MS = 2_000
const LOOK_AT_ONCE = 100
/** After something was sent, the central service is told soon, but not after every proof. */
const TELL_SOON_MS = 3_000

export function startSync(options: SyncOptions): Sync {
  const { ctx, own } = options
  const { store, config, log } = ctx
  const { chunkBytes, timeoutMs, bytesPerSecond, pollSeconds } = config.sync
  const connections = openConnections(ctx)
  const ending = new AbortController()
  const talks = createTalks(ctx, connections, ending.signal)
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
  const { promise: restartWanted, resolve: wantRestart } = Promise.withResolvers<void>()
  let wantsRestart = false
  /** Of the last status: when the next one is due, what it told of the kiosk's keys and of its situation. */
  let tellAt = 0
  let toldKeys = ''
  let toldSituation = ''

  /** What the central service hears of at once when it changes. */
  const situation = (): string =>
    [connections.current()?.trust.centreId, frozenSince(ctx).join(), keysOf(ctx)].join('|')

  const tell = () =>
    talks.have(async (connection) => {
      const [now, keys] = [situation(), keysOf(ctx)]
      const told = await tellStatus(ctx, connection, await options.health(), ending.signal)
      tellAt = performance.now() + pollSeconds * 1000
      toldSituation = now
      toldKeys = keys
      if (told.hasNewBundle) await fetchBundle({ ...connection, trust: told.trust })
    })

  const fetchBundle = async ({ client, tenantId, trust }: Connection): Promise<void> => {
    const jws = await client.bundle(ending.signal)
    if (jws === null) return
    try {
      if (await takeBundle(ctx, { jws, tenantId, trust }, own, config)) wantsRestart = true
      // The central service learns at once what became of it.
      tellAt = 0
    } catch (error) {
      // Not the central service's word, or the disk takes nothing: proofs are sent all the same, and it is fetched again.
      log.error(describeError(error), 'a bundle could not be taken')
    }
  }

  const upload = async (): Promise<void> => {
    talks.heedOperator()
    const due = store.outbox.due(ctx.clock.now(), LOOK_AT_ONCE)
    if (due.length === 0) return
    // Of an identity that was erased nothing stays, with a line or without one.
    for (const entry of due) if (entry.isGivenUp) packets.remove(entry.proofId)
    // A proof under a key that the central service has not been told of would be refused.
    if (keysOf(ctx) !== toldKeys && !(await tell())) return
    await talks.have(async (connection) => {
      const { settled, parked } = await sendDue(ctx, connection, parts, ending.signal)
      if (settled + parked > 0) tellAt = Math.min(tellAt, performance.now() + TELL_SOON_MS)
    })
  }

  const look = async (): Promise<void> => {
    lookAtFreeze(ctx)
    if (wantsRestart && isQuiet(ctx)) wantRestart()
    if (performance.now() >= tellAt || situation() !== toldSituation) await tell()
  }

  const failed = (error: unknown): void => {
    log.error(describeError(error), 'a round of the sync failed; the next one comes all the same')
  }
  const uploads = startLoop(LOOK_MS, upload, failed)
  const looks = startLoop(Math.min(LOOK_MS, pollSeconds * 1000), look, failed)
  return {
    wake: () => {
      uploads.wake()
    },
    restartWanted,
    close: async () => {
      ending.abort(new Error('the appliance is closing'))
      await Promise.all([uploads.close(), looks.close()])
      await connections.close()
    },
  }
}

/** The keys that sign proofs, by their ids. */
function keysOf({ store }: Context): string {
  const ids = store.signingKeys.publicKeys().map(({ kid }) => kid)
  return ids.join()
}
