/**
 * Wakes long polls when a proof was stored, by this instance or another. While callers wait, one regular
 * query for the newest position serves all of them: it needs no connection of its own, works through any
 * pooler, and misses nothing when the database restarts.
 */
import type { Log } from '../../log.ts'
import { describeError } from '../../log.ts'
import { SYSTEM, type Db } from '../db/db.ts'
import { BELOW_HORIZON } from '../db/feed-order.ts'

const LOOK_MS = 250

export interface FeedWatch {
  /** The newest known position, to pass to `changed`. */
  mark(): number
  /** Resolves when something may have been stored since the mark, after `withinMs`, or when aborted. */
  changed(mark: number, withinMs: number, signal: AbortSignal): Promise<void>
  /** False after `close`: then no caller waits any more. */
  isOpen(): boolean
  close(): void
}

export function createFeedWatch(db: Db, log: Log): FeedWatch {
  let newest = 0
  let generation = 0
  let isClosed = false
  let looking = false
  const waiting = new Set<() => void>()

  const look = async (): Promise<void> => {
    looking = true
    while (waiting.size > 0 && !isClosed) {
      try {
        const [row] = await db.query<{ newest: number }>(
          SYSTEM,
          `SELECT coalesce(greatest((SELECT max(feed_position) FROM proofs WHERE ${BELOW_HORIZON}),
             (SELECT max(feed_position) FROM feed_marks WHERE ${BELOW_HORIZON})), 0)::bigint AS newest`,
        )
        if (row && row.newest !== newest) {
          newest = row.newest
          generation++
          for (const wake of [...waiting]) wake()
        }
      } catch (error) {
        log.warn(describeError(error), 'the newest proof could not be looked up')
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref())
    }
    looking = false
  }

  return {
    mark: () => generation,
    changed: (mark, withinMs, signal) =>
      new Promise((resolve) => {
        if (mark !== generation || isClosed || signal.aborted) return resolve()
        const wake = () => {
          clearTimeout(timer)
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const timer = setTimeout(wake, Math.max(0, withinMs))
        signal.addEventListener('abort', wake)
        waiting.add(wake)
        if (!looking) void look()
      }),
    isOpen: () => !isClosed,
    close: () => {
      isClosed = true
      for (const wake of [...waiting]) wake()
    },
  }
}
