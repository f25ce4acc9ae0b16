/** A clock that runs normally until an actor takes it over; then it advances with the actor's pictures. */
import type { Clock } from '../../server/clock.ts'

export interface ActedClock extends Clock {
  /**
   * From now on time passes only by `pass`, so that a busy machine that draws slowly does not make the actor
   * slow.
   */
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
