/**
 * The order of the feed (migrations/0008-feed-order.ts): positions are made of transaction ids, which begin again in a
 * restored database.
 */
import { SYSTEM, type Db } from './db.ts'

/**
 * SQL, a condition of readers of the feed: only proofs before which no other one can appear any more. In a subquery, so
 * that it is computed once for each statement.
 */
export const BELOW_HORIZON = 'feed_position < (SELECT feed_horizon())'

/** Tables whose rows have positions of the feed, or of the feed of deletions. */
const PLACED = ['proofs', 'feed_marks', 'deletions']
/** `max` reads one entry of an index; EXISTS could read the whole table. */
const NEWEST = `greatest(${PLACED.map((table) => `(SELECT max(feed_position) FROM ${table})`).join(', ')})`
/** A position that this server's transactions cannot have made yet comes from another server. */
const IS_RESTORED = `${NEWEST} >= base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint`

/**
 * Raises the base of the positions after a restore, so that new proofs follow the restored ones. Cursors stay valid,
 * because a cursor is the id of a proof, and no position changes. Returns whether it was necessary. Until then no proof
 * is stored (503), and the feed may end before the newest restored proofs.
 */
export async function continueFeed(db: Db): Promise<boolean> {
  const found = await db.query(SYSTEM, `SELECT 1 FROM feed_clock WHERE ${IS_RESTORED}`)
  if (found.length === 0) return false
  return db.transaction(SYSTEM, async (queries) => {
    // A transaction that read the earlier base must not store a row behind the new one.
    await queries.query(`LOCK TABLE ${PLACED.join(', ')} IN SHARE ROW EXCLUSIVE MODE`)
    const raised = await queries.query(
      `UPDATE feed_clock SET base = ${NEWEST} WHERE ${IS_RESTORED} RETURNING 1`,
    )
    return raised.length > 0
  })
}
