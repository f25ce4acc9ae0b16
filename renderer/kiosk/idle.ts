/** When a screen asks "Do you need more time?" and when it clears: pure rules over idle time (ux "Time"). */
import type { JourneyView } from '../../server/kiosk/contract.ts'
import type { ScreenName } from './journey.ts'

/** active: leave them alone · warn: ask · clear: nobody is there. */
export type Idleness = 'active' | 'warn' | 'clear'

type IdleSeconds = JourneyView['idleSeconds']

/** `silent` screens hold nothing of a person and clear without asking; null: the machine works, nobody need act. */
const RULES: Readonly<Record<ScreenName, { limit: keyof IdleSeconds; silent: boolean } | null>> = {
  starting: null,
  resting: null,
  welcome: { limit: 'welcome', silent: true },
  consent: { limit: 'reading', silent: false },
  document: { limit: 'capture', silent: false },
  portrait: { limit: 'capture', silent: false },
  waiting: null,
  result: { limit: 'result', silent: false },
  goodbye: { limit: 'goodbye', silent: true },
}

/** Large text or another aid in use doubles every time (ux "Time"). */
export function idleness(screen: ScreenName, idleMs: number, times: IdleSeconds, slow: boolean): Idleness {
  const rule = RULES[screen]
  if (!rule) return 'active'
  const factor = slow && screen !== 'goodbye' ? 2 : 1
  const limitMs = times[rule.limit] * 1000 * factor
  if (idleMs < limitMs) return 'active'
  return rule.silent || idleMs >= limitMs + times.warning * 1000 * factor ? 'clear' : 'warn'
}

/** Share of the warning's time that is left, 0–1: for the ring, not for a number. */
export function warningLeft(screen: ScreenName, idleMs: number, times: IdleSeconds, slow: boolean): number {
  const rule = RULES[screen]
  if (!rule) return 1
  const factor = slow ? 2 : 1
  const over = idleMs - times[rule.limit] * 1000 * factor
  return Math.min(1, Math.max(0, 1 - over / (times.warning * 1000 * factor)))
}
