/** The sessions of the screens: short-lived, each bound to at most one identity. What a restart needs of them is kept elsewhere. */
import { randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { StepKind } from './contract/journey.ts'
import type { VisitOutcome } from '../store/visits.ts'
import { NEW_VISIT, type VisitFacts } from './facts.ts'

/** A page asks every eight seconds. Without a request for so long it is gone: closed, crashed, or no page at all. */
export const SESSION_SILENT_MS = 90_000
/** However lively: no proofing at a kiosk takes half an hour. */
export const SESSION_LIFETIME_MS = 30 * 60_000
/** An applicant who called for help may wait longer, as long as the page is there. */
export const HELP_LIFETIME_MS = 120 * 60_000
/** One screen needs one; a few more for the sessions of a browser that crashed and came back. */
const MAX_SESSIONS = 8
/**
 * So long a session that outlived the server waits for its page. A page asks again within eight seconds, a browser that died
 * with the server is back within a minute, and its watchdog may need two tries; nobody stands longer before a screen that says
 * that the line is down.
 */
export const RETURN_GRACE_MS = 3 * 60_000
const TOKEN_BYTES = 32

export interface KioskSession {
  readonly id: string
  /** Keyed: the token is in the cookie alone. */
  readonly tokenHash: string
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
  /** Staff continue with it: nothing of it is erased or sealed here. */
  takenOver: boolean
  /** Ended, its identity still to be erased or sealed. */
  ended: boolean
  /** As which it is counted. */
  endedAs: VisitOutcome | null
  /** It outlived the server, and its page has not asked since: until then it is waited for. */
  awaitedUntil: Date | null
  /** A restart would find it as it is. */
  isKept: boolean
}

export class KioskSessions {
  readonly #byTokenHash = new Map<string, KioskSession>()
  readonly #hashOf: (token: string) => string

  constructor(hashOf: (token: string) => string) {
    this.#hashOf = hashOf
  }

  /** Throws `rate_limited` when too many are open at once. */
  start(id: string, language: string, now: Date): { token: string; session: KioskSession } {
    const open = this.all().filter((s) => !s.ended && s.facts.receipt === null && !isExpired(s, now))
    if (open.length >= MAX_SESSIONS) throw new AppError('rate_limited', { maxSessions: MAX_SESSIONS })
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    return {
      token,
      session: this.#add(newSession({ id, tokenHash: this.#hashOf(token), language, startedAt: now })),
    }
  }

  /** A visit that outlived the server: the page with its token continues in it. */
  resume(session: KioskSession): void {
    this.#add(session)
  }

  /**
   * A visit that the last run of the server left behind: ended, waiting for a sweep to seal it, once `sealFrom` has come,
   * or to erase it (null).
   */
  adopt(
    id: string,
    visit: { visitId: string | null; identityId: string; startedAt: Date; sealFrom: Date | null },
  ): void {
    // Nobody has its token.
    this.#add({
      ...newSession({ id, tokenHash: id, language: '', startedAt: visit.startedAt }),
      ...visit,
      ended: true,
    })
  }

  /** The live session of this token, its idle time starting again; undefined when unknown, ended or expired. */
  touch(token: string | undefined, now: Date): KioskSession | undefined {
    if (!token) return undefined
    const session = this.#byTokenHash.get(this.#hashOf(token))
    if (!session || session.ended || isExpired(session, now)) return undefined
    session.lastSeenAt = now
    session.awaitedUntil = null
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

/** As it was, its idle time starting again: that nobody could ask a dead server is held against nobody. */
export function resumedSession(kept: Begun & Pick<KioskSession, Lasting>, now: Date): KioskSession {
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
  // After a restart of the server the page has longer to come back. A request under way is a sign of life.
  const isGone =
    session.awaitedUntil !== null ? now > session.awaitedUntil : !session.busy && silentMs > SESSION_SILENT_MS
  return isGone || ageMs > (session.helpAsked ? HELP_LIFETIME_MS : SESSION_LIFETIME_MS)
}
