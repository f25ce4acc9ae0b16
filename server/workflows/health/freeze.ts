/** Checks whether new proofings may begin, and records each change in the audit log. */
import { existsSync, statfsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { describeError } from '../../log.ts'
import { freezeReasons, type FreezeFacts, type FreezeReason } from '../../proofing/freeze.ts'
import { getUpdatePaths } from '../../updates/paths.ts'
import { findStop, findUnsettledRestore } from './sync-state.ts'

type FreezeContext = Pick<Context, 'store' | 'config' | 'clock' | 'time' | 'log'>

const FROZEN = 'frozen'

/** Throws `proofings_frozen`, with the reasons. */
export function refuseWhenFrozen(ctx: FreezeContext): void {
  const reasons = updateFreeze(ctx)
  if (reasons.length > 0) throw new AppError('proofings_frozen', { reasons })
}

/**
 * Throws `proofings_frozen` if the central service has stopped this kiosk, or if a proof could get an outbox number that
 * was assigned before: a backup was restored, and the central service's last number is not known yet. This also applies to
 * proofings that were begun earlier.
 */
export function refuseToSeal(ctx: Pick<Context, 'store'>): void {
  const stop = findStop(ctx)
  if (stop !== null) {
    const reason: FreezeReason = stop.reason === 'CLONE' ? 'kiosk_cloned' : 'kiosk_revoked'
    throw new AppError('proofings_frozen', { reasons: [reason] })
  }
  if (!ctx.store.enrolments.find()?.membership || findUnsettledRestore(ctx) === null) return
  throw new AppError('proofings_frozen', { reasons: ['restore_not_settled'] })
}

/** Returns the present reasons; empty: new proofings may begin. */
export function updateFreeze(ctx: FreezeContext): readonly FreezeReason[] {
  const before = readLastFreezeReasons(ctx)
  const reasons = freezeReasons(freezeFacts(ctx), ctx.config.sync.freeze, before)
  if (reasons.join() !== before.join()) noteChange(ctx, before, reasons)
  return reasons
}

/** As recorded at the last check. */
export function readLastFreezeReasons({
  store,
}: {
  readonly store: { readonly meta: Pick<Context['store']['meta'], 'getJson'> }
}): readonly FreezeReason[] {
  return (store.meta.getJson(FROZEN) as readonly FreezeReason[] | null) ?? []
}

function noteChange(
  { store, clock, log }: FreezeContext,
  before: readonly FreezeReason[],
  reasons: readonly FreezeReason[],
): void {
  try {
    store.transaction(() => {
      store.meta.setJson(FROZEN, reasons)
      const type = reasons.length > 0 ? 'appliance.frozen' : 'appliance.thawed'
      const told = [...(reasons.length > 0 ? reasons : before)]
      store.events.append(type, null, { reasons: told }, clock.now())
    })
    log.warn(
      { reasons, before },
      reasons.length > 0 ? 'new proofings may not begin' : 'new proofings may begin again',
    )
  } catch (error) {
    // A full disk prevents the record; the freeze itself still applies. The next check records it.
    log.error({ reasons, ...describeError(error) }, 'a freeze could not be recorded')
  }
}

/** Returns the values that are compared with the limits, to show the distance. */
export function freezeFacts({ store, config, clock, time }: FreezeContext): FreezeFacts {
  const { earliest, latest } = time.statement()
  const enrolment = store.enrolments.find()
  const { backlog, oldestSealedAt, parked } = store.outbox.summary()
  const oldestAgeMs = oldestSealedAt ? clock.now().getTime() - oldestSealedAt.getTime() : null
  return {
    isBeingUpdated: existsSync(getUpdatePaths(config.dataDir).underWay),
    freeBytes: readFreeBytes(config.dataDir),
    stop: findStop({ store })?.reason ?? null,
    clockUncertaintyMs: (latest.getTime() - earliest.getTime()) / 2,
    waiting: enrolment?.membership
      ? {
          backlog,
          oldestAgeMs,
          parked,
          restoredUnheardOf: findUnsettledRestore({ store }) !== null,
        }
      : null,
  }
}

/** Returns the bytes that this process may still write there; null if unknown. */
export function readFreeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}
