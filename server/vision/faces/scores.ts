/** Two templates → numbers: distance, cosine, their fusion, and the side of a threshold. Pure arithmetic. */
import type { ComparisonMeasure } from '../protocol.ts'

export function euclideanDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2
  return Math.sqrt(sum)
}

/** Both vectors have length 1. */
export function cosineSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

/** Mean and deviation of each score over pairs of different people: 512 people, selfie against simulated ID portrait. */
const IMPOSTOR_COSINE = { mean: 0.018, deviation: 0.104 }
const IMPOSTOR_CLOSENESS = { mean: 0.132, deviation: 0.089 } // closeness = 1 − distance

/** Mean of both scores in deviations above a stranger's mean: about 0 for strangers, above 4 for the same person. */
export function fuseScores(cosine: number, distance: number): number {
  const byCosine = (cosine - IMPOSTOR_COSINE.mean) / IMPOSTOR_COSINE.deviation
  const byDistance = (1 - distance - IMPOSTOR_CLOSENESS.mean) / IMPOSTOR_CLOSENESS.deviation
  return (byCosine + byDistance) / 2
}

/** True on the threshold itself and on its match side: a distance falls to a match, the others rise to it. A NaN never matches. */
export function isAtOrBeyond(measure: ComparisonMeasure, score: number, threshold: number): boolean {
  return measure === 'euclidean-distance' ? score <= threshold : score >= threshold
}
