/**
 * Failed sign-in attempts per login name, address or device, as keyed hashes, so that a mistyped name or a password in
 * the wrong field is not stored.
 */
import type { Db } from './db.ts'

export interface Attempts {
  /** Since the last success or lock. */
  readonly failures: number
  /** Locks since the last success: each is longer than the previous one. */
  readonly rounds: number
  /** All tries since the last sign-in. */
  readonly total: number
  readonly blockedUntil: Date
  readonly lastAt: Date
}

export interface StaffAttempts {
  find(what: string): Attempts | null
  /** @param login the name to which the row belongs; null for an address */
  put(what: string, login: string | null, attempts: Attempts): void
  clear(what: string): void
  /** Returns all rows of a login name. */
  ofLogin(login: string): readonly Attempts[]
  clearLogin(login: string): void
  /** Deletes rows whose last attempt is older. */
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
  const selectLogin = db.prepare<[Buffer], Row>('SELECT * FROM staff_attempts WHERE login_hash = ?')
  const upsert = db.prepare(
    `INSERT INTO staff_attempts (key_hash, login_hash, failures, rounds, total, blocked_until, last_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (key_hash) DO UPDATE SET failures = excluded.failures, rounds = excluded.rounds,
       total = excluded.total, blocked_until = excluded.blocked_until, last_at = excluded.last_at`,
  )
  const remove = db.prepare('DELETE FROM staff_attempts WHERE key_hash = ?')
  const removeLogin = db.prepare('DELETE FROM staff_attempts WHERE login_hash = ?')
  const removeBefore = db.prepare('DELETE FROM staff_attempts WHERE last_at < ?')
  const hashSubject = (what: string): Buffer => lookupHash(`staff-attempts\n${what}`)
  const loginHash = (login: string): Buffer => lookupHash(`staff-attempts-of\n${login}`)
  const toAttempts = ({ failures, rounds, total, blocked_until: until, last_at: lastAt }: Row): Attempts => ({
    failures,
    rounds,
    total,
    blockedUntil: new Date(until),
    lastAt: new Date(lastAt),
  })
  return {
    find: (what) => {
      const row = select.get(hashSubject(what))
      return row ? toAttempts(row) : null
    },
    put: (what, login, { failures, rounds, total, blockedUntil, lastAt }) =>
      void upsert.run(
        hashSubject(what),
        login === null ? null : loginHash(login),
        failures,
        rounds,
        total,
        blockedUntil.getTime(),
        lastAt.getTime(),
      ),
    clear: (what) => void remove.run(hashSubject(what)),
    ofLogin: (login) => selectLogin.all(loginHash(login)).map(toAttempts),
    clearLogin: (login) => void removeLogin.run(loginHash(login)),
    dropBefore: (before) => void removeBefore.run(before.getTime()),
  }
}
