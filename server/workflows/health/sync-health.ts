/** The health report of the sync with the central service. */
import type { Context } from '../../context.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import { readLastFreezeReasons } from './freeze.ts'
import { syncState } from './sync-state.ts'

/** Maximum silence of the central service before the report mentions it. */
const SILENT_MS = 15 * 60_000
/** Permanent failures: the kiosk was revoked, or another server answers in the central service's place. */
const NOT_BY_ITSELF = ['unauthorized', 'forbidden', 'statement_refused', 'tls_refused']

/** UP, or DEGRADED: proofs wait too long, or an operator has to act. */
export function syncHealth(ctx: Pick<Context, 'store' | 'clock'>) {
  const { store, clock } = ctx
  const frozen = readLastFreezeReasons(ctx)
  const frozenWords = frozen.length > 0 ? [`nothing new may begin: ${frozen.join(', ')}`] : []
  const enrolment = store.enrolments.find()
  if (!enrolment?.membership) {
    const detail = ['not configured: proofs are fetched by the relying service', ...frozenWords].join('; ')
    return { status: frozen.length > 0 ? ('DEGRADED' as const) : ('UP' as const), detail }
  }
  const { backlog, oldestSealedAt, parked } = store.outbox.summary()
  const { lastContactAt, failingSince, lastError } = syncState(ctx)
  const isSilent =
    enrolment.centralUrl !== '' &&
    clock.now().getTime() - (lastContactAt ?? enrolment.membership.enrolledAt.getTime()) > SILENT_MS
  const words = [
    `${backlog} waiting`,
    ...(oldestSealedAt ? [`the oldest since ${formatSpecDateTime(oldestSealedAt)}`] : []),
    `${parked} parked`,
    enrolment.centralUrl === ''
      ? 'no line: packets travel by hand'
      : `last contact ${lastContactAt === null ? 'never' : formatSpecDateTime(new Date(lastContactAt))}`,
    ...(failingSince === null || lastError === null ? [] : [`last failure ${lastError}`]),
    ...frozenWords,
  ]
  const needsOperator = lastError !== null && NOT_BY_ITSELF.includes(lastError)
  const isWell = frozen.length === 0 && parked === 0 && !isSilent && !needsOperator
  return { status: isWell ? ('UP' as const) : ('DEGRADED' as const), detail: words.join('; ') }
}
