/** The sessions of the screens: in memory only, short-lived, each bound to at most one identity. */
import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { StepKind } from './contract/journey.ts'
import type { VisitOutcome } from '../store/visits.ts'
import { NEW_VISIT, type VisitFacts } from './facts.ts'

/** Ten minutes without a request: the person has left (the screens themselves warn and reset long before). */
export const SESSION_IDLE_MS = 10 * 60_000
/** However lively: no proofing at a kiosk takes half an hour. */
export const SESSION_LIFETIME_MS = 30 * 60_000
/** Who asked for help waits for somebody: idleness ends nothing then. A call that nobody answers in two hours was left. */
export const HELP_LIFETIME_MS = 120 * 60_000
/** One screen needs one; a few more for the sessions of a browser that crashed and came back. */
const MAX_SESSIONS = 8
const TOKEN_BYTES = 32

export interface KioskSession {
  readonly id: string
  /** Row of store.visits; null where none was written (a full disk, a run before visits were counted). */
  visitId: string | null
  readonly startedAt: Date
  lastSeenAt: Date
  language: string
  /** Null until the person has agreed: before that, nothing is stored. */
  identityId: string | null
  facts: VisitFacts
  /** The step that was noted last. */
  step: StepKind | null
  /** Notes of the page so far: a page gone wild fills no disk. */
  noted: number
  /** Somebody was called: the session waits. */
  helpAsked: boolean
  /** A request that changes something is under way. */
  busy: boolean
  /** Not sealed at the end: to be sealed from then on, as soon as it can be. Null: nothing is left to seal. */
  sealFrom: Date | null
  /** Staff go on with it: nothing of it is erased or sealed here. */
  takenOver: boolean
  /** Ended, its identity still to be erased or sealed. */
  ended: boolean
  /** As which it is counted. */
  endedAs: VisitOutcome | null
}

export class KioskSessions {
  readonly #byTokenHash = new Map<string, KioskSession>()

  /** Throws `rate_limited` when too many are open at once. */
  start(id: string, language: string, now: Date): { token: string; session: KioskSession } {
    const open = [...this.#byTokenHash.values()].filter((s) => !s.ended && s.facts.receipt === null)
    if (open.length >= MAX_SESSIONS) throw new AppError('rate_limited', { maxSessions: MAX_SESSIONS })
    return this.#add(id, language, now)
  }

  /**
   * A visit that the last run of the server left behind: ended, waiting for a sweep to seal it, once `sealFrom` has come,
   * or to erase it (null).
   */
  adopt(
    id: string,
    visit: { visitId: string | null; identityId: string; startedAt: Date; sealFrom: Date | null },
  ): void {
    const { session } = this.#add(id, '', visit.startedAt)
    session.visitId = visit.visitId
    session.identityId = visit.identityId
    session.sealFrom = visit.sealFrom
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
    return this.all().filter((session) => session.ended || isExpired(session, now))
  }

  all(): KioskSession[] {
    return [...this.#byTokenHash.values()]
  }

  remove(session: KioskSession): void {
    for (const [key, held] of this.#byTokenHash) if (held === session) this.#byTokenHash.delete(key)
  }

  #add(id: string, language: string, now: Date): { token: string; session: KioskSession } {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const session: KioskSession = {
      id,
      visitId: null,
      startedAt: now,
      lastSeenAt: now,
      language,
      identityId: null,
      facts: NEW_VISIT,
      step: null,
      noted: 0,
      helpAsked: false,
      busy: false,
      sealFrom: null,
      takenOver: false,
      ended: false,
      endedAs: null,
    }
    this.#byTokenHash.set(hash(token), session)
    return { token, session }
  }
}

export function isExpired(session: KioskSession, now: Date): boolean {
  const idleMs = now.getTime() - session.lastSeenAt.getTime()
  const ageMs = now.getTime() - session.startedAt.getTime()
  if (session.helpAsked) return ageMs > HELP_LIFETIME_MS
  return idleMs > SESSION_IDLE_MS || ageMs > SESSION_LIFETIME_MS
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
