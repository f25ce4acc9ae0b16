/**
 * Sessions of staff in the database, so that every instance knows them. A session is a random token, stored as its SHA-256;
 * it ends after a fixed time, and earlier without a touch or key of the person.
 */
import { createHash, randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Person } from '../../../openid/person.ts'
import { SYSTEM, type Db, type Queries } from '../../db/db.ts'
import type { StaffOidc } from './options.ts'

export interface StaffSession {
  readonly sessionId: string
  readonly subject: string
  readonly name: string
  readonly values: readonly string[]
  readonly endsAt: Date
}

const MINUTE_MS = 60_000
/** A request writes the time of the last activity only if it is older. */
const TOUCH_MS = MINUTE_MS
const TOKEN = /^[A-Za-z0-9_-]{43}$/
const BATCH = 1000

const digest = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest()

export async function beginSession(
  queries: Queries,
  { subject, name, values }: Person,
  { issuer, sessionMinutes }: Pick<StaffOidc, 'issuer' | 'sessionMinutes'>,
  at: Date,
): Promise<{ readonly session: StaffSession; readonly token: string }> {
  const token = randomBytes(32).toString('base64url')
  const session = {
    sessionId: uuidv7(),
    subject,
    name,
    values,
    endsAt: new Date(at.getTime() + sessionMinutes * MINUTE_MS),
  }
  await queries.query(
    `INSERT INTO staff_sessions (id, token_sha256, issuer, subject, name, claim_values, began_at, active_at, ends_at)
     VALUES ($1, $2, $3, $4, $5, $6::text[], $7, $7, $8)`,
    [session.sessionId, digest(token), issuer, subject, name, [...values], at, session.endsAt],
  )
  return { session, token }
}

/**
 * Null: unknown, ended, idle for too long, or of another issuer than the configured one.
 * @param isActive a touch or key of the person caused the request
 */
export async function findSession(
  db: Db,
  token: string | undefined,
  { issuer, idleMinutes }: Pick<StaffOidc, 'issuer' | 'idleMinutes'>,
  at: Date,
  isActive: boolean,
): Promise<StaffSession | null> {
  if (token === undefined || !TOKEN.test(token)) return null
  const [row] = await db.query<{
    id: string
    subject: string
    name: string
    claim_values: string[]
    active_at: Date
    ends_at: Date
  }>(
    SYSTEM,
    `SELECT id, subject, name, claim_values, active_at, ends_at FROM staff_sessions
     WHERE token_sha256 = $1 AND issuer = $2 AND ends_at > $3 AND active_at > $4`,
    [digest(token), issuer, at, new Date(at.getTime() - idleMinutes * MINUTE_MS)],
  )
  if (!row) return null
  if (isActive && at.getTime() - row.active_at.getTime() >= TOUCH_MS) {
    await db.query(SYSTEM, 'UPDATE staff_sessions SET active_at = $2 WHERE id = $1 AND active_at < $2', [
      row.id,
      at,
    ])
  }
  const { id: sessionId, subject, name, claim_values: values, ends_at: endsAt } = row
  return { sessionId, subject, name, values, endsAt }
}

export async function endSession(queries: Queries, sessionId: string): Promise<void> {
  await queries.query('DELETE FROM staff_sessions WHERE id = $1', [sessionId])
}

/** Deletes sessions whose fixed time is over. */
export async function dropEndedSessions(db: Db, at: Date): Promise<void> {
  await db.query(
    SYSTEM,
    `DELETE FROM staff_sessions WHERE id IN
       (SELECT id FROM staff_sessions WHERE ends_at <= $1 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [at],
  )
}
