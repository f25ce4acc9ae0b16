/** Derives from the clocks at one moment the time and its uncertainty. Pure. */
import type { TimeStatement } from '../clock.ts'
import { BACKWARD_GRACE_MS, DRIFT_RATE, MAX_OFF_MS, SLEW_MS, SLEW_RATE } from './limits.ts'

/** Start of the time count: when the monotonic clock showed `monoMs`, the time was `nowMs`. */
export interface Anchor {
  readonly nowMs: number
  readonly monoMs: number
  readonly source: 'CENTRE' | 'SYSTEM'
  /** Uncertainty at the anchor; it grows with the anchor's age. Null unless the central service stated it. */
  readonly uncertaintyMs: number | null
}

/** State kept in the database between two runs. */
export interface Kept {
  readonly bootId: string | null
  readonly anchor: Anchor
  /** The machine's clock minus the counted time, at the last look. */
  readonly wallOffsetMs: number
  /** A second possible true time, minus the counted time; null if there is none. */
  readonly otherOffsetMs: number | null
  /** The latest time that was not in doubt. */
  readonly highWaterMs: number
  readonly steps: number
}

export interface Start {
  readonly anchor: Anchor
  readonly wallOffsetMs: number
  readonly otherOffsetMs: number | null
  readonly highWaterMs: number
  readonly steps: number
  /** Difference between the machine's clock and the expected time, if it is noticeable. */
  readonly steppedMs: number | null
}

/**
 * Judges the first look of a run. Within the same boot the monotonic clock still counts, so the known time continues.
 * After a new boot only the high-water mark remains: a clock behind it is not followed; a clock far ahead of it is
 * followed, but in doubt.
 */
export function judgeStart(
  wallMs: number,
  monoMs: number,
  bootId: string | null,
  kept: Kept | null,
  latestEventMs: number | null,
): Start {
  const steps = kept?.steps ?? 0
  if (kept !== null && bootId !== null && kept.bootId === bootId && monoMs >= kept.anchor.monoMs) {
    const { anchor, wallOffsetMs, otherOffsetMs, highWaterMs } = kept
    return { anchor, wallOffsetMs, otherOffsetMs, highWaterMs, steps, steppedMs: null }
  }
  const highWaterMs = kept?.highWaterMs ?? latestEventMs ?? wallMs
  const ahead = wallMs - highWaterMs
  const from = (nowMs: number): Anchor => ({ nowMs, monoMs, source: 'SYSTEM', uncertaintyMs: null })
  const certain = { wallOffsetMs: 0, otherOffsetMs: null, highWaterMs, steps, steppedMs: null }
  if (ahead < -BACKWARD_GRACE_MS) {
    return {
      ...certain,
      anchor: from(highWaterMs),
      wallOffsetMs: ahead,
      steps: steps + 1,
      steppedMs: ahead,
    }
  }
  if (ahead > MAX_OFF_MS) {
    return { ...certain, anchor: from(wallMs), otherOffsetMs: -ahead, steps: steps + 1, steppedMs: ahead }
  }
  return { ...certain, anchor: from(wallMs) }
}

/** Tells whether the machine's clock is so near to the counted time that it was only slewed since the anchor. */
export function isFollowed(wallOffsetMs: number, sinceAnchorMs: number): boolean {
  return Math.abs(wallOffsetMs) <= SLEW_MS + sinceAnchorMs * SLEW_RATE
}

/** `nowMs`: the counted time. `wallMs`: the machine's clock. */
export function judgeReading(reading: {
  readonly anchor: Anchor
  readonly nowMs: number
  readonly wallMs: number
  readonly sinceAnchorMs: number
  readonly otherOffsetMs: number | null
  readonly steps: number
}): TimeStatement {
  const { anchor, nowMs, wallMs, sinceAnchorMs, otherOffsetMs, steps } = reading
  if (anchor.source === 'CENTRE') {
    const uncertaintyMs = Math.ceil((anchor.uncertaintyMs ?? 0) + sinceAnchorMs * DRIFT_RATE)
    return between('CENTRE', nowMs - uncertaintyMs, nowMs + uncertaintyMs, uncertaintyMs, steps)
  }
  const doubts = [
    ...(isFollowed(wallMs - anchor.nowMs - sinceAnchorMs, sinceAnchorMs) ? [] : [wallMs]),
    ...(otherOffsetMs === null ? [] : [nowMs + otherOffsetMs]),
  ]
  const source = doubts.length > 0 ? 'UNSURE' : 'SYSTEM'
  return between(source, Math.min(nowMs, ...doubts), Math.max(nowMs, ...doubts), null, steps)
}

function between(
  source: TimeStatement['source'],
  earliestMs: number,
  latestMs: number,
  uncertaintyMs: number | null,
  steps: number,
): TimeStatement {
  return { source, earliest: new Date(earliestMs), latest: new Date(latestMs), uncertaintyMs, steps }
}
