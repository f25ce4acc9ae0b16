/**
 * The kiosk's journey as a pure state machine: what is shown follows from what happened, and nothing else.
 * It knows no DOM, no clock and no network; app.ts carries out what it asks for.
 */
import type { CallFailure } from '../api-client.ts'
import type { GuidanceCode, JourneyView, Progress, Receipt } from '../../server/kiosk/contract.ts'

export const SCREENS = [
  'starting',
  'resting',
  'welcome',
  'consent',
  'document',
  'portrait',
  'waiting',
  'result',
  'goodbye',
] as const
export type ScreenName = (typeof SCREENS)[number]

/** Why the last screen is a goodbye. */
export type Parting = 'finished' | 'refused' | 'stopped'
/** Something to tell on the present screen that is not about a photo. */
export type Notice = 'offline' | 'busy' | 'expired' | 'closed'

export interface JourneyState {
  readonly screen: ScreenName
  readonly journey: JourneyView | null
  readonly language: string
  /** An act of the person is on its way to the server. */
  readonly working: boolean
  readonly progress: Progress | null
  /** Why another photo is wanted on this screen, most important first; empty at the first try. */
  readonly guidance: readonly GuidanceCode[]
  /** Grows with every photo that was not taken: each time the capture screen starts anew. */
  readonly round: number
  readonly receipt: Receipt | null
  readonly parting: Parting
  readonly notice: Notice | null
}

export type JourneyEvent =
  | { type: 'loaded'; journey: JourneyView }
  | { type: 'load-failed'; failure: CallFailure }
  | { type: 'act-began' }
  | { type: 'language-chosen'; language: string }
  | { type: 'session-started' }
  | { type: 'agreed' }
  | { type: 'progressed'; progress: Progress }
  | { type: 'finished'; receipt: Receipt }
  | { type: 'call-failed'; failure: CallFailure }
  | { type: 'parted'; parting: Parting }
  | { type: 'reset' }

export const START: JourneyState = {
  screen: 'starting',
  journey: null,
  language: 'en',
  working: false,
  progress: null,
  guidance: [],
  round: 0,
  receipt: null,
  parting: 'finished',
  notice: null,
}

export function reduce(state: JourneyState, event: JourneyEvent): JourneyState {
  switch (event.type) {
    case 'loaded':
      return { ...welcome(state), journey: event.journey, language: event.journey.languages[0]?.tag ?? 'en' }
    case 'load-failed':
      return resting(event.failure)
    case 'act-began':
      return { ...state, working: true, notice: null }
    case 'language-chosen':
      return { ...state, language: event.language }
    case 'session-started':
      return state.screen === 'welcome'
        ? { ...state, screen: 'consent', working: false, notice: null }
        : state
    case 'agreed':
      return state.screen === 'consent'
        ? { ...state, screen: 'document', working: false, notice: null }
        : state
    case 'progressed':
      return inVisit(state) ? progressed(state, event.progress) : state
    case 'finished':
      return inVisit(state) ? { ...state, screen: 'result', working: false, receipt: event.receipt } : state
    case 'call-failed':
      return callFailed(state, event.failure)
    case 'parted':
      return { ...welcome(state), screen: 'goodbye', parting: event.parting }
    case 'reset':
      return state.journey ? welcome(state) : START
  }
}

/** What the app does next without being asked: poll the checks, or finish. */
export function nextTask(state: JourneyState): 'poll' | 'finish' | null {
  const { progress } = state
  if (!progress || state.receipt || !inVisit(state)) return null
  if (progress.ready) return 'finish'
  return progress.document.state === 'CHECKING' || progress.portrait.state === 'CHECKING' ? 'poll' : null
}

/** True when the step's photo is with the server and being checked. */
export function isChecking(state: JourneyState): boolean {
  const { progress, screen } = state
  if (screen === 'document') return progress?.document.state === 'CHECKING'
  return screen === 'waiting'
}

/** The numbered steps of the journey, as the step line names them. */
export const STEPS = ['consent', 'document', 'portrait', 'waiting', 'result'] as const
export type StepName = (typeof STEPS)[number]

/** Position of the present step from 1; null on screens outside the steps. */
export function stepOf(screen: ScreenName): { name: StepName; n: number; total: number } | null {
  const index = STEPS.findIndex((step) => step === screen)
  const name = STEPS[index]
  return name ? { name, n: index + 1, total: STEPS.length } : null
}

/** There is something that a stop would delete. */
export function hasVisit(state: JourneyState): boolean {
  return inVisit(state) && state.screen !== 'welcome'
}

function inVisit({ screen }: JourneyState): boolean {
  return screen === 'consent' || screen === 'document' || screen === 'portrait' || screen === 'waiting'
}

/** Nothing of a person is on the screen, and nothing can be begun. */
function resting(failure: CallFailure): JourneyState {
  return { ...START, screen: 'resting', notice: failure === 'closed' ? 'closed' : null }
}

/** Everything of the person gone; what the machine knows about itself stays. */
function welcome(state: JourneyState): JourneyState {
  return {
    ...START,
    screen: 'welcome',
    journey: state.journey,
    language: state.journey?.languages[0]?.tag ?? 'en',
  }
}

function progressed(state: JourneyState, progress: Progress): JourneyState {
  const screen = screenFor(progress)
  const guidance = screen === 'waiting' ? [] : progress[screen].guidance
  const round = guidance.length > 0 ? state.round + 1 : state.round
  return { ...state, screen, progress, guidance, round, working: false, notice: null }
}

function screenFor({ document, portrait }: Progress): 'document' | 'portrait' | 'waiting' {
  if (document.state !== 'DONE') return 'document'
  return portrait.state === 'NONE' || portrait.state === 'AGAIN' ? 'portrait' : 'waiting'
}

function callFailed(state: JourneyState, failure: CallFailure): JourneyState {
  if (failure === 'session-over' && hasVisit(state)) return { ...welcome(state), notice: 'expired' }
  // Before anything of the person is here. A visit that is under way is never closed.
  if (failure === 'closed' && (state.screen === 'welcome' || state.screen === 'consent'))
    return resting(failure)
  const calm = { ...state, working: false }
  if (failure === 'image-refused' && (state.screen === 'document' || state.screen === 'portrait')) {
    return { ...calm, guidance: ['FILE_UNREADABLE'], round: state.round + 1 }
  }
  return { ...calm, notice: failure === 'full' ? 'busy' : 'offline' }
}
