/**
 * The page's state as a pure reducer. The server decides the step (VisitView); this module holds only the
 * screens outside a visit, the language, pending calls and messages. It knows no DOM, no clock and no
 * network; machine.ts carries out what `nextTask` returns.
 */
import type { JourneyView, VisitView } from '../../server/kiosk/contract/index.ts'
import type { Language } from '../locales/index.ts'
import type { CallFailure } from './api.ts'
import type { Parting, ScreenState, Trouble } from './screen-context.ts'

export interface AppState extends ScreenState {
  /** Consecutive calls without an answer; each one lengthens the wait. */
  readonly unanswered: number
}

export type AppEvent =
  | { type: 'loaded'; journey: JourneyView; trouble?: Trouble }
  | { type: 'load-failed'; failure: CallFailure }
  | { type: 'language-chosen'; language: Language }
  | { type: 'act-began' }
  /** A view from the server. `quiet`: it is not the answer to an act of the applicant. */
  | { type: 'visit'; visit: VisitView; quiet?: boolean }
  | { type: 'call-failed'; failure: CallFailure; quiet?: boolean }
  | { type: 'parted'; parting: Parting }
  /** The visit is over and its page is about to be reloaded. */
  | { type: 'cleared' }
  | { type: 'told' }

const ENGLISH: Language = { tag: 'en', name: 'English', dir: 'ltr' }

export const START: AppState = {
  screen: 'starting',
  journey: null,
  visit: null,
  language: ENGLISH,
  working: false,
  parting: 'finished',
  trouble: null,
  unanswered: 0,
}

export function reduce(state: AppState, event: AppEvent): AppState {
  switch (event.type) {
    case 'loaded':
      return {
        ...START,
        screen: 'welcome',
        journey: event.journey,
        language: state.language,
        trouble: event.trouble ?? null,
      }
    case 'load-failed':
      return resting(state, event.failure)
    case 'language-chosen':
      return { ...state, language: event.language }
    case 'act-began':
      return { ...state, working: true, trouble: null }
    case 'visit':
      return visited(state, event.visit, event.quiet === true)
    case 'call-failed':
      return callFailed(state, event.failure, event.quiet === true)
    case 'parted':
      // The reference and all other personal data end with the visit.
      return {
        ...START,
        screen: 'goodbye',
        journey: state.journey,
        language: state.language,
        parting: event.parting,
      }
    case 'cleared':
      return { ...START, journey: state.journey, language: state.language }
    case 'told':
      return state.trouble === 'offline' ? state : { ...state, trouble: null }
  }
}

/** True if stopping would delete something. */
export function hasVisit(state: ScreenState): boolean {
  return state.visit !== null && state.visit.step.kind !== 'result'
}

/** A call for help is open. */
export function hasCalled(state: ScreenState): boolean {
  return state.visit?.help.asked === true
}

/** An officer has answered the call with "come to the counter": the applicant is to leave this screen. */
export function isCalledAway(state: ScreenState): boolean {
  return hasCalled(state) && state.visit?.help.answer === 'GO_TO_COUNTER'
}

interface Task {
  /**
   * boot: read the journey · look: are visits possible · poll: the state of the visit · finish: all checks
   * are done.
   */
  readonly name: 'boot' | 'look' | 'poll' | 'finish'
  readonly afterMs: number
}

// Starting values. The checks take about a second; on average the applicant waits half a polling interval
// longer.
const POLL = { checking: 250, chip: 400, phoneOrLogin: 1500, help: 2000, calm: 8000 }
const BACKOFF_MS = [1000, 2000, 4000, 8000] as const
const BOOT_RETRY_MS = 4000
const LOOK_MS = 15_000

/** Returns what the page does next by itself. */
export function nextTask(state: AppState): Task | null {
  if (state.screen === 'resting') return { name: 'boot', afterMs: BOOT_RETRY_MS }
  if (state.screen === 'welcome') return { name: 'look', afterMs: LOOK_MS }
  if (!state.visit || state.working) return null
  const patience = BACKOFF_MS[Math.min(state.unanswered, BACKOFF_MS.length) - 1]
  if (patience !== undefined) return { name: 'poll', afterMs: patience }
  const { step } = state.visit
  if (step.kind === 'waiting' && step.ready) return { name: 'finish', afterMs: 0 }
  return { name: 'poll', afterMs: pollAfter(state.visit) }
}

/** The reading continues by itself. A reader that is out of order may come back. */
const CHIP_RUNS: readonly string[] = ['WAITING', 'READING', 'LOST', 'FAILED']

function pollAfter({ step, help }: VisitView): number {
  if (step.kind === 'waiting' || ('state' in step && step.state === 'CHECKING')) return POLL.checking
  if (
    (step.kind === 'phone' && step.state === 'SENDING') ||
    (step.kind === 'trusted-login' && step.state === 'WAITING')
  )
    return POLL.phoneOrLogin
  if (step.kind === 'chip' && CHIP_RUNS.includes(step.state)) return POLL.chip
  // An officer may answer, or take the visit over.
  return help.asked ? POLL.help : POLL.calm
}

/** Shows no personal data and allows no visit. */
function resting(state: AppState, failure: CallFailure): AppState {
  const trouble = failure === 'closed' ? 'closed' : null
  return { ...START, screen: 'resting', language: state.language, trouble }
}

function visited(state: AppState, visit: VisitView, quiet: boolean): AppState {
  // The answer belongs to a visit that is over.
  if (state.screen === 'goodbye' || state.screen === 'resting') return state
  if (visit.takenOver) return reduce(state, { type: 'parted', parting: 'taken-over' })
  const moved = state.visit?.step.kind !== visit.step.kind
  const trouble = quiet && !moved && state.trouble !== 'offline' ? state.trouble : null
  return { ...state, screen: visit.step.kind, visit, working: quiet && state.working, trouble, unanswered: 0 }
}

const TROUBLE_OF: Readonly<Record<CallFailure, Trouble>> = {
  offline: 'offline',
  'session-over': 'expired',
  'shut-out': 'expired',
  'taken-over': 'elsewhere',
  'file-refused': 'file',
  full: 'busy',
  closed: 'closed',
  refused: 'elsewhere',
}

function callFailed(state: AppState, failure: CallFailure, quiet: boolean): AppState {
  const calm = { ...state, working: quiet && state.working }
  if (state.screen === 'goodbye' || state.screen === 'resting') return calm
  if (failure === 'taken-over') return reduce(state, { type: 'parted', parting: 'taken-over' })
  // The visit is gone; the machine reloads the page afterwards, so that no data of it is left.
  if (failure === 'session-over' || failure === 'shut-out')
    return state.visit
      ? { ...START, screen: 'starting', journey: state.journey, language: state.language, trouble: 'expired' }
      : calm
  // `closed` never ends a visit that is under way.
  if (failure === 'closed' && !state.visit) return resting(state, 'closed')
  if (failure === 'offline') return { ...calm, trouble: 'offline', unanswered: state.unanswered + 1 }
  return quiet ? { ...calm, unanswered: 0 } : { ...calm, trouble: TROUBLE_OF[failure], unanswered: 0 }
}
