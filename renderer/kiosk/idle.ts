/**
 * Decides when a screen offers help, asks "Do you need more time?" and clears: pure rules over idle time (ux
 * "Time").
 */
import type { JourneyView } from '../../server/kiosk/contract/index.ts'
import { hasCalled, isCalledAway } from './state.ts'
import type { ScreenState } from './screen-context.ts'

/**
 * active: do nothing · offer: point to Help · warn: ask for more time · clear: the applicant has left ·
 * staff: call an officer.
 */
export type Idleness = 'active' | 'offer' | 'warn' | 'clear' | 'staff'

type IdleSeconds = JourneyView['idleSeconds']
interface Rule {
  readonly limit: keyof IdleSeconds
  /** Holds no personal data and clears without a warning. */
  readonly silent?: boolean
  /** The first half of the time is for trying; then help is offered. */
  readonly offersHelp?: boolean
}

export interface IdleFacts {
  readonly idleMs: number
  /** Large text, speech or switches: every time is doubled. */
  readonly slow: boolean
  /** The help dialog is open. */
  readonly waiting: boolean
  /** Number of times this applicant has asked for more time. */
  readonly extensions: number
}

/**
 * WCAG 2.2.1 requires at least ten extensions. After them an officer is called; the page does not delete
 * input that is still in use.
 */
export const EXTENSIONS = 10

/** Null: the machine works, or the applicant is occupied elsewhere, so the idle clock rests. */
function chooseRule(state: ScreenState, waiting: boolean): Rule | null {
  // The page shows no data of the applicant, and the visit waits at the counter.
  if (waiting && isCalledAway(state)) return { limit: 'reading', silent: true }
  if (waiting && hasCalled(state)) return null
  const step = state.visit?.step
  switch (state.screen) {
    case 'starting':
    case 'resting':
    case 'waiting':
      return null
    case 'welcome':
      return { limit: 'welcome', silent: true }
    case 'goodbye':
      return { limit: 'goodbye', silent: true }
    case 'result':
      return { limit: 'result' }
    case 'consent':
    case 'check':
    case 'phone':
      return { limit: 'reading' }
    case 'details':
      return step && 'state' in step && step.state === 'CHECKING' ? null : { limit: 'reading' }
    case 'chip':
      if (step?.kind !== 'chip' || step.state === 'READING' || step.state === 'CHECKING') return null
      return step.state === 'WAITING' || step.state === 'LOST'
        ? { limit: 'capture', offersHelp: true }
        : { limit: 'reading' }
    case 'trusted-login':
      return step?.kind === 'trusted-login' && step.state === 'WAITING' ? null : { limit: 'reading' }
    case 'document':
      if (step?.kind !== 'document' || step.state === 'CHECKING') return null
      return step.state === 'CHOOSE' ? { limit: 'reading' } : { limit: 'capture', offersHelp: true }
    case 'portrait':
      if (step?.kind !== 'portrait' || step.state === 'CHECKING') return null
      return { limit: 'capture', offersHelp: true }
  }
}

export function createIdleTimer(
  state: ScreenState,
  times: IdleSeconds,
  { idleMs, slow, waiting, extensions }: IdleFacts,
): Idleness {
  const rule = chooseRule(state, waiting)
  if (!rule) return 'active'
  const { limitMs, warningMs } = limits(rule, times, slow)
  if (idleMs < limitMs) return rule.offersHelp && idleMs >= limitMs / 2 ? 'offer' : 'active'
  if (rule.silent) return 'clear'
  if (state.visit && state.screen !== 'result' && extensions >= EXTENSIONS) return 'staff'
  return idleMs >= limitMs + warningMs ? 'clear' : 'warn'
}

/** Returns the remaining share of the warning's time, 0–1, for the ring. */
export function warningLeft(
  state: ScreenState,
  times: IdleSeconds,
  { idleMs, slow, waiting }: IdleFacts,
): number {
  const rule = chooseRule(state, waiting)
  if (!rule) return 1
  const { limitMs, warningMs } = limits(rule, times, slow)
  return Math.min(1, Math.max(0, 1 - (idleMs - limitMs) / warningMs))
}

function limits(rule: Rule, times: IdleSeconds, slow: boolean): { limitMs: number; warningMs: number } {
  const factor = slow && rule.limit !== 'goodbye' ? 2 : 1
  return { limitMs: times[rule.limit] * 1000 * factor, warningMs: times.warning * 1000 * factor }
}
