/**
 * An operator decides about the lines of a kiosk (lines.ts): which one continues, and which of the others the head office gets,
 * too. The decision is one transaction with its record. Proofs then move to the feed one by one, because a transaction stores
 * at most one entry of the feed; the upkeep continues what was interrupted.
 */
import { v7 as uuidv7 } from 'uuid'
import { AppError } from '../../errors.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { decidedBefore } from '../decided-before.ts'
import { enqueueEvent } from '../head-office/index.ts'
import { listLines } from '../head-office/lines.ts'
import { resolveAlarms } from './alarms.ts'
import { ENTRY_COLUMNS, readEntry, type EntryRow } from './entries.ts'
import { recount, settleNumber } from './ledger.ts'
import { lockIfKnown, type Kiosk } from './kiosk.ts'

export interface LineDecision {
  readonly kioskId: string
  /** Proof that names the line (head-office/lines.ts). */
  readonly firstProof: string
  readonly decidedBy: string
  readonly reason: string
}

/** Stores the decision in the access log, in the same transaction. */
type NoteDecision = (queries: Queries, tenantId: string) => Promise<void>

type DecisionContext = Pick<CentralContext, 'db' | 'clock' | 'config'>

/**
 * The line becomes line 0, and the machine on it is no longer frozen. The line that was 0 gets a new number from the first
 * different proof on; what the feed has of it is marked IN_DOUBT. Throws `not_found`, and `transition_refused` if no decision
 * is pending. Returns the number of proofs that moved to the feed.
 */
export async function chooseLine(
  ctx: DecisionContext,
  decision: LineDecision,
  note: NoteDecision,
): Promise<number> {
  const { kioskId, decidedBy, reason } = decision
  const at = ctx.clock.now()
  await ctx.db.transaction(SYSTEM, async (queries) => {
    const kiosk = await requireKiosk(queries, kioskId)
    if (kiosk.frozenAt === null) throw await findDecision(queries, kioskId, 'CHOOSE')
    const line = await requireLine(queries, decision)
    if (line > 0) await recount(queries, kiosk, (await exchange(queries, kiosk, line)).first)
    await queries.query('UPDATE quarantined SET released = true WHERE kiosk_id = $1 AND line = 0', [kioskId])
    await queries.query(`UPDATE kiosks SET frozen_at = NULL, machines = '{}' WHERE id = $1`, [kioskId])
    await storeDecision(queries, kiosk, 'CHOOSE', line, decision, at)
    await note(queries, kiosk.tenantId)
    await resolveAlarms(queries, kioskId, 'CLONE', at, null, { actor: `operator:${decidedBy}`, reason })
  })
  return moveReleased(ctx, kioskId)
}

/**
 * The head office gets the proofs of a line that does not continue, marked DELIVERED. Throws `not_found`, and
 * `transition_refused` before a line was chosen, or if no proof waits. Returns the number of proofs that moved to the feed.
 */
export async function deliverLine(
  ctx: DecisionContext,
  decision: LineDecision,
  note: NoteDecision,
): Promise<number> {
  const { kioskId } = decision
  await ctx.db.transaction(SYSTEM, async (queries) => {
    const kiosk = await requireKiosk(queries, kioskId)
    const line = await requireLine(queries, decision)
    if (line === 0 || kiosk.frozenAt !== null) {
      throw new AppError('transition_refused', {
        reason:
          kiosk.frozenAt === null
            ? 'this line continues; its proofs are in the feed'
            : 'choose first which line continues',
      })
    }
    const mine = [kioskId, line]
    const released = await queries.query(
      'UPDATE quarantined SET released = true WHERE kiosk_id = $1 AND line = $2 AND NOT released RETURNING 1',
      mine,
    )
    const marked = await queries.query(
      `UPDATE proofs SET mark = 'DELIVERED', mark_pending = true
       WHERE kiosk_id = $1 AND line = $2 AND mark = 'IN_DOUBT' RETURNING 1`,
      mine,
    )
    if (released.length + marked.length === 0)
      throw await findDecision(queries, kioskId, 'DELIVER', decision.firstProof)
    await storeDecision(queries, kiosk, 'DELIVER', line, decision, ctx.clock.now())
    await note(queries, kiosk.tenantId)
  })
  return moveReleased(ctx, kioskId)
}

