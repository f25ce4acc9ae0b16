/** Scores of two templates: cosines, their fusion, and the comparison with a threshold. Pure arithmetic. */
import type { ComparisonMeasure } from '../protocol.ts'
import type { Template } from './embed.ts'

/** Requires vectors of norm 1. */
export function cosineSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

/**
 * Exponents by which the agreement of fused pictures lowers their cosines, so that one threshold has at most the same FMR
 * for two to four pictures as for one (170 people, 28 Nov 2026; dlib at 0.927: at most 0.10, 0.08, 0.09, 0.08 %).
 */
const AGREEMENT_EXPONENT = { dlib: 0.7, mobileFaceNet: 0.5 }

/**
 * Cosine of dlib's vectors. The network's authors compare Euclidean distances. The vectors' lengths depend on light and
 * sharpness, so one distance means different FMRs on different sets of photographs: at the largest distance that holds
 * FMR 1e-3 on two sets (10 and 160 people, selfie against simulated identity portrait), FNMR was 8.8 % and 22.6 %; at
 * the cosine that holds it on both, 7.9 % and 9.8 % (28 Nov 2026).
 */
export function dlibCosine(a: Template, b: Template): number {
  const agreement = (a.agreement?.dlib ?? 1) * (b.agreement?.dlib ?? 1)
  return cosineSimilarity(a.dlib, b.dlib) * agreement ** AGREEMENT_EXPONENT.dlib
}

/** Returns null if one template lacks this network's part. */
export function mobileFaceNetCosine(a: Template, b: Template): number | null {
  if (!a.mobileFaceNet || !b.mobileFaceNet) return null
  const agreement = (a.agreement?.mobileFaceNet ?? 1) * (b.agreement?.mobileFaceNet ?? 1)
  return cosineSimilarity(a.mobileFaceNet, b.mobileFaceNet) * agreement ** AGREEMENT_EXPONENT.mobileFaceNet
}

/** Mean and deviation of each cosine over pairs of different people: 170 people, selfie against simulated ID portrait. */
const IMPOSTOR = {
  dlib: { mean: 0.841, deviation: 0.0338 },
  mobileFaceNet: { mean: 0.0124, deviation: 0.1027 },
}
/** MobileFaceNet weighs less than its errors deserve: its training set may include the public figures measured here. */
const MOBILEFACENET_WEIGHT = 0.4

/**
 * Weighted mean of both cosines in standard deviations above the impostor mean: about 0 for different people, above 3 for
 * the same person.
 */
export function fuseScores(mobileFaceNet: number, dlib: number): number {
  const byMobileFaceNet = (mobileFaceNet - IMPOSTOR.mobileFaceNet.mean) / IMPOSTOR.mobileFaceNet.deviation
  const byDlib = (dlib - IMPOSTOR.dlib.mean) / IMPOSTOR.dlib.deviation
  return MOBILEFACENET_WEIGHT * byMobileFaceNet + (1 - MOBILEFACENET_WEIGHT) * byDlib
}

/** True at the threshold and on its match side: distances match below it, other measures above it. NaN never matches. */
export function isAtOrBeyond(measure: ComparisonMeasure, score: number, threshold: number): boolean {
  return measure === 'euclidean-distance' ? score <= threshold : score >= threshold
}
