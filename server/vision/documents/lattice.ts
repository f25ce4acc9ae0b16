/**
 * Fits a recogniser's output to the format's lattice. Number and pitch of the characters are known, so each character
 * gets its own place and a run of fillers cannot be miscounted.
 */
import { CLASS_CHARACTERS, type Recognition } from './tools.ts'

export const CHARACTERS = CLASS_CHARACTERS.length

/** Probabilities of the 37 characters at each place, and the probability that there is a character. */
export interface Slots {
  /** Float64Array(37) per place, sums to 1. */
  readonly probabilities: readonly Float64Array[]
  /** Largest unconditional probability of a character at the place, 0–1. */
  readonly peaks: readonly number[]
  /** Centres, in the recogniser's time steps. */
  readonly places: readonly number[]
  /** Approximate number of characters outside the lattice. */
  readonly outside: number
}

export interface Peak {
  readonly step: number
  readonly probability: number
  readonly character: string
}

/** Free reading: every run of one class except "no character". */
export function findPeaks({ logProbabilities, steps, classes }: Recognition): Peak[] {
  const peaks: Peak[] = []
  let previous = 0
  for (let t = 0; t < steps; t++) {
    let best = 0
    for (let c = 1; c < classes; c++)
      if (logProbabilities[t * classes + c] > logProbabilities[t * classes + best]) best = c
    const probability = Math.exp(logProbabilities[t * classes + best])
    const last = peaks[peaks.length - 1]
    if (best !== 0 && best !== previous)
      peaks.push({ step: t, probability, character: CLASS_CHARACTERS[best - 1] })
    else if (best !== 0 && probability > last.probability)
      peaks[peaks.length - 1] = { ...last, step: t, probability }
    previous = best
  }
  return peaks
}

/** Distance of adjacent characters in steps; null if too few were seen. */
export function estimatePitch(peaks: readonly Peak[]): number | null {
  const gaps = peaks.slice(1).map((peak, i) => peak.step - peaks[i].step)
  if (gaps.length < MIN_GAPS) return null
  const sorted = gaps.sort((a, b) => a - b)
  const median = sorted[sorted.length >> 1]
  // Steps are whole numbers, so the mean of the gaps near the median is more precise.
  const near = sorted.filter((gap) => Math.abs(gap - median) <= Math.max(1, 0.25 * median))
  return near.reduce((a, b) => a + b, 0) / near.length
}
const MIN_GAPS = 12

/**
 * Pitch at each step. In perspective the far end of a line has narrower characters; a straight line through the gaps
 * models up to 45 degrees (measured on rendered scenes, 21 November 2026).
 */
function pitchesAlong(peaks: readonly Peak[], steps: number, pitch: number): Float64Array {
  const gaps = peaks
    .slice(1)
    .map((peak, i) => ({ at: (peak.step + peaks[i].step) / 2, length: peak.step - peaks[i].step }))
    .filter(({ length }) => Math.abs(length - pitch) <= MAX_NARROWING * pitch)
  const out = new Float64Array(steps).fill(pitch)
  if (gaps.length < MIN_GAPS) return out
  const at = gaps.reduce((sum, gap) => sum + gap.at, 0) / gaps.length
  const length = gaps.reduce((sum, gap) => sum + gap.length, 0) / gaps.length
  const spread = gaps.reduce((sum, gap) => sum + (gap.at - at) ** 2, 0)
  const slope =
    gaps.reduce((sum, gap) => sum + (gap.at - at) * (gap.length - length), 0) / Math.max(1, spread)
  const [least, most] = [pitch * (1 - MAX_NARROWING), pitch * (1 + MAX_NARROWING)]
  return out.map((_, t) => Math.min(most, Math.max(least, pitch + slope * (t - at))))
}
/** Maximum change at either end of the line, relative to its middle. */
const MAX_NARROWING = 0.4

/** A place without a character costs as much as this probability of one. */
const MIN_PRESENCE = 0.02
/** Standard deviation of the gap between neighbours as a share of the pitch: print and perspective. */
const GAP_DEVIATION = 0.2
/** A character outside the lattice may be the card's border or neighbouring text. */
const OUTSIDE_COST = 0.8
/** A character between two places indicates a lattice with too few places. */
const SKIPPED_COST = 2

/**
 * The best lattice of `count` places, then the best ones that begin one character earlier and later, for lines with
 * uncertain ends. Empty if the line is too short.
 */
export function fitLattices(recognition: Recognition, count: number, pitch: number): Slots[] {
  const { steps } = recognition
  const presence = computePresence(recognition)
  const reward = presence.map((p, t) =>
    Math.log(MIN_PRESENCE + Math.max(p, 0.9 * (presence[t - 1] ?? 0), 0.9 * (presence[t + 1] ?? 0))),
  )
  const peaks = findPeaks(recognition)
  const mass = outsideMass(peaks, steps)
  const pitches = pitchesAlong(peaks, steps, pitch)
  const free = walk(reward, mass, count, pitches, 0, steps - 1)
  if (free === null) return []
  const moved = [-1, 1].map((shift) => {
    const here = pitches[free[0]]
    const start = free[0] + shift * here
    return walk(reward, mass, count, pitches, Math.ceil(start - here * 0.4), Math.floor(start + here * 0.4))
  })
  return [free, ...moved].flatMap((places) =>
    places === null ? [] : [toSlots(recognition, places, pitch, mass)],
  )
}

