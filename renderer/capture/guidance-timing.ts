/**
 * Decides when a message appears and disappears: one at a time, without flickering. Pure: time is an
 * argument.
 */

interface TimingLimits {
  readonly appearsAfterMs: number
  readonly staysMs: number
}

export interface Timing<Code extends string> {
  readonly shown: Code | null
  readonly shownSinceMs: number
  /** The present advice, and the time since it is valid. */
  readonly truth: Code | null
  readonly truthSinceMs: number
}

export function noMessage<Code extends string>(): Timing<Code> {
  return { shown: null, shownSinceMs: -Infinity, truth: null, truthSinceMs: -Infinity }
}

/** @param truth the present advice; null: unknown, and the shown message stays. */
export function nextMessage<Code extends string>(
  timing: Timing<Code>,
  truth: Code | null,
  nowMs: number,
  { appearsAfterMs, staysMs }: TimingLimits,
): Timing<Code> {
  const truthSinceMs = truth === timing.truth ? timing.truthSinceMs : nowMs
  const next = { ...timing, truth, truthSinceMs }
  if (truth === null || truth === timing.shown) return next
  const isTrueLongEnough = nowMs - truthSinceMs >= appearsAfterMs
  const wasReadable = timing.shown === null || nowMs - timing.shownSinceMs >= staysMs
  return isTrueLongEnough && wasReadable ? { ...next, shown: truth, shownSinceMs: nowMs } : next
}

/** Shows a message immediately, for the result of an act (a photo): it does not have to persist first. */
export function showNow<Code extends string>(code: Code, nowMs: number): Timing<Code> {
  return { shown: code, shownSinceMs: nowMs, truth: code, truthSinceMs: nowMs }
}
