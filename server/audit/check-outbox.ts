/**
 * Checks that every row of `outbox` has its events, is in the last state that they record, and has a receipt of the
 * central service.
 */
import { readStatement } from '../protocol/statements.ts'
import type { AuditView } from '../store/audit-view.ts'
import type { OutboxEntry, OutboxState } from '../store/outbox.ts'
import type { EventFacts, OutboxFact } from './event-facts.ts'
import type { Findings } from './findings.ts'
import { isAsEncoded } from './statement.ts'

const TABLE = 'outbox'

/** Possible states of a row for the last recorded event. Packing records no event. */
const STATES: Readonly<Record<OutboxFact['state'], readonly OutboxState[]>> = {
  QUEUED: ['QUEUED', 'PACKED'],
  REFUSED: ['REFUSED'],
  ACKNOWLEDGED: ['ACKNOWLEDGED'],
  WITHDRAWN: ['WITHDRAWN'],
  LOST: ['LOST'],
}

export async function checkOutbox(view: AuditView, facts: EventFacts, findings: Findings): Promise<number> {
  for (const { sequence, problem } of view.auditOutbox()) {
    if (problem === 'missing') {
      findings.add(TABLE, 'missing', sequence, `Row ${sequence} of the outbox is missing.`)
    } else if (problem === 'changed') {
      const message = `Row ${sequence} of the outbox was changed after it was written, or the row before it was.`
      findings.add(TABLE, 'changed', sequence, message)
    } else {
      findings.add(
        TABLE,
        'made_up',
        sequence,
        `Row ${sequence} of the outbox was not written by this appliance.`,
      )
    }
  }
  const rows = view.outbox()
  const byProof = new Map<string, number>()
  for (const entry of rows) {
    const { sequence, proofId } = entry
    const other = byProof.get(proofId)
    if (other !== undefined) {
      const message = `Rows ${other} and ${sequence} of the outbox are of the same proof.`
      findings.add(TABLE, 'replayed', sequence, message)
    }
    byProof.set(proofId, sequence)
    const noted = facts.outbox.get(proofId)
    if (!noted) {
      const message = `Row ${sequence} of the outbox has no event outbox.queued in the log.`
      findings.add(TABLE, 'made_up', sequence, message)
      continue
    }
    for (const what of differences(entry, noted, facts)) {
      const message = `Row ${sequence} of the outbox has another ${what} than the log notes at event ${noted.seq}.`
      findings.add(TABLE, 'changed', sequence, message)
    }
    checkState(entry, noted, facts, findings)
    await checkReceipt(view, entry, findings)
  }
  for (const [proofId, { seq, sequence }] of facts.outbox) {
    if (byProof.has(proofId)) continue
    const message = `Row ${sequence} of the outbox, queued by event ${seq}, is missing.`
    findings.add(TABLE, 'missing', sequence, message)
  }
  return rows.length
}

function differences(entry: OutboxEntry, noted: OutboxFact, facts: EventFacts): string[] {
  const sealed = facts.sealed.get(entry.proofId)
  const differs: readonly (readonly [string, boolean])[] = [
    ['number', entry.sequence !== noted.sequence],
    ['identity', entry.identityId !== noted.identityId],
    ['SHA-256', sealed?.sha256 !== undefined && entry.sha256 !== sealed.sha256],
    ['time of sealing', sealed !== undefined && entry.sealedAt.getTime() !== sealed.at],
  ]
  return differs.flatMap(([what, different]) => (different ? [what] : []))
}

function checkState(entry: OutboxEntry, noted: OutboxFact, facts: EventFacts, findings: Findings): void {
  const { sequence, state, receipt } = entry
  // After joining a central service again, the kiosk sends rejected proofs again.
  const sentAgain = noted.state === 'REFUSED' && facts.lastEnrolledSeq > noted.stateSeq
  const allowed = sentAgain ? [...STATES.REFUSED, ...STATES.QUEUED] : STATES[noted.state]
  if (!allowed.includes(state)) {
    const message =
      `Row ${sequence} of the outbox is in state ${state}, but the last that the log notes of it, at event ` +
      `${noted.stateSeq}, is ${noted.state}: an older row was put back, or it was changed.`
    findings.add(TABLE, 'replayed', sequence, message)
  }
  const needsReceipt = state === 'ACKNOWLEDGED'
  const mayHaveOne = needsReceipt || entry.isGivenUp
  if (needsReceipt && receipt === null) {
    const message = `Row ${sequence} of the outbox is acknowledged, and has no receipt of the central service.`
    findings.add(TABLE, 'changed', sequence, message)
  } else if (receipt !== null && !mayHaveOne) {
    const message = `Row ${sequence} of the outbox has a receipt, and is in state ${state}.`
    findings.add(TABLE, 'changed', sequence, message)
  }
}

async function checkReceipt(view: AuditView, entry: OutboxEntry, findings: Findings): Promise<void> {
  const { sequence, proofId, sha256, receipt } = entry
  if (receipt === null) return
  const keys = view.centralKeys()
  // A kiosk that has left its central service has no keys of it: the receipts cannot be verified.
  if (keys.length === 0) return
  const stated = isAsEncoded(receipt) ? await readStatement('receipt', receipt, keys).catch(() => null) : null
  if (stated === null) {
    const message = `The receipt in row ${sequence} of the outbox was not signed by this kiosk’s central service.`
    findings.add(TABLE, 'changed', sequence, message)
    return
  }
  const fits =
    stated.kioskId === view.applianceId &&
    stated.proofId === proofId &&
    stated.sequence === sequence &&
    stated.sha256 === sha256 &&
    (stated.state === 'STORED' || entry.isGivenUp)
  if (!fits) {
    const message = `The receipt in row ${sequence} of the outbox is for something else: it was swapped.`
    findings.add(TABLE, 'replayed', sequence, message)
  }
}