/** Locks the kiosk, so that of two decisions the second one sees the first. */
async function requireKiosk(queries: Queries, kioskId: string): Promise<Kiosk> {
  const kiosk = await lockIfKnown(queries, kioskId)
  if (!kiosk) throw new AppError('not_found', { kind: 'kiosk' })
  if (kiosk.lines === 0) throw new AppError('not_found', { kind: 'line' })
  return kiosk
}

/** Returns the present number of the line. */
async function requireLine(queries: Queries, { kioskId, firstProof }: LineDecision): Promise<number> {
  const listed = (await listLines(queries, kioskId))?.lines ?? []
  const named = listed.find(({ firstProofId }) => firstProofId === firstProof)
  if (!named) throw new AppError('not_found', { kind: 'line', firstProof })
  return named.line
}

/** The refusal that names the newest decision of this kind. @param firstProof of the line; null: any line */
async function findDecision(
  queries: Queries,
  kioskId: string,
  act: 'CHOOSE' | 'DELIVER',
  firstProof: string | null = null,
): Promise<AppError> {
  const [made] = await queries.query<{ at: Date; by: string; firstProof: string | null }>(
    `SELECT at, decided_by AS by, first_proof AS "firstProof" FROM line_decisions
     WHERE kiosk_id = $1 AND act = $2 AND ($3::uuid IS NULL OR first_proof = $3) ORDER BY at DESC LIMIT 1`,
    [kioskId, act, firstProof],
  )
  if (!made)
    return new AppError('transition_refused', { kind: 'line', reason: 'no proof of this line waits' })
  const { at, by, firstProof: chosen } = made
  return decidedBefore('line', 'decided', at, by, chosen === null ? {} : { firstProof: chosen })
}

