/**
 * The visits at the screens from start to end: begun, ended by the applicant or by the clock, resumed after a
 * restart of the server. Unfinished visits are erased, finished ones are sealed, and visits that staff took
 * over are left to them.
 */
import { AppError } from '../errors.ts'
import { DAY_MS, HOUR_MS } from '../proofing/time.ts'
import type { LeavingReason } from './contract/visit.ts'
import { abandonChip } from './acts/chip.ts'
import { leaveToCounter, seal } from './acts/finish.ts'
import { NEW_VISIT } from './facts.ts'
import { callerFor, type Kit } from './kit.ts'
import type { KioskDeps } from './port.ts'
import { resumeSessions } from './resume.ts'
import { SessionKeeper } from './session-keeper.ts'
import { KioskSessions, type KioskSession } from './sessions.ts'
import { isCallOpen, getLeavingOutcome, VisitRecord } from './visit-record.ts'
import type { Visit, VisitOutcome } from '../store/visits.ts'

/** Interval of the search for old visits. */
const DROP_EVERY_MS = HOUR_MS
/** The applicant refused, stopped or left: such a visit is erased even if a crash interrupted the erasure. */
const LEFT: readonly (VisitOutcome | null)[] = ['REFUSED', 'STOPPED', 'WALKED_AWAY']

export class VisitsInProgress {
  readonly sessions: KioskSessions
  readonly kit: Kit
  #droppedAt = 0

  constructor(deps: KioskDeps) {
    this.sessions = new KioskSessions((token) => deps.sessions.hashToken(token))
    this.kit = { deps, record: new VisitRecord(deps), keeper: new SessionKeeper(deps) }
  }

  begin(language: string): { token: string; session: KioskSession } {
    const { deps, record, keeper } = this.kit
    const begun = this.sessions.start(deps.newId(), language, deps.clock.now())
    record.begin(begun.session)
    keeper.keep(begun.session)
    return begun
  }

  /** Reads it from the row, into which the counter writes. */
  isTakenOver(session: KioskSession): boolean {
    session.takenOver ||= (this.kit.record.find(session)?.takenOverBy ?? null) !== null
    return session.takenOver
  }

  async leave(session: KioskSession, why: LeavingReason | null): Promise<void> {
    const because = this.#findWait(session, why)
    if (because === null) return this.end(session, getLeavingOutcome(why))
    try {
      await leaveToCounter({ kit: this.kit, session, caller: callerFor(this.kit, null) }, because)
    } catch {
      // An open capture ends by itself later; the data must leave the screen now.
      this.kit.deps.log.warn({ sessionId: session.id }, 'a visit with open steps was left for the counter')
    }
    await this.end(session, because === 'CALLED' ? 'PERSON' : 'UNATTENDED')
  }

