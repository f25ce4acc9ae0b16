/** Overlap of boxes and non-maximum suppression. Pure arithmetic. */
import type { Box } from '../protocol.ts'

/** Shared area over joint area, 0–1. */
export function intersectionOverUnion(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  if (width <= 0 || height <= 0) return 0
  const shared = width * height
  return shared / (a.width * a.height + b.width * b.height - shared)
}

/** Shared area over the smaller box's area, 0–1. */
export function intersectionOverSmaller(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  if (width <= 0 || height <= 0) return 0
  return (width * height) / Math.min(a.width * a.height, b.width * b.height)
}

/** Keeps the best detection of each overlapping group, best first. */
export function suppressOverlaps<T extends { readonly box: Box; readonly score: number }>(
  detections: readonly T[],
  maxOverlap: number,
  overlap: (a: Box, b: Box) => number = intersectionOverUnion,
): T[] {
  const kept: T[] = []
  for (const candidate of [...detections].sort((a, b) => b.score - a.score))
    if (kept.every((better) => overlap(better.box, candidate.box) <= maxOverlap)) kept.push(candidate)
  return kept
}
