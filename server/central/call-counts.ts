/**
 * Limits that hold over all instances together. The count of a caller is one row of the database. An instance takes a
 * twentieth of the limit from it at a time and lets the caller use that share without the database, so that all instances
 * together never accept more calls than the limit. Unused calls of a share count as made: each further instance may refuse
 * a caller up to a twentieth of its limit too early. A caller at its limit is refused without the database.
 *
 * If the database does not answer, no share is taken and the call fails (`centre_unavailable`): nearly every limited call
 * needs the database anyway.
 */
import type { CallVerdict } from '../http/call-window.ts'
import { SYSTEM, type Db } from './db/db.ts'

const DEFAULT_WINDOW_MS = 60_000
const SHARES_OF_LIMIT = 20
/** About 20 MB. */
const MAX_CALLERS = 100_000

export type CountName =
  | 'enrolment-code'
  | 'refused-enrolments'
  | 'head-office-key'
  | 'failed-head-office-keys'
  | 'staff-sign-ins'
  | 'anonymous-verifications'

export interface CallCounter {
  readonly windowMs: number
  /** Throws `centre_unavailable`. */
  hit(caller: string, limit: number): CallVerdict | Promise<CallVerdict>
}

interface Share {
  /** Calls that this instance may still accept. */
  readonly left: number
  /** Calls that no instance has taken. */
  readonly untaken: number
  readonly endsAtMs: number
}

export class SharedCallWindow implements CallCounter {
  readonly windowMs: number
  readonly #db: Pick<Db, 'query'>
  readonly #hashCaller: (caller: string) => Uint8Array
  readonly #shares = new Map<string, Share>()
  readonly #taking = new Map<string, Promise<void>>()

  constructor(
    db: Pick<Db, 'query'>,
    hashCaller: (caller: string) => Uint8Array,
    windowMs = DEFAULT_WINDOW_MS,
  ) {
    this.#db = db
    this.#hashCaller = hashCaller
    this.windowMs = windowMs
  }

  async hit(caller: string, limit: number): Promise<CallVerdict> {
    for (;;) {
      const share = this.#shares.get(caller)
      const resetMs = (share?.endsAtMs ?? 0) - performance.now()
      if (share && resetMs > 0) {
        const { left, untaken } = share
        if (left > 0) {
          this.#shares.set(caller, { ...share, left: left - 1 })
          return { isRefused: false, remaining: left - 1 + untaken, resetMs }
        }
        if (untaken === 0) return { isRefused: true, remaining: 0, resetMs }
      }
      await this.#takeOnce(caller, limit)
    }
  }

  /** Calls of one caller that arrive together wait for one share. */
  #takeOnce(caller: string, limit: number): Promise<void> {
    const running = this.#taking.get(caller)
    if (running) return running
    const taking = this.#take(caller, limit).finally(() => this.#taking.delete(caller))
    this.#taking.set(caller, taking)
    return taking
  }

  async #take(caller: string, limit: number): Promise<void> {
    const share = Math.max(1, Math.floor(limit / SHARES_OF_LIMIT))
    // The time before the statement, so that the share ends here before its row does.
    const askedAtMs = performance.now()
    const [row] = await this.#db.query<{ taken: number; left_ms: number }>(
      SYSTEM,
      `INSERT INTO call_counts AS c (caller, taken, ends_at)
       VALUES ($1, $2::bigint, now() + $3::float8 * interval '1 millisecond')
       ON CONFLICT (caller) DO UPDATE SET
         taken = excluded.taken + CASE WHEN c.ends_at > now() THEN c.taken ELSE 0 END,
         ends_at = CASE WHEN c.ends_at > now() THEN c.ends_at ELSE excluded.ends_at END
       RETURNING taken, (extract(epoch FROM ends_at - now()) * 1000)::float8 AS left_ms`,
      [this.#hashCaller(caller), share, this.windowMs],
    )
    if (!row) throw new TypeError('a call was not counted')
    const takenBefore = row.taken - share
    this.#keep(caller, {
      left: Math.min(share, Math.max(0, limit - takenBefore)),
      untaken: Math.max(0, limit - row.taken),
      endsAtMs: askedAtMs + row.left_ms,
    })
  }

  /** Forgets shares that have ended, and the oldest one if there are too many: its calls count as made. */
  #keep(caller: string, share: Share): void {
    this.#shares.delete(caller)
    for (const [other, { endsAtMs }] of this.#shares) {
      if (endsAtMs > performance.now() && this.#shares.size < MAX_CALLERS) break
      this.#shares.delete(other)
    }
    this.#shares.set(caller, share)
  }
}

/** Rows per round of the upkeep. */
const BATCH = 10_000

/** Deletes the counts whose window has ended. */
export async function dropEndedCounts(db: Db): Promise<void> {
  await db.query(
    SYSTEM,
    `DELETE FROM call_counts WHERE caller IN
       (SELECT caller FROM call_counts WHERE ends_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  )
}
