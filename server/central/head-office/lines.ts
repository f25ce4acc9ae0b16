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
  readonly line: number
  readonly decided_by: string
  readonly reason: string
}

/** Withdrawn proofs, and those on their way, belong to a line, too: a line may have no others yet. */
const ENTRIES = `
  SELECT line, sequence, proof_id, sealed_at, 'feed' AS place FROM proofs WHERE kiosk_id = $1
  UNION ALL SELECT line, sequence, proof_id, sealed_at, 'quarantined' FROM quarantined WHERE kiosk_id = $1
  UNION ALL SELECT line, sequence, proof_id, sealed_at, 'withdrawn' FROM withdrawn WHERE kiosk_id = $1
  UNION ALL SELECT line, sequence, proof_id, to_timestamp((announcement->>'sealedAt')::numeric / 1000), 'upload'
    FROM uploads WHERE kiosk_id = $1`

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
  const rows = await queries.query<LineRow>(
    `WITH fork AS (
       SELECT min(first) AS sequence FROM (
         SELECT min(sequence) AS first FROM proofs WHERE kiosk_id = $1 AND line > 0
         UNION ALL SELECT min(sequence) FROM quarantined WHERE kiosk_id = $1 AND line > 0
         UNION ALL SELECT min(sequence) FROM withdrawn WHERE kiosk_id = $1 AND line > 0
         UNION ALL SELECT min(sequence) FROM uploads WHERE kiosk_id = $1 AND line > 0
       ) AS firsts
     )
     SELECT n.line, min(e.sequence) AS from_sequence, max(e.sequence) AS to_sequence,
       (array_agg(e.proof_id ORDER BY e.sequence) FILTER (WHERE e.proof_id IS NOT NULL))[1] AS first_proof,
       count(*) FILTER (WHERE e.place = 'quarantined') AS quarantined, count(*) FILTER (WHERE e.place = 'feed') AS in_feed,
       min(e.sealed_at) AS sealed_from, max(e.sealed_at) AS sealed_to
     FROM (SELECT generate_series(0, lines) AS line FROM kiosks WHERE id = $1 AND lines > 0) AS n
       LEFT JOIN (SELECT * FROM (${ENTRIES}) AS every
         WHERE line > 0 OR sequence >= (SELECT sequence FROM fork)) AS e ON e.line = n.line
     GROUP BY n.line ORDER BY n.line`,
    [kioskId],
  )
  const decisions = await queries.query<DecisionRow>(
    `SELECT at, act, line, decided_by, reason FROM line_decisions WHERE kiosk_id = $1 ORDER BY at DESC, id
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
    decisions: decisions.map(({ at, decided_by: decidedBy, ...decision }) => ({
      at: at.toISOString(),
      ...decision,
      decidedBy,
    })),
  }
}
