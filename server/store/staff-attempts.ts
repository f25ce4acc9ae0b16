/**
 * Wrong answers at the sign-in, by whatever they are counted for (a login name, an address), as keyed hashes: a name that
 * was typed wrong, or a password in the wrong field, is not kept.
 */
import type { Db } from './open.ts'

export interface Attempts {
  /** Since the last right answer or the last lock. */
  readonly failures: number
  /** Locks since the last right answer: each is longer than the one before. */
  readonly rounds: number
  /** All since the last sign-in. */
  readonly total: number
  readonly blockedUntil: Date
  readonly lastAt: Date
}

export interface StaffAttempts {
  find(what: string): Attempts | null
  put(what: string, attempts: Attempts): void
  clear(what: string): void
  /** The last of which is older. */
  dropBefore(before: Date): void
}

interface Row {
  failures: number
  rounds: number
  total: number
  blocked_until: number
  last_at: number
}

export function createStaffAttempts(db: Db, lookupHash: (value: string) => Buffer): StaffAttempts {
  const select = db.prepare<[Buffer], Row>('SELECT * FROM staff_attempts WHERE key_hash = ?')
  const upsert = db.prepare(
    `INSERT INTO staff_attempts (key_hash, failures, rounds, total, blocked_until, last_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (key_hash) DO UPDATE SET failures = excluded.failures, rounds = excluded.rounds,
       total = excluded.total, blocked_until = excluded.blocked_until, last_at = excluded.last_at`,
  )
  const remove = db.prepare('DELETE FROM staff_attempts WHERE key_hash = ?')
  const removeBefore = db.prepare('DELETE FROM staff_attempts WHERE last_at < ?')
  const hashOf = (what: string): Buffer => lookupHash(`staff-attempts\n${what}`)
  return {
    find: (what) => {
      const row = select.get(hashOf(what))
      if (!row) return null
      const { failures, rounds, total } = row
      return {
        failures,
        rounds,
        total,
        blockedUntil: new Date(row.blocked_until),
        lastAt: new Date(row.last_at),
      }
    },
    put: (what, { failures, rounds, total, blockedUntil, lastAt }) =>
      void upsert.run(hashOf(what), failures, rounds, total, blockedUntil.getTime(), lastAt.getTime()),
    clear: (what) => void remove.run(hashOf(what)),
    dropBefore: (before) => void removeBefore.run(before.getTime()),
  }
}
