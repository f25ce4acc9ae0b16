/** Decides when the counter warns and when it locks, by the server's times and clock. Pure. */
import type { AtWork } from '../../../server/counter/contract/staff.ts'
import { parseUtcTime } from '../formats.ts'

export type Idleness =
  | { readonly state: 'working' }
  | { readonly state: 'warned'; readonly secondsLeft: number }
  | { readonly state: 'over' }

export function createIdleTimer(
  { warnAt, locksAt, endsAt }: Pick<AtWork, 'warnAt' | 'locksAt' | 'endsAt'>,
  now: number,
): Idleness {
  const end = Math.min(parseUtcTime(locksAt).getTime(), parseUtcTime(endsAt).getTime())
  if (now >= end) return { state: 'over' }
  if (now >= parseUtcTime(warnAt).getTime())
    return { state: 'warned', secondsLeft: Math.ceil((end - now) / 1_000) }
  return { state: 'working' }
}

/** Maximum rate of activity reports; the lock comes after minutes (starting value). */
export const TOUCH_EVERY_MS = 30_000