async function storeDecision(
  queries: Queries,
  kiosk: Kiosk,
  act: 'CHOOSE' | 'DELIVER',
  line: number,
  { firstProof, decidedBy, reason }: LineDecision,
  at: Date,
): Promise<void> {
  await queries.query(
    `INSERT INTO line_decisions (tenant_id, kiosk_id, at, act, line, first_proof, decided_by, reason)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [kiosk.tenantId, kiosk.id, at, act, line, firstProof, decidedBy, reason],
  )
}

/**
 * Gives line 0 a new number from the first entry of `line` on, and `line` the number 0. A line that `line` continues goes first,
 * because `line` has its beginning. Returns the highest number of a line, and the first sequence number that changed its line.
 */
async function exchange(
  queries: Queries,
  kiosk: Pick<Kiosk, 'id' | 'lines'>,
  line: number,
): Promise<{ readonly highest: number; readonly first: number }> {
  const entry = `SELECT sequence, hash, previous_hash, line FROM`
  const [first] = await queries.query<{ sequence: number; parent: number | null }>(
    `WITH entries AS (
       ${entry} proofs WHERE kiosk_id = $1 AND line > 0 UNION ALL ${entry} quarantined WHERE kiosk_id = $1 AND line > 0
       UNION ALL ${entry} withdrawn WHERE kiosk_id = $1 AND line > 0
     )
     SELECT f.sequence, (SELECT p.line FROM entries p WHERE p.hash = f.previous_hash AND p.line <> f.line LIMIT 1) AS parent
     FROM entries f WHERE f.line = $2 ORDER BY f.sequence LIMIT 1`,
    [kiosk.id, line],
  )
  if (!first) throw new AppError('not_found', { kind: 'entry of this line' })
  const before =
    first.parent === null
      ? { highest: kiosk.lines, first: first.sequence }
      : await exchange(queries, kiosk, first.parent)
  const former = before.highest + 1
  const cutOff = (table: string, more = '') =>
    queries.query(
      `UPDATE ${table} SET line = $3${more} WHERE kiosk_id = $1 AND line = 0 AND sequence >= $2`,
      [kiosk.id, first.sequence, former],
    )
  const goOn = (table: string, more = '') =>
    queries.query(`UPDATE ${table} SET line = 0${more} WHERE kiosk_id = $1 AND line = $2`, [kiosk.id, line])
  await cutOff('proofs', `, mark = 'IN_DOUBT', mark_pending = true`)
  await cutOff('quarantined', ', released = false')
  await cutOff('withdrawn')
  await cutOff('uploads')
  await goOn('proofs', ', mark = NULL, mark_pending = true')
  await goOn('quarantined')
  await goOn('withdrawn')
  await goOn('uploads')
  await queries.query('UPDATE kiosks SET lines = $2 WHERE id = $1', [kiosk.id, former])
  return { highest: former, first: before.first }
}

/** Moves the released proofs of a kiosk to the feed, and tells the feed of changed marks. Returns the number of proofs. */
export async function moveReleased(ctx: DecisionContext, kioskId: string): Promise<number> {
  for (let moved = 0; ; moved++) {
    if (!(await ctx.db.transaction(SYSTEM, (queries) => moveOne(ctx, queries, kioskId)))) {
      while (await ctx.db.transaction(SYSTEM, (queries) => tellOneMark(ctx, queries, kioskId)));
      return moved
    }
  }
}

const COLUMNS = `proof_id, tenant_id, kiosk_id, line, sequence, identity_id, sha256, previous_hash, hash, level_of_assurance,
  test, signed_by, archive_bytes, sealed_at, stored_at, correlation_hash, packet_sha256, packet_bytes, location, receipt,
  policy_id, figures`

async function moveOne(
  { clock, config }: DecisionContext,
  queries: Queries,
  kioskId: string,
): Promise<boolean> {
  const kiosk = await lockIfKnown(queries, kioskId)
  if (!kiosk) return false
  const [row] = await queries.query<EntryRow & { readonly test: boolean }>(
    `WITH moved AS (
       DELETE FROM quarantined WHERE proof_id = (SELECT proof_id FROM quarantined
         WHERE kiosk_id = $1 AND released ORDER BY line, sequence LIMIT 1) RETURNING ${COLUMNS}
     )
     INSERT INTO proofs (${COLUMNS}, mark)
     SELECT ${COLUMNS}, CASE WHEN line = 0 THEN NULL ELSE 'DELIVERED' END FROM moved
     RETURNING 'STORED' AS state, ${ENTRY_COLUMNS}, test`,
    [kioskId],
  )
  if (!row) return false
  const at = clock.now()
  const entry = readEntry(row)
  const { proofId, identityId, sequence, line } = entry
  if (line === 0) await settleNumber(queries, kiosk, entry, at, config.gapGraceSeconds * 1000)
  const data = {
    proofId,
    kioskId,
    sequence,
    identityId,
    test: row.test,
    ...(line === 0 ? {} : { mark: 'DELIVERED' }),
  }
  await enqueueEvent(queries, { tenantId: kiosk.tenantId, type: 'proof.stored', at, data })
  return true
}

async function tellOneMark({ clock }: DecisionContext, queries: Queries, kioskId: string): Promise<boolean> {
  const kiosk = await lockIfKnown(queries, kioskId)
  if (!kiosk) return false
  const { tenantId } = kiosk
  const [row] = await queries.query<{ proof_id: string; sequence: number; mark: string | null }>(
    `UPDATE proofs SET mark_pending = false WHERE proof_id = (SELECT proof_id FROM proofs
       WHERE kiosk_id = $1 AND mark_pending ORDER BY sequence LIMIT 1) RETURNING proof_id, sequence, mark`,
    [kioskId],
  )
  if (!row) return false
  const { proof_id: proofId, sequence, mark } = row
  await queries.query('INSERT INTO feed_marks (id, tenant_id, proof_id) VALUES ($1, $2, $3)', [
    uuidv7(),
    tenantId,
    proofId,
  ])
  const data = { proofId, kioskId, sequence, mark }
  await enqueueEvent(queries, { tenantId, type: 'proof.marked', at: clock.now(), data })
  return true
}
