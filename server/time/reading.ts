/** What the clocks say at one moment, and how well the time is known by it. Pure. */
import type { TimeStatement } from '../clock.ts'
import { BACKWARD_GRACE_MS, DRIFT_RATE, MAX_OFF_MS, SLEW_MS, SLEW_RATE } from './limits.ts'

/** Where time is counted from: at `monoMs` of the clock that nobody sets it was `nowMs`. */
export interface Anchor {
  readonly nowMs: number
  readonly monoMs: number
  readonly source: 'CENTRE' | 'SYSTEM'
  /** At the anchor itself; it grows with its age. Null unless the central service said so. */
  readonly uncertaintyMs: number | null
}

/** Kept in the database between two runs. */
export interface Kept {
  readonly bootId: string | null
  readonly anchor: Anchor
  /** The machine's clock less the counted time, as last looked at. */
  readonly wallOffsetMs: number
  /** A second reading that may be the true one, less the counted time; null: there is none. */
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
  /** By how much the machine's clock is off what was expected, where that is noticed. */
  readonly steppedMs: number | null
}

/**
 * The first look of a run. In the same boot the clock that nobody sets still counts, so what was known continues. After a
 * new boot only the high-water mark is left: a clock behind it is not followed, one far ahead of it is, in doubt.
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

/** Whether the machine's clock is so near the counted time that it was only slewed since the anchor. */
export function isFollowed(wallOffsetMs: number, sinceAnchorMs: number): boolean {
  return Math.abs(wallOffsetMs) <= SLEW_MS + sinceAnchorMs * SLEW_RATE
}

/** `nowMs`: the time that is gone by. `wallMs`: of the machine's clock. */
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
