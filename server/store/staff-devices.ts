/**
 * Remembers the browsers on which officers completed a sign-in, by a keyed hash of a cookie token. A device is not a
 * credential: it only gets its own budget for failed attempts.
 */
import type { Db } from './db.ts'

export interface StaffDevices {
  /** True if this officer has signed in with this browser. */
  knows(token: string, staffId: string): boolean
  /** True if any officer has. */
  knowsAny(token: string): boolean
  signedIn(token: string, staffId: string, at: Date): void
  /** Forgets all devices of an account. */
  forget(staffId: string): void
  /** Forgets devices whose last sign-in is older. */
  dropBefore(before: Date): void
}

export function createStaffDevices(db: Db, lookupHash: (value: string) => Buffer): StaffDevices {
  const one = db.prepare<[Buffer, string], unknown>(
    'SELECT 1 FROM staff_devices WHERE token_hash = ? AND staff_id = ?',
  )
  const any = db.prepare<[Buffer], unknown>('SELECT 1 FROM staff_devices WHERE token_hash = ? LIMIT 1')
  const put = db.prepare(
    `INSERT INTO staff_devices (token_hash, staff_id, signed_in_at) VALUES (?, ?, ?)
     ON CONFLICT (token_hash, staff_id) DO UPDATE SET signed_in_at = excluded.signed_in_at`,
  )
  const removeOf = db.prepare('DELETE FROM staff_devices WHERE staff_id = ?')
  const removeBefore = db.prepare('DELETE FROM staff_devices WHERE signed_in_at < ?')
  const hashToken = (token: string): Buffer => lookupHash(`staff-device\n${token}`)
  return {
    knows: (token, staffId) => one.get(hashToken(token), staffId) !== undefined,
    knowsAny: (token) => any.get(hashToken(token)) !== undefined,
    signedIn: (token, staffId, at) => void put.run(hashToken(token), staffId, at.getTime()),
    forget: (staffId) => void removeOf.run(staffId),
    dropBefore: (before) => void removeBefore.run(before.getTime()),
  }
}
