/** Checks whether new proofings may begin, and records each change in the audit log. */
import { statfsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { describeError } from '../../log.ts'
import { freezeReasons, type FreezeFacts, type FreezeReason } from '../../proofing/freeze.ts'
import { restoredUnheardOf } from './sync-state.ts'

type FreezeContext = Pick<Context, 'store' | 'config' | 'clock' | 'time' | 'log'>

const FROZEN = 'frozen'

/** Throws `proofings_frozen`, with the reasons. */
export function refuseWhenFrozen(ctx: FreezeContext): void {
  const reasons = lookAtFreeze(ctx)
  if (reasons.length > 0) throw new AppError('proofings_frozen', { reasons })
}

/**
 * Throws `proofings_frozen` when a proof would take a number of the outbox that may have been given before: a backup was
 * restored, and nobody has said yet which numbers the central service has. Holds for what was begun long ago, too.
 */
export function refuseUnsettledNumbers(ctx: Pick<Context, 'store'>): void {
  if (!ctx.store.enrolments.find()?.membership || restoredUnheardOf(ctx) === null) return
  throw new AppError('proofings_frozen', { reasons: ['restore_not_settled'] })
}

/** The reasons that hold now; empty: new proofings may begin. */
export function lookAtFreeze(ctx: FreezeContext): readonly FreezeReason[] {
  const before = frozenSince(ctx)
  const reasons = freezeReasons(freezeFacts(ctx), ctx.config.sync.freeze, before)
  if (reasons.join() !== before.join()) noteChange(ctx, before, reasons)
  return reasons
}

/** As noted at the last look. */
export function frozenSince({ store }: Pick<Context, 'store'>): readonly FreezeReason[] {
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
    log.warn({ reasons, before }, reasons.length > 0 ? 'nothing new may begin' : 'new proofings may begin')
  } catch (error) {
    // A full disk takes no note of it; what counts is that nothing begins. The next look notes it.
    log.error({ reasons, ...describeError(error) }, 'a freeze could not be noted')
  }
}

/** What is compared with the limits, for whoever shows how much is left. */
export function freezeFacts({ store, config, clock, time }: FreezeContext): FreezeFacts {
  const { earliest, latest } = time.statement()
  const enrolment = store.enrolments.find()
  const { backlog, oldestSealedAt, parked } = store.outbox.summary()
  const oldestAgeMs = oldestSealedAt ? clock.now().getTime() - oldestSealedAt.getTime() : null
  return {
    freeBytes: freeBytesOf(config.dataDir),
    clockUncertaintyMs: (latest.getTime() - earliest.getTime()) / 2,
    waiting: enrolment?.membership
      ? {
          backlog,
          oldestAgeMs,
          parked,
          restoredUnheardOf: restoredUnheardOf({ store }) !== null,
        }
      : null,
  }
}

/** What this process may still write there; null when the disk does not say. */
export function freeBytesOf(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}
