/**
 * The sequence numbers of a kiosk: up to which all are accounted for, which are missing, and whether each
 * entry continues the chain. Works inside the transaction that accounts for a number, with the kiosk's row
 * locked.
 */
import { MAX_MISSING_RANGES } from '../../protocol/wire.ts'
import type { Queries } from '../db/db.ts'
import { raiseAlarm, resolveAlarms, type KioskRef } from './alarms.ts'
import type { EntryFacts } from './entries.ts'

export interface LedgerKiosk extends KioskRef {
  readonly lastSequence: number
  readonly contiguousSequence: number
  readonly owedSequence: number
  readonly gapSince: Date | null
  readonly restoredAt: Date | null
}

const CHAIN_START = '0'.repeat(64)
/** Rows per step. */
const STEP = 1000

/** $3: the number that this transaction accounts for; its row may not exist yet. */
const SEQUENCES = `
  SELECT sequence FROM (
    (SELECT sequence FROM proofs WHERE kiosk_id = $1 AND line = 0 AND sequence > $2 ORDER BY sequence LIMIT ${STEP})
    UNION ALL (SELECT sequence FROM withdrawn WHERE kiosk_id = $1 AND line = 0 AND sequence > $2 ORDER BY sequence LIMIT ${STEP})
    UNION ALL SELECT $3::bigint WHERE $3 > $2
  ) AS accounted ORDER BY sequence LIMIT ${STEP}`

/** Accounts for a number that this transaction stores or withdraws. */
export async function settleNumber(
  queries: Queries,
  kiosk: LedgerKiosk,
  entry: EntryFacts,
  at: Date,
  graceMs: number,
): Promise<void> {
  await checkChain(queries, kiosk, entry, at)
  const lastSequence = Math.max(kiosk.lastSequence, entry.sequence)
  const contiguousSequence =
    entry.sequence !== kiosk.contiguousSequence + 1
      ? kiosk.contiguousSequence
      : kiosk.lastSequence > entry.sequence
        ? await advance(queries, kiosk.id, entry.sequence)
        : entry.sequence
  const moved = { ...kiosk, lastSequence, contiguousSequence }
  // The next number does not affect the missing ones, so old gaps cost a new proof nothing.
  if (
    kiosk.gapSince !== null &&
    entry.sequence === kiosk.lastSequence + 1 &&
    entry.sequence > kiosk.owedSequence
  ) {
    if (contiguousSequence < entry.sequence) return savePlace(queries, moved, kiosk.gapSince)
  }
  await settleGap(queries, moved, at, graceMs, entry.sequence)
}

/** Saves the kiosk's progress, and raises or resolves GAP. */
export async function settleGap(
  queries: Queries,
  kiosk: LedgerKiosk,
  at: Date,
  graceMs: number,
  justNow = 0,
): Promise<void> {
  const isWhole = kiosk.contiguousSequence >= Math.max(kiosk.lastSequence, kiosk.owedSequence)
  const gapSince = isWhole ? null : (kiosk.gapSince ?? at)
  await savePlace(queries, kiosk, gapSince)
  if (gapSince === null) {
    if (kiosk.gapSince !== null) await resolveAlarms(queries, kiosk.id, 'GAP', at)
  } else if (at.getTime() - gapSince.getTime() >= graceMs) {
    await raiseAlarm(queries, kiosk, 'GAP', '', await missing(queries, kiosk, justNow), at)
  }
}

async function savePlace(queries: Queries, kiosk: LedgerKiosk, gapSince: Date | null): Promise<void> {
  await queries.query(
    `UPDATE kiosks SET last_sequence = $2, contiguous_sequence = $3, owed_sequence = $4, gap_since = $5 WHERE id = $1`,
    [kiosk.id, kiosk.lastSequence, kiosk.contiguousSequence, kiosk.owedSequence, gapSince],
  )
}

async function advance(queries: Queries, kioskId: string, from: number): Promise<number> {
  let reached = from
  for (;;) {
    const rows = await queries.query<{ sequence: number }>(SEQUENCES, [kioskId, reached, 0])
    for (const { sequence } of rows) {
      if (sequence !== reached + 1) return reached
      reached = sequence
    }
    if (rows.length < STEP) return reached
  }
}

