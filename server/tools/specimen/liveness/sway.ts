/**
 * Simulates a person who does not stand still: small random movements of a head around its intended place, with a short
 * memory.
 */
import type { HeadPose } from './camera.ts'
import { normal, type Random } from './head-model.ts'

/** Deviations in centimetres and degrees (shared laboratory, 21 November 2026). */
const DEVIATION: HeadPose = { x: 1, y: 0.7, distance: 0.5, yawDeg: 2, pitchDeg: 1.5, rollDeg: 2, jaw: 0.1 }
/** Most of the movement is slow and a little is tremor: shares of the variance, and time constants (initial values). */
const WANDERINGS = [
  { share: 0.9, memoryMs: 1200 },
  { share: 0.1, memoryMs: 200 },
] as const
const PARTS = ['x', 'y', 'distance', 'yawDeg', 'pitchDeg', 'rollDeg', 'jaw'] as const
type Part = (typeof PARTS)[number]

interface Sway {
  /** `atMs` must not decrease. */
  at(atMs: number): HeadPose
  /** Starts another recording: the next moment is independent of the earlier ones. */
  cut(): void
}

export function createSway(random: Random): Sway {
  const parts = WANDERINGS.map((wandering) => wander(wandering, random))
  return {
    at(atMs) {
      const [slow, quick] = parts.map((part) => part.at(atMs))
      return mapParts((part) => slow[part] + quick[part])
    },
    cut() {
      for (const part of parts) part.cut()
    },
  }
}

function wander({ share, memoryMs }: (typeof WANDERINGS)[number], random: Random): Sway {
  const drawn = (part: Part) => normal(random) * DEVIATION[part] * Math.sqrt(share)
  let [last, lastMs] = [mapParts(drawn), 0]
  return {
    at(atMs) {
      const kept = Math.exp(-Math.max(0, atMs - lastMs) / memoryMs)
      const fresh = Math.sqrt(1 - kept * kept)
      last = mapParts((part) => last[part] * kept + drawn(part) * fresh)
      lastMs = atMs
      return last
    },
    cut() {
      last = mapParts(drawn)
    },
  }
}

function mapParts(value: (part: Part) => number): HeadPose {
  return Object.fromEntries(PARTS.map((part) => [part, value(part)])) as unknown as HeadPose
}
