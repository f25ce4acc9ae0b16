/** Time as an argument: tests bring their own. */
import { readFileSync } from 'node:fs'

export interface Clock {
  now(): Date
  /** Milliseconds of a clock that nobody sets and that continues while the machine sleeps. Without it `now` is believed. */
  monotonicMs?(): number
  /** Another one after each start of the machine: `monotonicMs` continues as long as it is the same. Null: not known. */
  bootId?(): string | null
}

/** How well the time is known. */
export interface TimeStatement {
  /** CENTRE: compared with a signed time of the central service. SYSTEM: the machine's clock alone. UNSURE: it was set, or went back. */
  readonly source: 'CENTRE' | 'SYSTEM' | 'UNSURE'
  /** The true time lies between these; equal bounds where nothing is known to be wrong. */
  readonly earliest: Date
  readonly latest: Date
  /** Half of what is between them where the central service has confirmed it; null where nobody has. */
  readonly uncertaintyMs: number | null
  /** How often the machine's clock was set by more than a little since the first start. */
  readonly steps: number
}

export interface TrustedTime extends Clock {
  statement(): TimeStatement
  /** A signed time of the central service that took this long to ask for. */
  confirm(serverTime: Date, roundTripMs: number): void
  /** Looks for a clock that was set; called every few seconds. */
  tick(): void
  /** Writes down what is known of the time, for the next start. */
  keep(): void
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: sinceBootMs(),
  bootId: () => readLine('/proc/sys/kernel/random/boot_id'),
}

/** How long the last reading of the machine's uptime is carried on with the process's own clock. */
const READ_AGAIN_MS = 250

/**
 * Milliseconds since the machine was started, sleep included (Linux writes CLOCK_BOOTTIME to /proc/uptime, in steps of
 * 10 ms; between two looks the clock of the process fills in). Where there is no such file, the clock of the process,
 * which stands still while the machine sleeps.
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
