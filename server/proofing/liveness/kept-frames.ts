/**
 * Selects the frames of a session that may still be needed, and those measured at its end. Holds frame numbers, no
 * pictures.
 */
import { computeMedian, type Still } from './calm.ts'
import type { KeyFrames, LiveFace } from './types.ts'

/** A frame of the head at rest. */
interface RestFrame {
  readonly sequence: number
  /** Degrees from the resting pose. */
  readonly away: number
  readonly sharpness: number
}

/** A frame of a movement. */
interface MovedFrame {
  readonly sequence: number
  /** 1: the movement was just sufficient. */
  readonly strength: number
  readonly sharpness: number
}

export interface KeptFrames {
  /** Best frame of the first straight view; set once the resting pose is known. */
  readonly reference: number | null
  readonly rest: readonly RestFrame[]
  /** Keyed by step. */
  readonly moved: Readonly<Record<number, readonly MovedFrame[]>>
}

export const NOTHING_KEPT: KeptFrames = { reference: null, rest: [], moved: {} }

/** Together with the reference and four movements at most 24 frames are kept. */
const MAX_REST = 7
const MAX_PORTRAITS = 6
const MAX_PEAKS = 3
/** For LIVENESS_PASSIVE_VIDEO: only its single movement is measured. */
const MAX_PEAKS_OF_ONE = 6
/** Each adds about 50 ms at the end of a session (laboratory, 21 Nov 2026), and more add little. */
const MAX_TARGETS = 6
const MIN_TARGETS = 4
/** During a movement the skin's points can be tracked more reliably than at the end of a wide turn. */
const ON_THE_WAY = { from: 0.4, to: 0.95, best: 0.75 }

/** Keeps straight, sharp, good frames; on a tie the later one is dropped. */
export function keepRest(kept: KeptFrames, still: Still, away: number): KeptFrames {
  if (!still.isGood) return kept
  const { sequence, sharpness } = still
  const best = [...kept.rest, { sequence, away, sharpness }]
    .toSorted((a, b) => restWorth(b) - restWorth(a))
    .slice(0, MAX_REST)
  return { ...kept, rest: best }
}

/** Sets the reference from the calm stretch that defines the resting pose; null if the stretch has none. */
export function keepReference(kept: KeptFrames, stretch: readonly Still[]): KeptFrames {
  const inside = new Set(stretch.map(({ sequence }) => sequence))
  const best = kept.rest.find(({ sequence }) => inside.has(sequence))
  return { ...kept, reference: best?.sequence ?? stretch.at(-1)?.sequence ?? null }
}

export function forgetRestBut(kept: KeptFrames, stretch: readonly Still[]): KeptFrames {
  const inside = new Set(stretch.map(({ sequence }) => sequence))
  return { ...kept, rest: kept.rest.filter(({ sequence }) => inside.has(sequence)) }
}

/** Ranks by sharpness and angle: ten degrees halve the value. */
function restWorth({ away, sharpness }: RestFrame): number {
  return sharpness / (1 + away / 10)
}

export function keepMoved(
  kept: KeptFrames,
  step: number,
  frame: MovedFrame,
  /** Only its end is measured. */
  isOnlyMovement: boolean,
): KeptFrames {
  const frames = [...(kept.moved[step] ?? []), frame]
  const peaks = sortPeaks(frames).slice(0, isOnlyMovement ? MAX_PEAKS_OF_ONE : MAX_PEAKS)
  const way = isOnlyMovement ? undefined : onTheWay(frames.filter((one) => !peaks.includes(one)))
  return { ...kept, moved: { ...kept.moved, [step]: way ? [...peaks, way] : peaks } }
}

export function forgetMoved(kept: KeptFrames, step: number): KeptFrames {
  return { ...kept, moved: { ...kept.moved, [step]: [] } }
}

/** Sorted by strength, but a blurred frame does not precede a sharp one of nearly the same strength. */
function sortPeaks(frames: readonly MovedFrame[]): readonly MovedFrame[] {
  const usual = computeMedian(frames.map(({ sharpness }) => sharpness))
  const worth = ({ strength, sharpness }: MovedFrame): number =>
    strength * (0.7 + 0.3 * Math.min(1, usual > 0 ? sharpness / usual : 1))
  return frames.toSorted((a, b) => worth(b) - worth(a))
}

function onTheWay(frames: readonly MovedFrame[]): MovedFrame | undefined {
  return frames
    .filter(({ strength }) => strength >= ON_THE_WAY.from && strength <= ON_THE_WAY.to)
    .toSorted((a, b) => Math.abs(a.strength - ON_THE_WAY.best) - Math.abs(b.strength - ON_THE_WAY.best))[0]
}

export function listSequences({ reference, rest, moved }: KeptFrames): ReadonlySet<number> {
  const sequences = [...rest, ...Object.values(moved).flat()].map(({ sequence }) => sequence)
  return new Set(reference === null ? sequences : [reference, ...sequences])
}

export function keyFrames({ reference, rest, moved }: KeptFrames): KeyFrames | null {
  if (reference === null) return null
  const portraits = rest.map(({ sequence }) => sequence).slice(0, MAX_PORTRAITS)
  const movements = Object.values(moved).filter((frames) => frames.length > 0)
  return {
    reference,
    targets: movements.length === 0 ? swaying(rest, reference) : chooseTargets(movements),
    portraits: portraits.length > 0 ? portraits : [reference],
  }
}

/**
 * One frame per movement, then second and third ones in turn, until there are enough to distinguish a surface from a
 * head.
 */
function chooseTargets(movements: readonly (readonly MovedFrame[])[]): readonly number[] {
  const wanted = Math.min(MAX_TARGETS, Math.max(MIN_TARGETS, 2 * movements.length))
  const ordered = movements.map((frames) => bestFirst(frames))
  const longest = Math.max(...ordered.map(({ length }) => length))
  const rounds = Array.from({ length: longest }, (_, round) => ordered.map((frames) => frames.at(round)))
  return rounds
    .flat()
    .filter((frame) => frame !== undefined)
    .slice(0, wanted)
    .map(({ sequence }) => sequence)
}

/** The strongest, then one during the movement, then the rest: neighbouring peaks are redundant. */
function bestFirst(frames: readonly MovedFrame[]): readonly MovedFrame[] {
  const far = sortPeaks(frames.filter(({ strength }) => strength > ON_THE_WAY.to))
  const near = frames.filter(({ strength }) => strength <= ON_THE_WAY.to)
  return [...far.slice(0, 1), ...near.slice(0, 1), ...far.slice(1), ...near.slice(1)]
}

/** A session without a movement shows only the natural sway of the head. */
function swaying(rest: readonly RestFrame[], reference: number): readonly number[] {
  return rest
    .filter(({ sequence }) => sequence !== reference)
    .toSorted((a, b) => b.away - a.away)
    .slice(0, MIN_TARGETS)
    .map(({ sequence }) => sequence)
}

export function movedFrame(sequence: number, strength: number, { sharpness }: LiveFace): MovedFrame {
  return { sequence, strength, sharpness }
}
