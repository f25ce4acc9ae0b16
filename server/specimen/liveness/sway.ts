/** Nobody stands still: small wanderings of a head around where it is meant to be, without a memory longer than a moment. */
import type { HeadPose } from './camera.ts'
import { normal, type Random } from './sitter.ts'

/** Deviations in centimetres and degrees, and how soon they are forgotten (shared laboratory, 21 November 2026). */
const DEVIATION: HeadPose = { x: 1, y: 0.7, distance: 0.5, yawDeg: 2, pitchDeg: 1.5, rollDeg: 2, jaw: 0.1 }
const MEMORY_MS = 400
const PARTS = ['x', 'y', 'distance', 'yawDeg', 'pitchDeg', 'rollDeg', 'jaw'] as const

export interface Sway {
  /** Moments must not go back. */
  at(atMs: number): HeadPose
  /** From the next moment on it is another recording: nothing of before is carried on. */
  cut(): void
}

export function createSway(random: Random): Sway {
  const anew = (): HeadPose => mapParts((part) => normal(random) * DEVIATION[part])
  let [last, lastMs] = [anew(), 0]
  return {
    at(atMs) {
      const kept = Math.exp(-Math.max(0, atMs - lastMs) / MEMORY_MS)
      const fresh = Math.sqrt(1 - kept * kept)
      last = mapParts((part) => last[part] * kept + normal(random) * DEVIATION[part] * fresh)
      lastMs = atMs
      return last
    },
    cut() {
      last = anew()
    },
  }
}

function mapParts(value: (part: (typeof PARTS)[number]) => number): HeadPose {
  return Object.fromEntries(PARTS.map((part) => [part, value(part)])) as unknown as HeadPose
}
