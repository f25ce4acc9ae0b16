/** When a message appears and goes: one at a time, never flickering. Pure: time is an argument. */

export interface TimingLimits {
  readonly appearsAfterMs: number
  readonly staysMs: number
}

export interface Timing<Code extends string> {
  readonly shown: Code | null
  readonly shownSinceMs: number
  /** What is true now, and since when. */
  readonly truth: Code | null
  readonly truthSinceMs: number
}

export function noMessage<Code extends string>(): Timing<Code> {
  return { shown: null, shownSinceMs: -Infinity, truth: null, truthSinceMs: -Infinity }
}

/** @param truth what is true now; null: nothing is known, and what is shown stays. */
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

/** At once, for what the person has done (a photo was taken): it need not prove true first. */
export function showNow<Code extends string>(code: Code, nowMs: number): Timing<Code> {
  return { shown: code, shownSinceMs: nowMs, truth: code, truthSinceMs: nowMs }
}
