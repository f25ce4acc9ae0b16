/**
 * The sessions of the screens: short-lived, each bound to at most one identity. session-keeper.ts stores what
 * a restart needs.
 */
import { randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { StepKind } from './contract/journey.ts'
import type { VisitOutcome } from '../store/visits.ts'
import { NEW_VISIT, type VisitFacts } from './facts.ts'

/** A page polls every eight seconds. Without a request for this time it is gone: closed or crashed. */
export const SESSION_SILENT_MS = 90_000
/** The absolute maximum: no proofing at a kiosk takes half an hour. */
export const SESSION_LIFETIME_MS = 30 * 60_000
/** An applicant who called for help may wait longer, as long as the page is there. */
const HELP_LIFETIME_MS = 120 * 60_000
/** One screen needs one; the others are for a browser that crashed and came back. */
const MAX_SESSIONS = 8
/**
 * How long a session waits for its page after a restart of the server. A page polls again within eight
 * seconds, a browser that died with the server is back within a minute, and its watchdog may need two tries.
 * Applicants do not wait longer in front of a page that reports a lost connection.
 */
export const RETURN_GRACE_MS = 3 * 60_000
const TOKEN_BYTES = 32

export interface KioskSession {
  readonly id: string
  /** A keyed hash: only the cookie has the token. */
  readonly tokenHash: string
  /** Row of store.visits; null if none was written (a full disk, or a run of an older version). */
  visitId: string | null
  readonly startedAt: Date
  lastSeenAt: Date
  language: string
  /** Null until the applicant has agreed: before that, nothing is stored. */
  identityId: string | null
  facts: VisitFacts
  /** The step that was recorded last. */
  step: StepKind | null
  /** Number of notes of the page so far; the limit protects the disk from a faulty page. */
  noted: number
  /** The applicant has called for help: the session waits. */
  helpAsked: boolean
  /** A request that changes the visit is under way. */
  busy: boolean
  /** When to seal the proof of an ended visit. Null: nothing is left to seal. */
  sealFrom: Date | null
  /** Staff continue the visit: the kiosk neither erases nor seals it. */
  takenOver: boolean
  /** Ended; its identity may still have to be erased or sealed. */
  ended: boolean
  /** The outcome under which it is counted. */
  endedAs: VisitOutcome | null
  /** The session was resumed, and its page has not polled since: it waits until then. */
  awaitedUntil: Date | null
  /** The stored copy is up to date. */
  isKept: boolean
}

export class KioskSessions {
  readonly #byTokenHash = new Map<string, KioskSession>()
  readonly #hashToken: (token: string) => string

  constructor(hashToken: (token: string) => string) {
    this.#hashToken = hashToken
  }

  /** Throws `rate_limited` when too many sessions are open. */
  start(id: string, language: string, now: Date): { token: string; session: KioskSession } {
    const open = this.all().filter((s) => !s.ended && s.facts.receipt === null && !isExpired(s, now))
    if (open.length >= MAX_SESSIONS) throw new AppError('rate_limited', { maxSessions: MAX_SESSIONS })
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    return {
      token,
      session: this.#add(newSession({ id, tokenHash: this.#hashToken(token), language, startedAt: now })),
    }
  }

  /** Resumes a visit after a restart: the page with its token continues it. */
  resume(session: KioskSession): void {
    this.#add(session)
  }

  /**
   * Adopts a visit that the last run of the server left behind: it counts as ended, and a sweep seals it once
   * `sealFrom` has come, or erases it (null).
   */
  adopt(
    id: string,
    visit: { visitId: string | null; identityId: string; startedAt: Date; sealFrom: Date | null },
  ): void {
    // No page has its token.
    this.#add({
      ...newSession({ id, tokenHash: id, language: '', startedAt: visit.startedAt }),
      ...visit,
      ended: true,
    })
  }

  /**
   * Returns the live session of this token and restarts its idle time; undefined if unknown, ended or
   * expired.
   */
  touch(token: string | undefined, now: Date): KioskSession | undefined {
    if (!token) return undefined
    const session = this.#byTokenHash.get(this.#hashToken(token))
    if (!session || session.ended || isExpired(session, now)) return undefined
    session.lastSeenAt = now
    session.awaitedUntil = null
    return session
  }

  /** Lists ended and expired sessions; they stay until `remove`. */
  over(now: Date): KioskSession[] {
    return this.all().filter((session) => session.ended || isExpired(session, now))
  }

  all(): KioskSession[] {
    return [...this.#byTokenHash.values()]
  }

  remove(session: KioskSession): void {
    this.#byTokenHash.delete(session.tokenHash)
  }

  #add(session: KioskSession): KioskSession {
    this.#byTokenHash.set(session.tokenHash, session)
    return session
  }
}

type Begun = Pick<KioskSession, 'id' | 'tokenHash' | 'language' | 'startedAt'>

function newSession(begun: Begun): KioskSession {
  return {
    ...begun,
    visitId: null,
    lastSeenAt: begun.startedAt,
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
    awaitedUntil: null,
    isKept: false,
  }
}

type Lasting = 'visitId' | 'identityId' | 'facts' | 'sealFrom' | 'step' | 'helpAsked'

/**
 * Restores the session and restarts its idle time: the applicant could not poll while the server was down.
 */
export function resumeSession(kept: Begun & Pick<KioskSession, Lasting>, now: Date): KioskSession {
  const { id, tokenHash, language, startedAt, visitId, identityId, facts, sealFrom, step, helpAsked } = kept
  return {
    ...newSession({ id, tokenHash, language, startedAt }),
    ...{ visitId, identityId, facts, sealFrom, step, helpAsked },
    lastSeenAt: now,
    awaitedUntil: new Date(now.getTime() + RETURN_GRACE_MS),
    isKept: true,
  }
}

export function isExpired(session: KioskSession, now: Date): boolean {
  const silentMs = now.getTime() - session.lastSeenAt.getTime()
  const ageMs = now.getTime() - session.startedAt.getTime()
  // After a restart of the server the page has longer to come back. A request under way counts as activity.
  const isGone =
    session.awaitedUntil !== null ? now > session.awaitedUntil : !session.busy && silentMs > SESSION_SILENT_MS
  return isGone || ageMs > (session.helpAsked ? HELP_LIFETIME_MS : SESSION_LIFETIME_MS)
}
