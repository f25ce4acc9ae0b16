/** The sessions of the screens: in memory only, short-lived, each bound to at most one identity. */
import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Receipt } from './contract.ts'
import type { CaptureCount } from './progress.ts'
import type { CaptureStepName } from './guidance.ts'

/** Ten minutes without a request: the person has left (the screens themselves warn and reset long before). */
export const SESSION_IDLE_MS = 10 * 60_000
/** However lively: no proofing at a kiosk takes half an hour. */
export const SESSION_LIFETIME_MS = 30 * 60_000
/** One screen needs one; a few more for the sessions of a browser that crashed and came back. */
const MAX_SESSIONS = 8
const TOKEN_BYTES = 32

export interface KioskSession {
  readonly id: string
  readonly startedAt: Date
  lastSeenAt: Date
  /** Null until the person has agreed: before that, nothing is stored. */
  identityId: string | null
  consented: boolean
  counts: Record<CaptureStepName, CaptureCount>
  /** A request that changes something is under way. */
  busy: boolean
  /** What was handed out at the end. With it, the identity is no longer ours to erase. */
  receipt: Receipt | null
  /** The person left while the checks were running: seal as soon as they are done. */
  sealLater: boolean
  /** Ended, its identity still to be erased. */
  ended: boolean
}

export class KioskSessions {
  readonly #byTokenHash = new Map<string, KioskSession>()

  /** Throws `rate_limited` when too many are open at once. */
  start(id: string, now: Date): { token: string; session: KioskSession } {
    const open = [...this.#byTokenHash.values()].filter((s) => !s.ended && s.receipt === null)
    if (open.length >= MAX_SESSIONS) throw new AppError('rate_limited', { maxSessions: MAX_SESSIONS })
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const session: KioskSession = {
      id,
      startedAt: now,
      lastSeenAt: now,
      identityId: null,
      consented: false,
      counts: {
        document: { evidenceId: null, submissions: 0 },
        portrait: { evidenceId: null, submissions: 0 },
      },
      busy: false,
      receipt: null,
      sealLater: false,
      ended: false,
    }
    this.#byTokenHash.set(hash(token), session)
    return { token, session }
  }

  /** A visit that the last run of the server left behind: ended, waiting for a sweep to seal it (receipt) or to erase it (null). */
  adopt(id: string, visit: { identityId: string; startedAt: Date; receipt: Receipt | null }): void {
    const { session } = this.start(id, visit.startedAt)
    session.identityId = visit.identityId
    session.consented = true
    session.receipt = visit.receipt
    session.sealLater = visit.receipt !== null
    session.ended = true
  }

  /** The live session of this token, its idle time starting anew; undefined when unknown, ended or expired. */
  touch(token: string | undefined, now: Date): KioskSession | undefined {
    if (!token) return undefined
    const session = this.#byTokenHash.get(hash(token))
    if (!session || session.ended || isExpired(session, now)) return undefined
    session.lastSeenAt = now
    return session
  }

  /** Those whose time is over or that were ended; they stay until `remove`. */
  over(now: Date): KioskSession[] {
    return [...this.#byTokenHash.values()].filter((session) => session.ended || isExpired(session, now))
  }

  all(): KioskSession[] {
    return [...this.#byTokenHash.values()]
  }

  remove(session: KioskSession): void {
    for (const [key, held] of this.#byTokenHash) if (held === session) this.#byTokenHash.delete(key)
  }
}

function isExpired(session: KioskSession, now: Date): boolean {
  const idleMs = now.getTime() - session.lastSeenAt.getTime()
  const ageMs = now.getTime() - session.startedAt.getTime()
  return idleMs > SESSION_IDLE_MS || ageMs > SESSION_LIFETIME_MS
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
