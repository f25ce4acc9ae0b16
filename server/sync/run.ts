/**
 * Runs beside the server: sends waiting proofs, reports the kiosk's status to the central service, applies
 * its bundles, checks the trust lists with it, fetches releases, and checks whether new proofings may begin. It decides nothing about proofs and retries every
 * failure without end.
 */
import type { Context } from '../context.ts'
import type { Config } from '../config/config.ts'
import { describeError } from '../log.ts'
import type { KioskStatus } from '../protocol/wire.ts'
import { readLastFreezeReasons, updateFreeze } from '../workflows/health/freeze.ts'
import { takeBundle } from './bundles.ts'
import { createChunkSize } from './chunk-size.ts'
import { openConnections, type Connection } from './connection.ts'
import { takeDeletions } from './deletions.ts'
import { startLoop } from './loop.ts'
import { openPackets } from './packets.ts'
import { isQuiet } from './quiet.ts'
import { sendStatus } from './status.ts'
import { createReleaseUpdates } from './releases.ts'
import { createTalks } from './talks.ts'
import { CentralTroubleError } from './transport.ts'
import { createTrustUpdates } from './trust-bundle.ts'
import { openUpdateMachine, type UpdateMachine } from './update-machine.ts'
import { sendDue } from './uploader.ts'

export interface SyncOptions {
  readonly ctx: Context
  /** The configuration of the machine itself, without any bundle. */
  readonly own: Config
  /** Maps each component to its status. */
  health(): Promise<KioskStatus['health']>
  /** The package and the root updater of this machine. */
  readonly machine?: UpdateMachine
  /** The central service has acknowledged a proof of this identity. */
  acknowledged?(identityId: string): void
}

export interface Sync {
  /** There is a new proof to send, or one was withdrawn. */
  wake(): void
  /** Resolves when new settings need a restart and no proofing is in progress. */
  readonly restartWanted: Promise<void>
  close(): Promise<void>
}

/**
 * Polls even if not woken: another process may have joined a central service, queued or withdrawn a proof.
 */
const LOOK_MS = 2_000
const LOOK_AT_ONCE = 100
/** After a delivery the next status follows soon, but not after every proof. */
const TELL_SOON_MS = 3_000