/** Counts the numbers of line 0 again after entries from `first` on were exchanged. */
export async function recount(
  queries: Queries,
  kiosk: Pick<LedgerKiosk, 'id' | 'contiguousSequence'>,
  first: number,
): Promise<void> {
  const contiguous = await advance(queries, kiosk.id, Math.min(kiosk.contiguousSequence, first - 1))
  const newest = (table: string): string =>
    `(SELECT max(sequence) FROM ${table} WHERE kiosk_id = $1 AND line = 0)`
  const stored = `coalesce(greatest(${newest('proofs')}, ${newest('withdrawn')}), 0)`
  const known = `greatest(${stored}, ${newest('quarantined')})`
  await queries.query(
    `UPDATE kiosks SET contiguous_sequence = $2, last_sequence = ${stored}, owed_sequence = ${known},
       claimed_sequence = ${known} WHERE id = $1`,
    [kiosk.id, contiguous],
  )
}

/** Details of the alarm. `ranges`: "7" or "9-12". */
async function missing(
  queries: Queries,
  kiosk: LedgerKiosk,
  justNow: number,
): Promise<{ ranges: string[]; from: number; to: number }> {
  const to = Math.max(kiosk.lastSequence, kiosk.owedSequence)
  const ranges = await findMissing(queries, kiosk, to, justNow)
  return {
    ranges: ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)),
    from: kiosk.contiguousSequence + 1,
    to,
  }
}

/**
 * Returns the numbers up to `to` that are not accounted for, as first and last of each range: the first MAX_MISSING_RANGES.
 * @param justNow a number that this transaction accounts for; 0: none
 */
export async function findMissing(
  queries: Queries,
  kiosk: Pick<LedgerKiosk, 'id' | 'contiguousSequence'>,
  to: number,
  justNow = 0,
): Promise<[first: number, last: number][]> {
  const ranges: [number, number][] = []
  let next = kiosk.contiguousSequence + 1
  const note = (last: number): void => {
    if (last >= next && ranges.length < MAX_MISSING_RANGES) ranges.push([next, last])
  }
  while (next <= to) {
    const rows = await queries.query<{ sequence: number }>(SEQUENCES, [kiosk.id, next - 1, justNow])
    for (const { sequence } of rows) {
      note(Math.min(sequence - 1, to))
      next = sequence + 1
    }
    if (rows.length < STEP || ranges.length >= MAX_MISSING_RANGES) break
  }
  note(to)
  return ranges
}

async function checkChain(queries: Queries, kiosk: LedgerKiosk, entry: EntryFacts, at: Date): Promise<void> {
  const { sequence, previousHash, hash } = entry
  const neighbours = await queries.query<{ sequence: number; hash: string; previous_hash: string }>(
    `SELECT sequence, hash, previous_hash FROM proofs WHERE kiosk_id = $1 AND line = 0 AND sequence IN ($2, $3)
     UNION ALL SELECT sequence, hash, previous_hash FROM withdrawn WHERE kiosk_id = $1 AND line = 0 AND sequence IN ($2, $3)`,
    [kiosk.id, sequence - 1, sequence + 1],
  )
  const before = sequence === 1 ? CHAIN_START : neighbours.find((row) => row.sequence === sequence - 1)?.hash
  if (before !== undefined && before !== previousHash && !(await continuesEarlier(queries, kiosk, entry))) {
    await raiseAlarm(queries, kiosk, 'CHAIN_BROKEN', String(sequence), { sequence }, at)
  }
  const after = neighbours.find((row) => row.sequence === sequence + 1)
  if (after && after.previous_hash !== hash) {
    await raiseAlarm(queries, kiosk, 'CHAIN_BROKEN', String(after.sequence), { sequence: after.sequence }, at)
  }
}

/**
 * After the restore of a backup, which has its own alarm, the chain continues from the backup's last entry.
 */
export async function continuesEarlier(
  queries: Queries,
  kiosk: Pick<LedgerKiosk, 'id' | 'restoredAt'>,
  entry: Pick<EntryFacts, 'sequence' | 'previousHash'>,
): Promise<boolean> {
  if (kiosk.restoredAt === null || entry.sequence === 1) return false
  if (entry.previousHash === CHAIN_START) return true
  const rows = await queries.query(
    `SELECT 1 FROM proofs WHERE kiosk_id = $1 AND line = 0 AND sequence < $2 AND hash = $3
     UNION ALL SELECT 1 FROM withdrawn WHERE kiosk_id = $1 AND line = 0 AND sequence < $2 AND hash = $3
     UNION ALL SELECT 1 FROM quarantined WHERE kiosk_id = $1 AND line = 0 AND sequence < $2 AND hash = $3`,
    [kiosk.id, entry.sequence, entry.previousHash],
  )
  return rows.length > 0
}
