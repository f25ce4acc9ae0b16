/**
 * The histories (lines) of one kiosk. A copied data folder makes two machines that continue one outbox, each with its own
 * proofs under the same numbers. Line 0 is the history that the central service continues with. An entry that contradicts it
 * belongs to another line, and freezes the kiosk until an operator has chosen a line (choose-line.ts).
 *
 * Works inside the transaction that announces an entry, with the kiosk's row locked.
 */
import type { Announcement } from '../../protocol/wire.ts'
import type { CentralContext } from '../context.ts'
import type { Queries } from '../db/db.ts'
import { raiseAlarm } from './alarms.ts'
import { continuesEarlier } from './ledger.ts'
import type { Kiosk } from './kiosk.ts'

/**
 * Limits of the quarantine of one kiosk. A kiosk stops at 500 unsent proofs by default (`sync.freeze`), and a usual packet has
 * 200 kB. Beyond them the proofs wait on the machine.
 */
const MAX_PROOFS = 2_000
const MAX_BYTES = 2 * 1024 ** 3
const MAX_LINES = 100

interface Link {
  readonly line: number
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
}

interface Surroundings {
  /** Another proof has the number on line 0. */
  readonly isTaken: boolean
  /** Entries of line 0 with the number before and with the number after. */
  readonly before: Link | null
  readonly after: Link | null
  /** A backup was restored on the kiosk, and the entry continues an earlier entry of line 0. */
  readonly continuesBackup: boolean
  /** A backup was restored on the kiosk. */
  readonly isRestored: boolean
  /** Entries of other lines that are linked with this entry by their hashes, or have its number. */
  readonly others: readonly Link[]
}

/** Returns the line that an entry belongs to; `new`: a line that was not seen before. Pure. */
export function chooseLine(
  entry: Pick<Announcement, 'sequence' | 'hash' | 'previousHash'>,
  { isTaken, before, after, continuesBackup, isRestored, others }: Surroundings,
): number | 'new' {
  const isFree = (line: number): boolean =>
    !others.some((other) => other.line === line && other.sequence === entry.sequence)
  const previous = others.find(({ hash }) => hash === entry.previousHash)
  if (previous) return isFree(previous.line) ? previous.line : 'new'
  const contradictsBefore = before !== null && before.hash !== entry.previousHash && !continuesBackup
  const contradictsAfter = after !== null && after.previousHash !== entry.hash && !isRestored
  if (!isTaken && !contradictsBefore && !contradictsAfter) return 0
  const next = others.find(({ previousHash }) => previousHash === entry.hash)
  return next && isFree(next.line) ? next.line : 'new'
}

/**
 * Returns the line of an entry that was not announced before. A new line freezes the kiosk and raises CLONE. `full`: the
 * quarantine of the kiosk has no room for the entry.
 */
export async function placeEntry(
  { clock }: Pick<CentralContext, 'clock'>,
  queries: Queries,
  kiosk: Kiosk,
  entry: Announcement,
  isTaken: boolean,
): Promise<number | 'full'> {
  const { sequence, proofId } = entry
  const beside = await findBeside(queries, kiosk.id, sequence)
  const before = beside.find((link) => link.sequence === sequence - 1) ?? null
  const after = beside.find((link) => link.sequence === sequence + 1) ?? null
  const line = chooseLine(entry, {
    isTaken,
    before,
    after,
    continuesBackup:
      before !== null &&
      before.hash !== entry.previousHash &&
      (await continuesEarlier(queries, kiosk, entry)),
    isRestored: kiosk.restoredAt !== null,
    others: kiosk.lines === 0 ? [] : await findOthers(queries, kiosk.id, entry),
  })
  if (line === 0 && kiosk.frozenAt === null) return line
  const isFull = await isQuarantineFull(queries, kiosk.id, entry)
  if (line !== 'new') return isFull ? 'full' : line
  const at = clock.now()
  const hasRoom = !isFull && kiosk.lines < MAX_LINES
  const lines = hasRoom ? kiosk.lines + 1 : kiosk.lines
  await queries.query('UPDATE kiosks SET lines = $2, frozen_at = coalesce(frozen_at, $3) WHERE id = $1', [
    kiosk.id,
    lines,
    at,
  ])
  await raiseAlarm(queries, kiosk, 'CLONE', '', { sequence, proofId }, at)
  return hasRoom ? lines : 'full'
}

async function isQuarantineFull(
  queries: Queries,
  kioskId: string,
  { packet }: Announcement,
): Promise<boolean> {
  if (packet === null) return false
  const [kept] = await queries.query<{ proofs: number; bytes: number }>(
    `SELECT count(*) AS proofs, coalesce(sum(packet_bytes), 0)::bigint AS bytes FROM quarantined WHERE kiosk_id = $1`,
    [kioskId],
  )
  const { proofs = 0, bytes = 0 } = kept ?? {}
  return proofs >= MAX_PROOFS || bytes + packet.bytes > MAX_BYTES
}

/** Entries of line 0 with the number before and the number after, whatever their state. */
function findBeside(queries: Queries, kioskId: string, sequence: number): Promise<Link[]> {
  const found = 'WHERE kiosk_id = $1 AND line = 0 AND sequence IN ($2, $3)'
  return queries.query<Link>(
    `${selectLinks('proofs')} ${found} UNION ALL ${selectLinks('withdrawn')} ${found}
     UNION ALL ${selectLinks('quarantined')} ${found} UNION ALL ${SELECT_UPLOADS} ${found}`,
    [kioskId, sequence - 1, sequence + 1],
  )
}

function findOthers(
  queries: Queries,
  kioskId: string,
  { sequence, hash, previousHash }: Announcement,
): Promise<Link[]> {
  const found = 'WHERE kiosk_id = $1 AND line > 0'
  return queries.query<Link>(
    `SELECT * FROM (
       ${selectLinks('proofs')} ${found} UNION ALL ${selectLinks('withdrawn')} ${found}
       UNION ALL ${selectLinks('quarantined')} ${found} UNION ALL ${SELECT_UPLOADS} ${found}
     ) AS links WHERE hash = $3 OR "previousHash" = $2 OR sequence = $4`,
    [kioskId, hash, previousHash, sequence],
  )
}

function selectLinks(table: 'proofs' | 'withdrawn' | 'quarantined'): string {
  return `SELECT line, sequence, hash, previous_hash AS "previousHash" FROM ${table}`
}

const SELECT_UPLOADS = `SELECT line, sequence, announcement ->> 'hash' AS hash,
  announcement ->> 'previousHash' AS "previousHash" FROM uploads`

/** Returns the line of a machine by the newest entry of its outbox; null: the entry is not known here. */
export async function findMachineLine(
  queries: Queries,
  kioskId: string,
  { sequence, hash }: { readonly sequence: number; readonly hash: string },
): Promise<number | null> {
  const found = 'WHERE kiosk_id = $1 AND sequence = $2 AND hash = $3'
  const [link] = await queries.query<Link>(
    `${selectLinks('proofs')} ${found} UNION ALL ${selectLinks('withdrawn')} ${found}
     UNION ALL ${selectLinks('quarantined')} ${found} LIMIT 1`,
    [kioskId, sequence, hash],
  )
  return link?.line ?? null
}
