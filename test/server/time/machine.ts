/** A machine with a clock that can be set, and a monotonic one. */
import type { Clock } from '../../../server/clock.ts'

export const DAY_MS = 86_400_000
export const YEAR_MS = 365.25 * DAY_MS

export interface Machine extends Required<Clock> {
  /** Both clocks continue. */
  pass(ms: number): void
  /** Sets the clock. */
  set(byMs: number): void
  /** Switched off for this long, and on again; the clock of the machine may be off by something then. */
  reboot(offMs: number, wallErrorMs?: number): void
}

export function aMachine(at: Date): Machine {
  let wallMs = at.getTime()
  let monoMs = 100_000
  let boot = 1
  return {
    now: () => new Date(wallMs),
    monotonicMs: () => monoMs,
    bootId: () => `boot-${boot}`,
    pass: (ms) => {
      wallMs += ms
      monoMs += ms
    },
    set: (byMs) => {
      wallMs += byMs
    },
    reboot: (offMs, wallErrorMs = 0) => {
      wallMs += offMs + wallErrorMs
      monoMs = 20_000
      boot++
    },
  }
}
