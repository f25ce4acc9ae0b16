/**
 * The visits at the screens, start to end: begun, ended by the person or by the clock, gone on with when the server was dead.
 * What was not finished is erased; what was finished is sealed; what staff took over is left to them.
 */
import { AppError } from '../errors.ts'
import { DAY_MS, HOUR_MS } from '../proofing/time.ts'
import type { LeavingReason } from './contract/visit.ts'
import { seal } from './acts/finish.ts'
import { NEW_VISIT } from './facts.ts'
import { callerFor, type Kit } from './kit.ts'
import type { KioskDeps } from './port.ts'
import { resumeSessions } from './resume.ts'
import { SessionKeeper } from './session-keeper.ts'
import { KioskSessions, type KioskSession } from './sessions.ts'
import { outcomeOfLeaving, VisitRecord } from './visit-record.ts'
import type { Visit, VisitOutcome } from '../store/visits.ts'

/** Old visits are looked for this often. */
const DROP_EVERY_MS = HOUR_MS
/** The person wanted none of it kept, or was gone: a crash before it was erased changes nothing about that. */
const LEFT: readonly (VisitOutcome | null)[] = ['REFUSED', 'STOPPED', 'WALKED_AWAY']

export class VisitsInProgress {
  readonly sessions: KioskSessions
  readonly kit: Kit
  #droppedAt = 0

  constructor(deps: KioskDeps) {
    this.sessions = new KioskSessions((token) => deps.sessions.hashOf(token))
    this.kit = { deps, record: new VisitRecord(deps), keeper: new SessionKeeper(deps) }
  }

  begin(language: string): { token: string; session: KioskSession } {
    const { deps, record, keeper } = this.kit
    const begun = this.sessions.start(deps.newId(), language, deps.clock.now())
    record.begin(begun.session)
    keeper.keep(begun.session)
    return begun
  }

  /** Told by the row, into which the counter writes. */
  isTakenOver(session: KioskSession): boolean {
    session.takenOver ||= (this.kit.record.find(session)?.takenOverBy ?? null) !== null
    return session.takenOver
  }

  leave(session: KioskSession, why: LeavingReason | null): Promise<void> {
    return this.end(session, outcomeOfLeaving(why))
  }

  /** The visit is over. What cannot be erased or sealed now is tried again by the next sweep. */
  async end(session: KioskSession, outcome: VisitOutcome): Promise<void> {
    const { record, keeper } = this.kit
    session.ended = true
    session.endedAs ??= outcome
    const takenOver = this.isTakenOver(session)
    // In this order: what is not noted as ended would continue after a crash.
    record.end(session, session.endedAs)
    keeper.forget(session)
    if (session.busy) return
    if (takenOver || session.identityId === null) this.sessions.remove(session)
    else await this.#close(session, session.identityId)
  }

  /** After a crash: who is still there continues; nobody stands at the screen for the other visits that were open. */
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
        // One that continues is not ended by what was begun twice in it.
        visitId: resumed.some(({ visitId }) => visitId === visit?.id) ? null : (visit?.id ?? null),
        identityId: identity.id,
        startedAt: visit?.startedAt ?? identity.createdAt,
        sealFrom: this.#sealFrom(visit, identity),
      })
    }
    record.interrupt(resumed.map(({ visitId }) => visitId))
    if (resumed.length > 0) log.info({ visits: resumed.length }, 'kiosk: visits wait for their page to go on')
    if (left.length > 0) log.warn({ visits: left.length }, 'kiosk: visits of an interrupted run are closed')
  }

  /** From when on a visit of an interrupted run is sealed; null: it is erased. */
  #sealFrom(
    visit: Visit | null,
    { createdAt, hasPortrait }: { readonly createdAt: Date; readonly hasPortrait: boolean },
  ): Date | null {
    const { clock, journey } = this.kit.deps
    const outcome = visit?.outcome ?? null
    const now = clock.now()
    if (LEFT.includes(outcome)) return null
    if (outcome === 'PERSON') {
      const until = (visit?.endedAt ?? createdAt).getTime() + journey.handOverHours * HOUR_MS
      // However long the machine was off: its tries are counted from now on.
      return new Date(Math.max(until, now.getTime()))
    }
    // A portrait that was handed in is sealed when its checks are done: a lost proof is a lost customer.
    return outcome === 'LATER' || outcome === 'CONFIRMED' || hasPortrait ? now : null
  }

  /** Closes every visit whose time is over, and forgets the counts of long ago. */
  async sweep(): Promise<void> {
    const { deps, keeper } = this.kit
    const { clock } = deps
    for (const session of this.sessions.over(clock.now())) {
      if (session.ended && session.sealFrom && session.sealFrom > clock.now()) {
        if (this.isTakenOver(session)) this.sessions.remove(session)
        continue
      }
      if (session.awaitedUntil && !session.ended) await this.#endLost(session)
      else await this.leave(session, null)
    }
    for (const session of this.sessions.all()) if (!session.ended) keeper.keepAgain(session)
    this.#dropOld()
  }

  /** What the next start would not find ends with this run: nobody could continue in it. */
  async close(): Promise<void> {
    for (const session of this.sessions.all()) {
      this.kit.keeper.keepAgain(session)
      // One that waits for the counter continues waiting: the next start takes it up again.
      if (!session.ended && !session.isKept) await this.end(session, 'INTERRUPTED')
    }
  }

  /** The server came back, and its page did not. */
  async #endLost(session: KioskSession): Promise<void> {
    const { deps, record } = this.kit
    if (session.facts.receipt === null) {
      const open = await deps.workflows.openIdentities(callerFor(this.kit, null))
      const identity = open.find(({ id }) => id === session.identityId)
      // A proof that was sealed before anybody could be told of it is the proof.
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
        await workflows.eraseIdentity(caller, identityId)
        log.info({ sessionId: session.id }, 'kiosk: stopped visit erased')
      } else if (sealFrom) {
        if (sealFrom > clock.now()) {
          // It waits for the counter: what was shown is no longer needed.
          session.facts = NEW_VISIT
          return
        }
        if (this.#mayStillSeal(sealFrom) && !(await seal(deps, caller, identityId))) return
      }
      this.sessions.remove(session)
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal'
      if (code === 'not_found') this.sessions.remove(session)
      else log.warn({ sessionId: session.id, code }, 'kiosk: visit could not be closed yet')
    }
  }

  /** A day covers a queue that stood still overnight; after that the counter has the identity, unsealed. */
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
      log.warn({}, 'kiosk: old visits could not be dropped yet')
    }
  }
}
