/** A clock that runs like any other, until an actor takes it over: then it continues by the pictures that are drawn of him. */
import type { Clock } from '../../server/clock.ts'

export interface ActedClock extends Clock {
  /** From now on time passes only by `pass`: a busy machine that draws slowly makes nobody slow. */
  stand(): void
  pass(ms: number): void
  run(): void
  elapsedMs(): number
}

export function actedClock(): ActedClock {
  const startedAt = Date.now()
  let passedMs = 0
  let runsSince: number | null = performance.now()
  const elapsedMs = () => passedMs + (runsSince === null ? 0 : performance.now() - runsSince)
  return {
    now: () => new Date(startedAt + elapsedMs()),
    monotonicMs: elapsedMs,
    bootId: () => null,
    elapsedMs,
    stand: () => {
      passedMs = elapsedMs()
      runsSince = null
    },
    pass: (ms) => {
      passedMs += ms
    },
    run: () => {
      runsSince ??= performance.now()
    },
  }
}
