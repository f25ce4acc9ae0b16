/**
 * Records what the branch may count of a visit: start, steps, advice, outcome. It reads the row again before
 * each change, because the counter writes into it too. If writing fails, the visit continues.
 */
import { toReference } from '../screens/receipt.ts'
import type { TryEnd, VisitAct } from '../proofing/visit-words.ts'
import type { SentReason, Visit, VisitNoteKind, VisitOutcome } from '../store/visits.ts'
import type { StepKind } from './contract/journey.ts'
import type { LeavingReason } from './contract/visit.ts'
import type { KioskDeps } from './port.ts'
import type { KioskSession } from './sessions.ts'

/** A page that sends notes without end is faulty; a long visit has a few dozen. */
const MAX_NOTES = 500

type Deps = Pick<KioskDeps, 'visits' | 'clock' | 'newId' | 'journey' | 'log'>

export class VisitRecord {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  begin(session: KioskSession): void {
    const { journey, newId } = this.#deps
    const visit: Visit = {
      id: newId(),
      identityId: null,
      channel: 'KIOSK',
      journey: `${journey.id}/${journey.version}`,
      language: session.language,
      reference: null,
      step: 'welcome',
      startedAt: session.startedAt,
      endedAt: null,
      outcome: null,
      helpAskedAt: null,
      helpAnswer: null,
      takenOverBy: null,
    }
    this.#try(() => {
      this.#deps.visits.add(visit)
      session.visitId = visit.id
    })
  }

  find({ visitId }: Pick<KioskSession, 'visitId'>): Visit | null {
    return visitId === null ? null : this.#deps.visits.find(visitId)
  }

  /** Records the identity of the visit, from the consent on. */
  bind(session: KioskSession, identityId: string): void {
    this.#change(session, { identityId, reference: toReference(identityId) })
  }

  speak(session: KioskSession): void {
    this.#change(session, { language: session.language })
  }

  enter(session: KioskSession, step: NonNullable<KioskSession['step']>): void {
    if (session.step === step) return
    session.step = step
    this.#change(session, { step })
    this.#note(session, 'STEP', step)
  }

  note(session: KioskSession, kind: VisitNoteKind, code: string, step = session.step): void {
    if (session.noted >= MAX_NOTES) return
    session.noted++
    this.#note(session, kind, code, step)
  }

  /** @param step the step of the try: the visit may be at a later one by now. */
  tryEnded(session: KioskSession, step: StepKind, end: TryEnd): void {
    this.note(session, 'END', end, step)
  }

  did(session: KioskSession, act: VisitAct): void {
    this.note(session, 'ACT', act)
  }

  /** Throws the store's error: a call for help that was not stored would reach no officer. */
  askHelp(session: KioskSession, isWanted: boolean): void {
    if (isWanted && !session.helpAsked) this.did(session, 'HELP')
    session.helpAsked = isWanted
    const visit = this.find(session)
    if (!visit) return
    const helpAskedAt = isWanted ? (visit.helpAskedAt ?? this.#deps.clock.now()) : null
    const helpAnswer = isWanted ? visit.helpAnswer : null
    const held = isWanted || visit.sent ? (visit.held ?? null) : null
    this.#deps.visits.save({ ...visit, helpAskedAt, helpAnswer, held })
  }

  /** The screen says "go to the counter": staff see the visit from now on. The first reason stays until it is closed. */
  send(session: KioskSession, because: SentReason): void {
    const visit = this.find(session)
    if (!visit || (visit.sent && !visit.closedAt)) return
    this.#change(session, { sent: { at: this.#deps.clock.now(), because }, closedAt: null })
  }

  /** Throws the store's error: a receipt is useless if the counter cannot find its code. */
  receipt(session: KioskSession, outcome: VisitOutcome, code: string): void {
    const visit = this.find(session)
    if (!visit) return
    this.#deps.visits.setCode(visit.id, code)
    this.#deps.visits.save({ ...visit, outcome })
    if (outcome === 'PERSON') this.send(session, 'RESULT')
  }

  /** Records the outcome, unless there is one already. */
  end(session: KioskSession, outcome: VisitOutcome): void {
    const visit = this.find(session)
    if (!visit || visit.endedAt) return
    if (outcome === 'REFUSED') this.send(session, 'NO_CONSENT')
    const isStopped = outcome === 'STOPPED' && visit.outcome === null
    const isUnattended = !isStopped && outcome !== 'REFUSED' && isCallOpen(visit)
    if (isUnattended) this.send(session, 'UNATTENDED')
    const ended = isUnattended && outcome === 'WALKED_AWAY' ? 'UNATTENDED' : outcome
    this.#change(session, {
      // An applicant who stopped needs no officer any more.
      ...(isStopped ? { sent: null } : {}),
      outcome: visit.takenOverBy === null ? (visit.outcome ?? ended) : 'TAKEN_OVER',
      endedAt: this.#deps.clock.now(),
      helpAskedAt: null,
    })
  }

  /** After a crash the applicants are gone, except those of the visits that continue. */
  interrupt(goOn: readonly (string | null)[]): void {
    const { visits, clock } = this.#deps
    for (const visit of visits.listOpen()) {
      if (visit.channel !== 'KIOSK' || visit.takenOverBy !== null || goOn.includes(visit.id)) continue
      this.#try(() =>
        visits.save({
          ...visit,
          ...(isCallOpen(visit) && !visit.sent
            ? { sent: { at: clock.now(), because: 'UNATTENDED' as const } }
            : {}),
          outcome: visit.outcome ?? 'INTERRUPTED',
          endedAt: clock.now(),
          helpAskedAt: null,
        }),
      )
    }
  }

  #change(session: KioskSession, change: Partial<Visit>): void {
    this.#try(() => {
      const visit = this.find(session)
      if (visit) this.#deps.visits.save({ ...visit, ...change })
    })
  }

  #note(session: KioskSession, kind: VisitNoteKind, code: string, step = session.step): void {
    const { visitId } = session
    if (visitId === null) return
    const note = { visitId, at: this.#deps.clock.now(), step: step ?? 'welcome', kind, code }
    this.#try(() => this.#deps.visits.note(note))
  }

  #try(write: () => void): void {
    try {
      write()
    } catch {
      this.#deps.log.warn({}, 'a kiosk visit could not be recorded')
    }
  }
}

/** The applicant called for help, did not take the call back, and no officer has taken the visit over. */
export const isCallOpen = ({ helpAskedAt, takenOverBy }: Visit): boolean =>
  helpAskedAt !== null && takenOverBy === null

/** Returns the outcome of a visit that ended without a receipt. */
export function getLeavingOutcome(why: LeavingReason | null): VisitOutcome {
  return why === 'WALKED_AWAY' || why === null ? 'WALKED_AWAY' : 'STOPPED'
}
