/**
 * Wakes long polls when a proof was stored, by this instance or another. A call (../db/calls.ts) says that there may be a proof;
 * one query for the newest position then serves all waiting callers. A call can be lost, so it is also asked from time to time.
 */
import type { Log } from '../../log.ts'
import { describeError } from '../../log.ts'
import { SYSTEM, type Db } from '../db/db.ts'
import { BELOW_HORIZON } from '../db/feed-order.ts'

/** A proof is visible when the transactions that began before it have ended, so a call is followed by several looks. */
const LOOK_MS = 250
const CALLED_MS = 3_000
/** Calls do not arrive behind a pooler that keeps them back, or of an instance of the version before. */
const IDLE_LOOK_MS = 5_000

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
  let calledUntil = 0
  let hasFailed = false
  let lookNow: () => void = () => undefined
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
        hasFailed = false
      } catch (error) {
        hasFailed = true
        log.warn(describeError(error), 'the newest proof could not be looked up')
      }
      const pauseMs = hasFailed || performance.now() < calledUntil ? LOOK_MS : IDLE_LOOK_MS
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs).unref()
        lookNow = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    looking = false
  }
  db.onWork('feed', () => {
    const isNews = performance.now() >= calledUntil
    calledUntil = performance.now() + CALLED_MS
    // Further calls of the same seconds come with the regular looks.
    if (isNews) lookNow()
    // The watches of the other instances have to be called, too.
    return false
  })

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
