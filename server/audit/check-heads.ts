/** Checks signed statements of the log's length, and the head stored beside the database, against the log. */
import type { Checkpoint } from '../store/checkpoints.ts'
import type { ChainHead } from '../store/event-chain.ts'
import type { EventFacts } from './event-facts.ts'
import type { AuditTable, Findings } from './findings.ts'
import type { CheckpointStatement } from './statement.ts'

/** A stated head: of a checkpoint, a proof, or a deletion receipt. */
export interface StatedHead {
  readonly applianceId: string
  readonly seq: number
  readonly hash: string
}

interface Origin {
  readonly table: AuditTable
  readonly row: string | number
  /** Beginning of the message: "The checkpoint …". */
  readonly name: string
}

/** Adds a finding if the log is shorter than the stated head, or has another event there. */
export function checkHead(
  stated: StatedHead,
  origin: Origin,
  applianceId: string,
  facts: EventFacts,
  findings: Findings,
): void {
  const { table, row, name } = origin
  if (stated.applianceId !== applianceId) {
    findings.add(table, 'made_up', row, `${name} is of another appliance.`)
  } else if (stated.seq > facts.head.seq) {
    const message = `${name} states that the log reached event ${stated.seq}, but it ends at ${facts.head.seq}: it was cut off or an older one put back.`
    findings.add(table, 'set_back', row, message)
  } else if (stated.seq > 0 && facts.hashAt(stated.seq) !== stated.hash) {
    const message = `${name} states another event ${stated.seq} than the log has: one of them was replaced.`
    findings.add(table, 'changed', row, message)
  }
}

export interface ReadCheckpoint {
  readonly checkpoint: Checkpoint
  /** Null if none of the keys signed it. */
  readonly statement: CheckpointStatement | null
}

export function checkCheckpoints(
  checkpoints: readonly ReadCheckpoint[],
  applianceId: string,
  facts: EventFacts,
  findings: Findings,
): void {
  const kept = new Set<number>()
  for (const { checkpoint, statement } of checkpoints) {
    const { eventSeq, at } = checkpoint
    kept.add(eventSeq)
    const name = `Checkpoint ${eventSeq}`
    if (statement === null) {
      findings.add('checkpoints', 'changed', eventSeq, `${name} was not signed by a key of this appliance.`)
      continue
    }
    if (statement.seq !== eventSeq) {
      const message = `${name} holds the statement that was made for event ${statement.seq}.`
      findings.add('checkpoints', 'replayed', eventSeq, message)
    } else if (!statement.at.startsWith(at.toISOString().slice(0, 23))) {
      findings.add('checkpoints', 'changed', eventSeq, `${name} bears another time than was signed.`)
    }
    if (!facts.checkpointed.has(eventSeq)) {
      const message = `${name} is not noted in the log: it was made up, or the log was replaced.`
      findings.add('checkpoints', 'made_up', eventSeq, message)
    }
    checkHead(statement, { table: 'checkpoints', row: eventSeq, name }, applianceId, facts, findings)
  }
  for (const [seq, noted] of facts.checkpointed) {
    if (kept.has(seq)) continue
    findings.add('checkpoints', 'missing', seq, `Checkpoint ${seq}, which event ${noted} notes, is missing.`)
  }
}

/** `anchor`: read before the database. Undefined: there is no file. */
export function checkAnchor(
  anchor: ChainHead | null | undefined,
  applianceId: string,
  facts: EventFacts,
  findings: Findings,
): void {
  const table = 'audit-head.json'
  if (anchor === undefined) {
    // Created with the first checkpoint.
    if (facts.checkpointed.size === 0) return
    findings.add(table, 'missing', table, 'The file audit-head.json beside the database is missing.')
  } else if (anchor === null) {
    const message = 'The file audit-head.json beside the database was not written by this appliance.'
    findings.add(table, 'changed', table, message)
  } else {
    const name = 'The file audit-head.json beside the database'
    checkHead({ ...anchor, applianceId }, { table, row: table, name }, applianceId, facts, findings)
  }
}
