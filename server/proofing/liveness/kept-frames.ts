/** Which pictures of a session may still be needed, and which are measured at its end. Holds numbers of pictures, no pictures. */
import { medianOf, type Still } from './calm.ts'
import type { KeyFrames, LiveFace } from './types.ts'

/** A picture of the head at rest. */
export interface RestFrame {
  readonly sequence: number
  /** Degrees from where the head rested. */
  readonly away: number
  readonly sharpness: number
}

/** A picture of a movement. */
export interface MovedFrame {
  readonly sequence: number
  /** 1: the movement was just enough. */
  readonly strength: number
  readonly sharpness: number
}

export interface KeptFrames {
  /** Of the first straight view, from the moment on that it is known where the head rests. */
  readonly reference: number | null
  readonly rest: readonly RestFrame[]
  /** By step. */
  readonly moved: Readonly<Record<number, readonly MovedFrame[]>>
}

export const NOTHING_KEPT: KeptFrames = { reference: null, rest: [], moved: {} }

/** With the reference and four movements, 24 pictures are held at most. */
const MAX_REST = 7
const MAX_PORTRAITS = 6
const MAX_PEAKS = 3
/** LIVENESS_PASSIVE_VIDEO alone: its one movement is all that is measured. */
const MAX_PEAKS_OF_ONE = 6
/** Each costs the end of a session some 50 ms (laboratory of 21 Nov 2026), and more add little. */
const MAX_TARGETS = 6
const MIN_TARGETS = 4
/** On the way the skin's points are followed more surely than at the end of a wide turn. */
const ON_THE_WAY = { from: 0.4, to: 0.95, best: 0.75 }

/** Keeps what is straight, sharp and good; of equals the later is forgotten. */
export function keepRest(kept: KeptFrames, still: Still, away: number): KeptFrames {
  if (!still.isGood) return kept
  const { sequence, sharpness } = still
  const best = [...kept.rest, { sequence, away, sharpness }]
    .toSorted((a, b) => restWorth(b) - restWorth(a))
    .slice(0, MAX_REST)
  return { ...kept, rest: best }
}

/** Of the calm stretch that says where the head rests; null while there is none in it. */
export function keepReference(kept: KeptFrames, stretch: readonly Still[]): KeptFrames {
  const inside = new Set(stretch.map(({ sequence }) => sequence))
  const best = kept.rest.find(({ sequence }) => inside.has(sequence))
  return { ...kept, reference: best?.sequence ?? stretch.at(-1)?.sequence ?? null }
}

export function forgetRestBut(kept: KeptFrames, stretch: readonly Still[]): KeptFrames {
  const inside = new Set(stretch.map(({ sequence }) => sequence))
  return { ...kept, rest: kept.rest.filter(({ sequence }) => inside.has(sequence)) }
}

/** A blurred head is worth less; five degrees away as much as a third of the sharpness. */
function restWorth({ away, sharpness }: RestFrame): number {
  return sharpness / (1 + away / 10)
}

export function keepMoved(
  kept: KeptFrames,
  step: number,
  frame: MovedFrame,
  /** Its end is all that is measured. */
  isOnlyMovement: boolean,
): KeptFrames {
  const frames = [...(kept.moved[step] ?? []), frame]
  const peaks = peaksOf(frames).slice(0, isOnlyMovement ? MAX_PEAKS_OF_ONE : MAX_PEAKS)
  const way = isOnlyMovement ? undefined : onTheWay(frames.filter((one) => !peaks.includes(one)))
  return { ...kept, moved: { ...kept.moved, [step]: way ? [...peaks, way] : peaks } }
}

export function forgetMoved(kept: KeptFrames, step: number): KeptFrames {
  return { ...kept, moved: { ...kept.moved, [step]: [] } }
}

/** Farthest first, but a blurred picture does not stand before one nearly as far that is sharp. */
function peaksOf(frames: readonly MovedFrame[]): readonly MovedFrame[] {
  const usual = medianOf(frames.map(({ sharpness }) => sharpness))
  const worth = ({ strength, sharpness }: MovedFrame): number =>
    strength * (0.7 + 0.3 * Math.min(1, usual > 0 ? sharpness / usual : 1))
  return frames.toSorted((a, b) => worth(b) - worth(a))
}

function onTheWay(frames: readonly MovedFrame[]): MovedFrame | undefined {
  return frames
    .filter(({ strength }) => strength >= ON_THE_WAY.from && strength <= ON_THE_WAY.to)
    .toSorted((a, b) => Math.abs(a.strength - ON_THE_WAY.best) - Math.abs(b.strength - ON_THE_WAY.best))[0]
}

export function sequencesOf({ reference, rest, moved }: KeptFrames): ReadonlySet<number> {
  const sequences = [...rest, ...Object.values(moved).flat()].map(({ sequence }) => sequence)
  return new Set(reference === null ? sequences : [reference, ...sequences])
}

export function keyFrames({ reference, rest, moved }: KeptFrames): KeyFrames | null {
  if (reference === null) return null
  const portraits = rest.map(({ sequence }) => sequence).slice(0, MAX_PORTRAITS)
  const movements = Object.values(moved).filter((frames) => frames.length > 0)
  return {
    reference,
    targets: movements.length === 0 ? swaying(rest, reference) : targetsOf(movements),
    portraits: portraits.length > 0 ? portraits : [reference],
  }
}

/** One of each movement, then in turn a second and third, until there are enough to tell a surface from a head. */
function targetsOf(movements: readonly (readonly MovedFrame[])[]): readonly number[] {
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

/** The farthest, then the one on the way, then the others: neighbours at the peak say the same twice. */
function bestFirst(frames: readonly MovedFrame[]): readonly MovedFrame[] {
  const far = peaksOf(frames.filter(({ strength }) => strength > ON_THE_WAY.to))
  const near = frames.filter(({ strength }) => strength <= ON_THE_WAY.to)
  return [...far.slice(0, 1), ...near.slice(0, 1), ...far.slice(1), ...near.slice(1)]
}

/** Without a movement what a head sways by itself is all there is. */
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
