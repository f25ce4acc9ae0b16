/** The histories (lines) of a kiosk whose data folder was copied, for the person who decides which one continues. */
import type { Queries } from '../db/db.ts'
import type { KioskLines } from './contract.ts'

/** Rows of the list of decisions. */
const MAX_DECISIONS = 100

interface LineRow {
  readonly line: number
  readonly from_sequence: number | null
  readonly to_sequence: number | null
  readonly first_proof: string | null
  readonly quarantined: number
  readonly in_feed: number
  readonly sealed_from: Date | null
  readonly sealed_to: Date | null
}

interface Machine {
  readonly seenAt: string
  readonly productVersion: string
  readonly backlog: number
}

interface DecisionRow {
  readonly at: Date
  readonly act: 'CHOOSE' | 'DELIVER'
  readonly first_proof: string | null
  readonly line: number
  readonly decided_by: string
  readonly reason: string
}

/** Withdrawn proofs, and those on their way, belong to a line, too: a line may have no others yet. */
const selectEntries = (condition: string): string => {
  const stored = (table: string, place: string) =>
    `SELECT line, sequence, proof_id, hash, previous_hash, sealed_at, '${place}' AS place FROM ${table}
     WHERE kiosk_id = $1 AND ${condition}`
  return `${stored('proofs', 'feed')} UNION ALL ${stored('quarantined', 'quarantined')}
    UNION ALL ${stored('withdrawn', 'withdrawn')}
    UNION ALL SELECT line, sequence, proof_id, announcement->>'hash', announcement->>'previousHash',
      to_timestamp((announcement->>'sealedAt')::numeric / 1000), 'upload'
    FROM uploads WHERE kiosk_id = $1 AND ${condition}`
}

/**
 * Every line is named by a proof that no other line has: its first one after the line separated from the others. The number of
 * a line changes with a decision. Line 0 is counted from the first number that another line has; if it has no such proof, its
 * newest one names it.
 */
const SELECT_LINES = `
  WITH others AS MATERIALIZED (${selectEntries('line > 0')}),
  firsts AS (SELECT DISTINCT ON (line) line, sequence, previous_hash FROM others ORDER BY line, sequence),
  forks AS (
    SELECT min(f.sequence) AS first, max(f.sequence) AS last FROM firsts f
    WHERE NOT EXISTS (SELECT 1 FROM others p WHERE p.line <> f.line AND p.hash = f.previous_hash)
  ),
  own AS MATERIALIZED (${selectEntries('line = 0 AND sequence >= (SELECT first FROM forks)')}),
  names AS (
    SELECT DISTINCT ON (line) line, proof_id FROM (
      SELECT line, sequence, proof_id FROM others
      UNION ALL SELECT line, sequence, proof_id FROM own WHERE sequence >= (SELECT last FROM forks)
    ) AS named ORDER BY line, sequence
  )
  SELECT n.line, min(e.sequence) AS from_sequence, max(e.sequence) AS to_sequence,
    coalesce((SELECT proof_id FROM names WHERE names.line = n.line),
      (SELECT proof_id FROM (${selectEntries('line = n.line')}) AS every ORDER BY sequence DESC LIMIT 1)) AS first_proof,
    count(*) FILTER (WHERE e.place = 'quarantined') AS quarantined, count(*) FILTER (WHERE e.place = 'feed') AS in_feed,
    min(e.sealed_at) AS sealed_from, max(e.sealed_at) AS sealed_to
  FROM (SELECT 0 AS line FROM kiosks WHERE id = $1 AND lines > 0 UNION SELECT line FROM firsts) AS n
    LEFT JOIN (SELECT * FROM own UNION ALL SELECT * FROM others) AS e ON e.line = n.line
  GROUP BY n.line ORDER BY n.line`

/**
 * Line 0, from the first number that another line has, and every other line. Null for an unknown kiosk.
 * @param queries of either role
 */
export async function listLines(queries: Queries, kioskId: string): Promise<KioskLines | null> {
  const [kiosk] = await queries.query<{
    name: string
    frozen_at: Date | null
    machines: Readonly<Record<string, Machine>>
  }>('SELECT name, frozen_at, machines FROM kiosks WHERE id = $1', [kioskId])
  if (!kiosk) return null
  const rows = await queries.query<LineRow>(SELECT_LINES, [kioskId])
  const decisions = await queries.query<DecisionRow>(
    `SELECT at, act, first_proof, line, decided_by, reason FROM line_decisions WHERE kiosk_id = $1 ORDER BY at DESC, id
     LIMIT ${MAX_DECISIONS}`,
    [kioskId],
  )
  return {
    kioskId,
    name: kiosk.name,
    frozenAt: kiosk.frozen_at?.toISOString() ?? null,
    lines: rows.map((row) => ({
      line: row.line,
      from: row.from_sequence,
      to: row.to_sequence,
      firstProofId: row.first_proof,
      inFeed: row.in_feed,
      quarantined: row.quarantined,
      sealedFrom: row.sealed_from?.toISOString() ?? null,
      sealedTo: row.sealed_to?.toISOString() ?? null,
      machine: kiosk.machines[row.line] ?? null,
    })),
    decisions: decisions.map(
      ({ at, act, first_proof: firstProofId, line, decided_by: decidedBy, reason }) => ({
        at: at.toISOString(),
        act,
        firstProofId,
        line: firstProofId === null ? line : null,
        decidedBy,
        reason,
      }),
    ),
  }
}