  /**
   * Tells why an unfinished visit waits at the counter after its applicant has left the screen: an officer called the applicant
   * there, or the call for help was still open. Null: it does not wait.
   */
  #findWait(session: KioskSession, why: LeavingReason | null): 'CALLED' | 'UNATTENDED' | null {
    if (session.ended || session.identityId === null || session.facts.receipt !== null) return null
    const visit = this.kit.record.find(session)
    if (getLeavingOutcome(why) !== 'WALKED_AWAY' || !visit) return null
    if (visit.helpAnswer === 'GO_TO_COUNTER') return 'CALLED'
    return isCallOpen(visit) ? 'UNATTENDED' : null
  }

  /** Ends the visit. If it cannot be erased or sealed now, the next sweep tries again. */
  async end(session: KioskSession, outcome: VisitOutcome): Promise<void> {
    const { record, keeper } = this.kit
    session.ended = true
    session.endedAs ??= outcome
    const takenOver = this.isTakenOver(session)
    // This order matters: a visit without a recorded end would continue after a crash.
    record.end(session, session.endedAs)
    keeper.forget(session)
    if (takenOver) await abandonChip({ kit: this.kit, session, caller: callerFor(this.kit, null) })
    if (session.busy) return
    if (takenOver || session.identityId === null) this.sessions.remove(session)
    else await this.#close(session, session.identityId)
  }

  /** After a crash: continues the visits that can be resumed and closes the other open ones. */
  async recover(): Promise<void> {
    const { deps, record } = this.kit
    const { workflows, visits, newId, log } = deps
    const resumed = await resumeSessions(this.kit)
    for (const session of resumed) this.sessions.resume(session)
    const left = (await workflows.openIdentities(callerFor(this.kit, null))).filter(
      ({ id }) => !resumed.some(({ identityId }) => identityId === id),
    )
    for (const identity of left) {
      const visit = visits.findByIdentity(identity.id)
      if (visit?.takenOverBy) continue
      this.sessions.adopt(newId(), {
        // A resumed visit must not be ended by an identity that was created twice for it.
        visitId: resumed.some(({ visitId }) => visitId === visit?.id) ? null : (visit?.id ?? null),
        identityId: identity.id,
        startedAt: visit?.startedAt ?? identity.createdAt,
        sealFrom: this.#sealFrom(visit, identity),
      })
    }
    record.interrupt(resumed.map(({ visitId }) => visitId))
    if (resumed.length > 0)
      log.info({ visits: resumed.length }, 'interrupted kiosk visits wait for their page')
    if (left.length > 0) log.warn({ visits: left.length }, 'kiosk visits of an interrupted run are closed')
  }

  /** When the visit of an interrupted run is sealed; null: it is erased. */
  #sealFrom(
    visit: Visit | null,
    { createdAt, hasPortrait }: { readonly createdAt: Date; readonly hasPortrait: boolean },
  ): Date | null {
    const { clock, journey } = this.kit.deps
    const outcome = visit?.outcome ?? null
    const now = clock.now()
    if (LEFT.includes(outcome)) return null
    if (outcome === 'PERSON' || outcome === 'UNATTENDED') {
      const until = (visit?.endedAt ?? createdAt).getTime() + journey.handOverHours * HOUR_MS
      // The tries are counted from now on, however long the machine was off.
      return new Date(Math.max(until, now.getTime()))
    }
    // A visit with a submitted portrait is sealed when its checks are done, so that a finished proofing is
    // not lost.
    return outcome === 'LATER' || outcome === 'CONFIRMED' || hasPortrait ? now : null
  }

  /** Closes every visit whose time is over, and deletes old counts. */
  async sweep(): Promise<void> {
    const { deps, keeper } = this.kit
    const { clock } = deps
    for (const session of this.sessions.over(clock.now())) {
      if (session.ended && session.sealFrom && session.sealFrom > clock.now()) {
        if (this.isTakenOver(session)) this.sessions.remove(session)
        continue
      }
      const isLost = session.awaitedUntil !== null && !session.ended && this.#findWait(session, null) === null
      if (isLost) await this.#endLost(session)
      else await this.leave(session, null)
    }
    for (const session of this.sessions.all()) if (!session.ended) keeper.keepAgain(session)
    this.#dropOld()
  }

  /** Ends the visits that were not stored, because no later run could continue them. */
  async close(): Promise<void> {
    for (const session of this.sessions.all()) {
      this.kit.keeper.keepAgain(session)
      // A visit that waits for the counter keeps waiting: the next start resumes it.
      if (!session.ended && !session.isKept) await this.end(session, 'INTERRUPTED')
    }
  }

  /** The server came back, but the page did not. */
  async #endLost(session: KioskSession): Promise<void> {
    const { deps, record } = this.kit
    if (session.facts.receipt === null) {
      const open = await deps.workflows.openIdentities(callerFor(this.kit, null))
      const identity = open.find(({ id }) => id === session.identityId)
      // A proof that was sealed before the page could be told stays valid.
      session.sealFrom = identity ? this.#sealFrom(record.find(session), identity) : deps.clock.now()
    }
    await this.end(session, 'INTERRUPTED')
  }

  async #close(session: KioskSession, identityId: string): Promise<void> {
    const { deps } = this.kit
    const { workflows, log, clock } = deps
    const caller = callerFor(this.kit, null)
    const { sealFrom } = session
    const wasFinished = session.facts.receipt !== null || sealFrom !== null
    try {
      if (!wasFinished) {
        await abandonChip({ kit: this.kit, session, caller })
        await workflows.eraseIdentity(caller, identityId)
        log.info({ sessionId: session.id }, 'a stopped kiosk visit was erased')
      } else if (sealFrom) {
        if (sealFrom > clock.now()) {
          // It waits for the counter: the facts of the screens are no longer needed.
          session.facts = NEW_VISIT
          return
        }
        if (this.#mayStillSeal(sealFrom) && !(await seal(deps, caller, identityId))) return
      }
      this.sessions.remove(session)
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal'
      if (code === 'not_found') this.sessions.remove(session)
      else log.warn({ sessionId: session.id, code }, 'a kiosk visit could not be closed yet')
    }
  }

  /**
   * True for a day, which covers a queue that was blocked overnight; after that the counter has the identity,
   * unsealed.
   */
  #mayStillSeal(sealFrom: Date): boolean {
    return this.kit.deps.clock.now().getTime() - sealFrom.getTime() < DAY_MS
  }

  #dropOld(): void {
    const { visits, clock, settings, log } = this.kit.deps
    const now = clock.now().getTime()
    if (now - this.#droppedAt < DROP_EVERY_MS) return
    this.#droppedAt = now
    try {
      visits.dropBefore(new Date(now - settings.visitsKeptDays * DAY_MS))
    } catch {
      log.warn({}, 'old kiosk visits could not be deleted yet')
    }
  }
}
