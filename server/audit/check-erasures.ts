/**
 * Checks that every erasure has its event and a receipt signed by this appliance, and that no erased identity has
 * returned.
 */
import { KeyError, type KeySource } from '../proof/verify.ts'
import { verifyDeletionReceipt, type DeletionReceipt } from '../proof/verify/deletion-receipt.ts'
import { formatSpecDateTime } from '../proofing/time.ts'
import type { AuditView } from '../store/audit-view.ts'
import type { Erasure } from '../store/erasures.ts'
import type { EventFacts } from './event-facts.ts'
import type { Findings } from './findings.ts'
import { isAsEncoded } from './statement.ts'

const TABLE = 'erasures'

export function checkErasures(
  view: AuditView,
  erasures: readonly Erasure[],
  facts: EventFacts,
  keys: KeySource,
  findings: Findings,
): void {
  const begun = new Map(
    facts.noted.flatMap((event) =>
      event.type === 'erasure.begun' ? [[event.identityId, event] as const] : [],
    ),
  )
  for (const erasure of erasures) {
    const { identityId, erasedAt, reason, actor, begunAt } = erasure
    const beginning = begun.get(identityId)
    begun.delete(identityId)
    if (!beginning) {
      const message = `The erasure of identity ${identityId} has no event erasure.begun in the log: it was never requested.`
      findings.add(TABLE, 'made_up', identityId, message)
    } else if (
      beginning.at !== begunAt.getTime() ||
      beginning.actor !== actor ||
      beginning.reason !== reason
    ) {
      const message = `The erasure of identity ${identityId} says another beginning, reason or author than event ${beginning.seq}.`
      findings.add(TABLE, 'changed', identityId, message)
    }
    // Pending: the next start completes it.
    if (erasedAt === null && !facts.erased.has(identityId)) continue
    const noted = facts.erased.get(identityId)
    if (!noted) {
      if (!beginning) continue
      const message = `The erasure of identity ${identityId} has no event identity.erased in the log.`
      findings.add(TABLE, 'made_up', identityId, message)
      continue
    }
    if (erasedAt?.getTime() !== noted.at || reason !== noted.reason || actor !== noted.actor) {
      const message = `The erasure of identity ${identityId} says another time, reason or author than event ${noted.seq}.`
      findings.add(TABLE, 'changed', identityId, message)
    }
    const receipt = receiptIn(erasure.receipt, keys)
    if (receipt === null) {
      const message = `The deletion receipt of identity ${identityId} was not signed by a key of this appliance.`
      findings.add(TABLE, 'changed', identityId, message)
    } else if (!fits(receipt, erasure, view.applianceId)) {
      const message = `The deletion receipt of identity ${identityId} is for something else: it was swapped.`
      findings.add(TABLE, 'replayed', identityId, message)
    }
    if (view.hasIdentity(identityId)) {
      const message = `Identity ${identityId} was erased, and its row is there again.`
      findings.add(TABLE, 'replayed', identityId, message)
    }
  }
  // Versions before 0.3 recorded no start of an erasure and no row.
  for (const [identityId, { seq }] of begun) {
    const message = `The erasure of identity ${identityId}, begun by event ${seq}, is missing.`
    findings.add(TABLE, 'missing', identityId ?? '', message)
  }
}

/** Contents of a receipt; null if there is none or no key of this appliance signed it. */
export function receiptIn(receipt: string | null, keys: KeySource): DeletionReceipt | null {
  if (receipt === null || !isAsEncoded(receipt)) return null
  try {
    return verifyDeletionReceipt(receipt, keys).receipt
  } catch (error) {
    if (error instanceof KeyError) return null
    throw error
  }
}

function fits(receipt: DeletionReceipt, erasure: Erasure, applianceId: string): boolean {
  return (
    receipt.applianceId === applianceId &&
    receipt.identityId === erasure.identityId &&
    receipt.tenantId === erasure.tenantId &&
    receipt.reason === erasure.reason &&
    (receipt.proofId ?? null) === erasure.proofId &&
    receipt.begunAt === formatSpecDateTime(erasure.begunAt) &&
    erasure.erasedAt !== null &&
    receipt.erasedAt === formatSpecDateTime(erasure.erasedAt)
  )
}
