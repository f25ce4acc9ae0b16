/** Clocks are arguments, so that tests can control the time. */
import { readFileSync } from 'node:fs'

export interface Clock {
  now(): Date
  /** Milliseconds of a clock that cannot be set and that continues while the machine sleeps. If absent, `now` is used. */
  monotonicMs?(): number
  /** Changes with each boot: `monotonicMs` of two readings is comparable only within one boot. Null: unknown. */
  bootId?(): string | null
}

/** The uncertainty of the time. */
export interface TimeStatement {
  /** CENTRE: compared with a signed time of the central service. SYSTEM: only the machine's clock. UNSURE: that clock was set. */
  readonly source: 'CENTRE' | 'SYSTEM' | 'UNSURE'
  /** Bounds of the true time; equal if no deviation is known. */
  readonly earliest: Date
  readonly latest: Date
  /** Half of the interval if the central service has confirmed the time; otherwise null. */
  readonly uncertaintyMs: number | null
  /** Number of noticeable changes of the machine's clock since the first start. */
  readonly steps: number
}

export interface TrustedTime extends Clock {
  statement(): TimeStatement
  /** Takes a signed time of the central service and the duration of that request. */
  confirm(serverTime: Date, roundTripMs: number): void
  /** Checks whether the clock was set; called every few seconds. */
  tick(): void
  /** Stores the state for the next start. */
  keep(): void
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: sinceBootMs(),
  bootId: () => readLine('/proc/sys/kernel/random/boot_id'),
}

/** Time between two readings of the uptime; the clock of the process covers it. */
const READ_AGAIN_MS = 250

/**
 * Returns the milliseconds since the boot, including sleep: Linux writes CLOCK_BOOTTIME to /proc/uptime in steps of 10 ms, and
 * the clock of the process covers the time between two readings. Without that file only the clock of the process is used,
 * which stops while the machine sleeps.
 */
function sinceBootMs(): () => number {
  let read: { readonly bootMs: number; readonly at: number } | null = null
  let last = 0
  return () => {
    const at = performance.now()
    if (read === null || at - read.at > READ_AGAIN_MS) {
      const seconds = Number(readLine('/proc/uptime')?.split(' ')[0] ?? NaN)
      read = { bootMs: Number.isFinite(seconds) ? seconds * 1000 : at, at }
    }
    last = Math.max(last, read.bootMs + (at - read.at))
    return last
  }
}

function readLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