function computePresence({ logProbabilities, steps, classes }: Recognition): Float64Array {
  return Float64Array.from({ length: steps }, (_, t) => 1 - Math.exp(logProbabilities[t * classes]))
}

/** Number of characters before each step. */
function outsideMass(peaks: readonly Peak[], steps: number): Float64Array {
  const mass = new Float64Array(steps + 1)
  for (const { step, probability } of peaks) mass[step + 1] += probability
  for (let t = 1; t <= steps; t++) mass[t] += mass[t - 1]
  return mass
}

/**
 * Dynamic programming over (character, step): maximises presence and penalises uneven gaps and skipped or outside
 * characters.
 */
function walk(
  reward: Float64Array,
  mass: Float64Array,
  count: number,
  pitches: Float64Array,
  firstFrom: number,
  firstTo: number,
): number[] | null {
  const steps = reward.length
  const narrowest = Math.max(1, Math.floor(Math.min(...pitches) * 0.6))
  let scores = new Float64Array(steps).fill(-Infinity)
  for (let t = Math.max(0, firstFrom); t <= Math.min(steps - 1, firstTo); t++)
    scores[t] = reward[t] - OUTSIDE_COST * mass[Math.max(0, t - 1)]
  const from: Int16Array[] = []
  for (let n = 1; n < count; n++) {
    const next = new Float64Array(steps).fill(-Infinity)
    const back = new Int16Array(steps)
    // Leaves room for the characters before and after this one.
    const end = steps - (count - 1 - n) * narrowest
    for (let t = n * narrowest; t < end; t++) {
      const pitch = pitches[t]
      const most = Math.min(t, Math.ceil(pitch * 1.4))
      for (let gap = Math.max(1, Math.floor(pitch * 0.6)); gap <= most; gap++) {
        const off = (gap - pitch) / (GAP_DEVIATION * pitch)
        // Steps next to a place still belong to it; characters two steps away from both are skipped ones.
        const skipped = gap < 4 ? 0 : mass[t - 1] - mass[t - gap + 2]
        const score = scores[t - gap] - 0.5 * off * off - SKIPPED_COST * skipped
        if (score > next[t]) {
          next[t] = score
          back[t] = t - gap
        }
      }
    }
    for (let t = 0; t < steps; t++) next[t] += reward[t]
    from.push(back)
    scores = next
  }
  let end = -1
  let best = -Infinity
  for (let t = 0; t < steps; t++) {
    const score = scores[t] - OUTSIDE_COST * (mass[steps] - mass[Math.min(steps, t + 2)])
    if (score > best) {
      best = score
      end = t
    }
  }
  if (end < 0) return null
  const places = [end]
  for (let n = count - 2; n >= 0; n--) places.unshift(from[n][places[0]])
  return places
}

/** Prior: the filler is more likely than any other character. */
const FLOOR = 1e-4
const FILLER_FLOOR = 5e-4

function toSlots(
  recognition: Recognition,
  places: readonly number[],
  pitch: number,
  mass: Float64Array,
): Slots {
  const { logProbabilities, steps, classes } = recognition
  const probabilities: Float64Array[] = []
  const peaks: number[] = []
  places.forEach((place, n) => {
    const left = n === 0 ? place - pitch / 2 : (places[n - 1] + place) / 2
    const right = n === places.length - 1 ? place + pitch / 2 : (place + places[n + 1]) / 2
    const best = new Float64Array(CHARACTERS).fill(-Infinity)
    for (let t = Math.max(0, Math.ceil(left)); t <= Math.min(steps - 1, Math.floor(right)); t++)
      for (let c = 0; c < CHARACTERS; c++) best[c] = Math.max(best[c], logProbabilities[t * classes + c + 1])
    const seen = best.map((logP, c) => Math.exp(logP) + (c === CHARACTERS - 1 ? FILLER_FLOOR : FLOOR))
    const sum = seen.reduce((a, b) => a + b, 0)
    probabilities.push(seen.map((p) => p / sum))
    peaks.push(Math.exp(best.reduce((a, b) => Math.max(a, b), -Infinity)))
  })
  const first = places[0]
  const last = places[places.length - 1]
  const outside =
    mass[Math.max(0, Math.floor(first - pitch / 2))] +
    mass[steps] -
    mass[Math.min(steps, Math.ceil(last + pitch / 2))]
  return { probabilities, peaks, places, outside }
}

/** Combines several readings of one line by the mean of the logarithms, so that a doubt in any of them counts. */
export function combineSlots(looks: readonly Slots[]): Slots {
  if (looks.length === 1) return looks[0]
  const first = looks[0]
  return {
    ...first,
    probabilities: first.probabilities.map((_, n) => {
      const mean = new Float64Array(CHARACTERS)
      for (const look of looks)
        for (let c = 0; c < CHARACTERS; c++) mean[c] += Math.log(look.probabilities[n][c]) / looks.length
      const raised = mean.map(Math.exp)
      const sum = raised.reduce((a, b) => a + b, 0)
      return raised.map((p) => p / sum)
    }),
    peaks: first.peaks.map((_, n) => looks.reduce((sum, look) => sum + look.peaks[n], 0) / looks.length),
    outside: looks.reduce((sum, look) => sum + look.outside, 0) / looks.length,
  }
}
