/**
 * The visits at the screens, start to end: begun, ended by the person or by the clock, carried on after a crash. What was
 * not finished is erased; what was finished is sealed; what staff took over is left to them.
 */
import { AppError } from '../errors.ts'
import { DAY_MS, HOUR_MS } from '../proofing/time.ts'
import type { LeavingReason } from './contract/visit.ts'
import { seal } from './acts/finish.ts'
import { NEW_VISIT } from './facts.ts'
import { callerFor, type Kit } from './kit.ts'
import type { KioskDeps } from './port.ts'
import { KioskSessions, type KioskSession } from './sessions.ts'
import { outcomeOfLeaving, VisitRecord } from './visit-record.ts'
import type { VisitOutcome } from '../store/visits.ts'

/** Old visits are looked for this often. */
const DROP_EVERY_MS = HOUR_MS

export class VisitsInProgress {
  readonly sessions = new KioskSessions()
  readonly kit: Kit
  #droppedAt = 0

  constructor(deps: KioskDeps) {
    this.kit = { deps, record: new VisitRecord(deps) }
  }

  begin(language: string): { token: string; session: KioskSession } {
    const { deps, record } = this.kit
    const begun = this.sessions.start(deps.newId(), language, deps.clock.now())
    record.begin(begun.session)
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
    session.ended = true
    session.endedAs ??= outcome
    if (session.busy) return
    const takenOver = this.isTakenOver(session)
    this.kit.record.end(session, session.endedAs)
    if (takenOver || session.identityId === null) this.sessions.remove(session)
    else await this.#close(session, session.identityId)
  }

  /** After a crash nobody stands at the screen for the visits that were open. */
  async recover(): Promise<void> {
    const { deps, record } = this.kit
    const { workflows, visits, newId, log, journey } = deps
    const left = await workflows.openIdentities(callerFor(this.kit, null))
    for (const { id: identityId, createdAt, hasPortrait } of left) {
      const visit = visits.findByIdentity(identityId)
      if (visit?.takenOverBy) continue
      const waits = visit?.outcome === 'PERSON'
      const sealedFrom = (visit?.endedAt ?? createdAt).getTime() + journey.handOverHours * HOUR_MS
      const isFinished = visit?.outcome === 'LATER' || visit?.outcome === 'CONFIRMED'
      // A portrait that was handed in is sealed when its checks are done: a lost proof is a lost customer.
      const sealFrom = waits ? new Date(sealedFrom) : isFinished || hasPortrait ? createdAt : null
      this.sessions.adopt(newId(), {
        visitId: visit?.id ?? null,
        identityId,
        startedAt: visit?.startedAt ?? createdAt,
        sealFrom,
      })
    }
    record.interrupt()
    if (left.length > 0) log.warn({ visits: left.length }, 'kiosk: visits of an interrupted run are closed')
  }

  /** Closes every visit whose time is over, and forgets the counts of long ago. */
  async sweep(): Promise<void> {
    const { clock } = this.kit.deps
    for (const session of this.sessions.over(clock.now())) {
      if (session.ended && session.sealFrom && session.sealFrom > clock.now()) {
        if (this.isTakenOver(session)) this.sessions.remove(session)
        continue
      }
      await this.leave(session, null)
    }
    this.#dropOld()
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
