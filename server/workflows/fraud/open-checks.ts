/** Marks antifraud checks as open, on request or because their inputs changed. */
import type { Context } from '../../context.ts'
import {
  isOutdatedFraudCheck,
  listAdverseIndicators,
  type Counting,
} from '../../proofing/antifraud/outdated.ts'
import type { StoredFraudCheck } from '../../store/fraud-checks.ts'

/** Must run inside a transaction. Its warnings stay valid until it is decided again; its passes do not. */
export function openFraudCheck(
  ctx: Context,
  identityId: string,
  { type, indicators, subjects }: Pick<StoredFraudCheck, 'type' | 'indicators' | 'subjects'>,
  measured: StoredFraudCheck['measured'] = {},
): void {
  ctx.store.fraudChecks.put(identityId, {
    type,
    status: 'PROCESSING',
    indicators: listAdverseIndicators(indicators),
    subjects,
    measured,
    requestedAt: ctx.clock.now(),
    evaluatedAt: null,
  })
}

/**
 * Must run inside the transaction that evaluates: repeats checks whose evidence is not the present one. The
 * level must then be evaluated again.
 */
export function renewFraudChecks(ctx: Context, identityId: string, counting: Counting): void {
  if (!ctx.config.tenant.features.antifraud) return
  const outdated = ctx.store.fraudChecks
    .list(identityId)
    .filter((check) => isOutdatedFraudCheck(check, counting))
  if (outdated.length === 0) return
  for (const check of outdated) openFraudCheck(ctx, identityId, check)
  ctx.store.jobs.add('run-fraud-checks', identityId, {}, ctx.clock.now())
}