export function startSync(options: SyncOptions): Sync {
  const { ctx, own } = options
  const { store, config, log } = ctx
  const { chunkBytes, timeoutMs, bytesPerSecond, pollSeconds } = config.sync
  const connections = openConnections(ctx)
  const ending = new AbortController()
  const talks = createTalks(ctx, connections, ending.signal)
  const packets = openPackets(ctx)
  const trustUpdates = createTrustUpdates(ctx)
  const releases = createReleaseUpdates(ctx, options.machine ?? openUpdateMachine())
  const swept = packets.sweep()
  if (swept > 0) log.info({ files: swept }, 'unused packets were removed')
  const parts = {
    packets,
    chunkSize: createChunkSize(chunkBytes, timeoutMs, bytesPerSecond),
    acknowledged: (identityId: string) => {
      try {
        options.acknowledged?.(identityId)
      } catch (error) {
        // The proof is settled anyway; the retention checks it again by its own clock.
        log.error(
          { identityId, ...describeError(error) },
          'the work after an acknowledgement could not be started',
        )
      }
    },
  }
  const { promise: restartWanted, resolve: wantRestart } = Promise.withResolvers<void>()
  let wantsRestart = false
  /** Result of the last status: the time of the next one, and the reported keys and situation. */
  let tellAt = 0
  let sentKeys = ''
  let sentSituation = ''
  /** A status was answered, so that the keys of the central service are its present ones. */
  let [isTrustDue, isUpdateDue] = [false, false]

  /** Facts whose change is reported immediately. */
  const situation = (): string =>
    [connections.current()?.trust.centreId, readLastFreezeReasons(ctx).join(), listKeyIds(ctx)].join('|')

  const tell = () =>
    talks.withConnection(async (connection) => {
      const [now, keys] = [situation(), listKeyIds(ctx)]
      const told = await sendStatus(
        ctx,
        connection,
        { health: await options.health(), updates: await releases.report() },
        ending.signal,
      )
      tellAt = performance.now() + pollSeconds * 1000
      sentSituation = now
      sentKeys = keys
      releases.note(told.update)
      isTrustDue = isUpdateDue = true
      trusts.wake()
      updates.wake()
      await noteDeletions({ ...connection, trust: told.trust }, told.lastDeletion)
      if (told.hasNewBundle) await fetchBundle({ ...connection, trust: told.trust })
    })

  /** Has a loop of its own, because a download may take minutes. A failure pauses no proof: the next status leads to the next try. */
  const updateTrust = async (): Promise<void> => {
    const connection = connections.current()
    if (!isTrustDue || !connection) return
    isTrustDue = false
    try {
      await trustUpdates.run(connection, ending.signal)
    } catch (error) {
      if (ending.signal.aborted) return
      const code = error instanceof CentralTroubleError ? error.code : 'internal'
      log.warn(
        { ...describeError(error), error: code },
        'the trust lists could not be checked with the central service',
      )
    }
  }

  /** The same for the package of a release, which may take hours. */
  const update = async (): Promise<void> => {
    const connection = connections.current()
    if (!isUpdateDue || !connection) return
    isUpdateDue = false
    try {
      if (await releases.run(connection, ending.signal)) tellAt = 0
    } catch (error) {
      if (ending.signal.aborted) return
      const code = error instanceof CentralTroubleError ? error.code : 'internal'
      log.warn(
        { ...describeError(error), error: code },
        'a release of the central service is not requested yet',
      )
    }
  }

  const noteDeletions = async (connection: Connection, newest: string | undefined): Promise<void> => {
    try {
      const receipts = await takeDeletions(ctx, connection, newest, ending.signal)
      if (receipts > 0) log.info({ receipts }, 'the central service has deleted proofs of this kiosk')
    } catch (error) {
      if (error instanceof CentralTroubleError) throw error
      // Proofs are sent anyway, and the receipts are fetched again.
      log.error(describeError(error), 'the receipts of deleted proofs could not be recorded')
    }
  }

  const fetchBundle = async ({ client, tenantId, trust }: Connection): Promise<void> => {
    const jws = await client.bundle(ending.signal)
    if (jws === null) return
    try {
      if (await takeBundle(ctx, { jws, tenantId, trust }, own, config)) wantsRestart = true
      // Report the result to the central service immediately.
      tellAt = 0
    } catch (error) {
      // Not a statement of the central service, or the disk refuses writes: proofs are sent anyway, and the
      // bundle is fetched again.
      log.error(describeError(error), 'a bundle could not be applied')
    }
  }

  const upload = async (): Promise<void> => {
    talks.resumeIfRequested()
    const due = store.outbox.due(ctx.clock.now(), LOOK_AT_ONCE)
    if (due.length === 0) return
    // Packets of erased identities are removed, with or without a network.
    for (const entry of due) if (entry.isGivenUp) packets.remove(entry.proofId)
    // A proof with an unreported key would be refused.
    if (listKeyIds(ctx) !== sentKeys && !(await tell())) return
    await talks.withConnection(async (connection) => {
      const { settled, parked } = await sendDue(ctx, connection, parts, ending.signal)
      if (settled + parked > 0) tellAt = Math.min(tellAt, performance.now() + TELL_SOON_MS)
    })
  }

  const look = async (): Promise<void> => {
    updateFreeze(ctx)
    if (wantsRestart && isQuiet(ctx)) wantRestart()
    if (performance.now() >= tellAt || situation() !== sentSituation) await tell()
  }

  const failed = (error: unknown): void => {
    log.error(describeError(error), 'a round of the sync failed and will be repeated')
  }
  const trusts = startLoop(LOOK_MS, updateTrust, failed)
  const updates = startLoop(LOOK_MS, update, failed)
  const uploads = startLoop(LOOK_MS, upload, failed)
  const looks = startLoop(Math.min(LOOK_MS, pollSeconds * 1000), look, failed)
  return {
    wake: () => {
      uploads.wake()
    },
    restartWanted,
    close: async () => {
      ending.abort(new Error('the appliance is closing'))
      await Promise.all([uploads.close(), looks.close(), trusts.close(), updates.close()])
      await connections.close()
    },
  }
}

/** Lists the ids of the keys that sign proofs. */
function listKeyIds({ store }: Context): string {
  const ids = store.signingKeys.publicKeys().map(({ kid }) => kid)
  return ids.join()
}
