/**
 * Converts line regions to scored band candidates: parallel lines of equal length, blocks of merged lines, and single
 * lines. Lengths are pixels of the working copy (see locate-mrz.ts).
 */
import type { Region } from './components.ts'
import { pointIn, type Oblong } from './grey.ts'

export interface BandCandidate {
  /** Unit: pixels of the picture; the text may also run in the opposite direction. */
  readonly oblong: Oblong
  /** Higher is more likely; comparable only within one search. */
  readonly score: number
  /** A single line, possible only for the one-line layout. */
  readonly isLone: boolean
}

/** A line of 30 characters is about 13 times as long as high, less with shadows and smear. */
export const LINE_ASPECT = { least: 11, most: 75 }
export const BLOCK_ASPECT = { least: 4, most: 26 }
const MAX_LINES = 40
/** Proposals with a lower score are blocks without separate lines. */
export const GROUP_SCORE = 3

/** Height of the rotated copy, and longer side of the picture in it. */
export interface Copy {
  readonly height: number
  readonly side: number
}

/** A single line of 30 characters, including its smear. */
const LONE_ASPECT = { least: 14, most: 36 }

export function findLoneLines(regions: readonly Region[], bands: readonly BandCandidate[]): BandCandidate[] {
  const isIn = (line: Region) =>
    bands.some(({ score, oblong }) => score >= GROUP_SCORE && covers(oblong, line))
  return withoutDoubles(regions)
    .filter(
      (line) => line.width / line.height >= LONE_ASPECT.least && line.width / line.height <= LONE_ASPECT.most,
    )
    .filter((line) => !isIn(line))
    .map((line) => ({ oblong: line, score: line.fill * line.width, isLone: true }))
    .sort((a, b) => b.score - a.score)
}

function covers(band: Oblong, { centre }: Region): boolean {
  return (
    Math.abs(centre.x - band.centre.x) < band.width / 2 &&
    Math.abs(centre.y - band.centre.y) < band.height / 2
  )
}

/** Parallel lines of equal length at MRZ line spacing, then single blocks of merged lines. */
export function groupBands(regions: readonly Region[], copy: Copy): BandCandidate[] {
  const lines = withoutDoubles(regions.filter((r) => r.width / r.height >= LINE_ASPECT.least))
  const grouped = lines.flatMap((line) => groupsAround(line, lines, copy))
  const blocks = regions
    .filter((r) => r.width / r.height <= BLOCK_ASPECT.most)
    .map((r) => ({
      oblong: r,
      isLone: false,
      score:
        2 * r.fill +
        Math.min(r.width / copy.side, 0.9) +
        (r.width / r.height > 5 && r.width / r.height < 22 ? 0.3 : 0) +
        (0.5 * r.centre.y) / copy.height,
    }))
  const bands: BandCandidate[] = []
  for (const band of [...grouped, ...blocks].sort((a, b) => b.score - a.score))
    if (!bands.some((other) => isSameBand(band.oblong, other.oblong))) bands.push(band)
  return bands
}

function withoutDoubles(lines: readonly Region[]): Region[] {
  const kept: Region[] = []
  for (const line of [...lines].sort((a, b) => b.fill - a.fill)) {
    const isDouble = kept.some(
      (k) =>
        Math.abs(line.centre.x - k.centre.x) < 0.05 * k.width &&
        Math.abs(line.centre.y - k.centre.y) < 0.5 * k.height + 2 &&
        Math.abs(line.width - k.width) < 0.1 * k.width,
    )
    if (!isDouble) kept.push(line)
  }
  return kept.slice(0, MAX_LINES)
}

/** The line with its neighbour below, above, and both. Neighbours are at 1/60 to 1/5.2 of the length. */
function groupsAround(line: Region, lines: readonly Region[], copy: Copy): BandCandidate[] {
  const reach = line.width / 5.2
  const near = lines
    .map((other) => ({ other, ...offsetFrom(line, other) }))
    .filter(
      ({ other, along, across }) =>
        other === line ||
        (Math.abs(other.angleDeg - line.angleDeg) <= 3.5 &&
          Math.abs(along) < 0.09 * line.width &&
          Math.abs(other.width - line.width) < 0.2 * line.width &&
          Math.abs(across) > line.width / 60 &&
          Math.abs(across) < reach),
    )
  return [near.filter(({ across }) => across >= 0), near.filter(({ across }) => across <= 0), near].flatMap(
    (group) => {
      if (group.length < 2) return []
      const top = Math.min(...group.map(({ across, other }) => across - other.height / 2))
      const bottom = Math.max(...group.map(({ across, other }) => across + other.height / 2))
      const left = Math.min(...group.map(({ along, other }) => along - other.width / 2))
      const right = Math.max(...group.map(({ along, other }) => along + other.width / 2))
      const width = right - left
      const aspect = width / (bottom - top)
      if (aspect < BLOCK_ASPECT.least || aspect > BLOCK_ASPECT.most) return []
      const centre = pointIn(line, (left + right) / 2, (top + bottom) / 2)
      const fill = group.reduce((sum, { other }) => sum + other.fill, 0) / group.length
      const rows = new Set(group.map(({ across }) => Math.round(across / 6))).size
      return [
        {
          oblong: { centre, width, height: bottom - top, angleDeg: line.angleDeg },
          isLone: false,
          score:
            3 +
            Math.min(width / copy.side, 0.9) +
            (0.4 * centre.y) / copy.height +
            fill / 2 +
            0.2 * Math.min(3, rows),
        },
      ]
    },
  )
}

function offsetFrom(line: Region, other: Region): { along: number; across: number } {
  const r = (line.angleDeg * Math.PI) / 180
  const dx = other.centre.x - line.centre.x
  const dy = other.centre.y - line.centre.y
  return { along: dx * Math.cos(r) + dy * Math.sin(r), across: dy * Math.cos(r) - dx * Math.sin(r) }
}

/** True if both proposals would yield nearly the same cut. */
function isSameBand(a: Oblong, b: Oblong): boolean {
  return (
    Math.abs(a.centre.x - b.centre.x) < 0.06 * b.width &&
    Math.abs(a.centre.y - b.centre.y) < 0.3 * b.height &&
    Math.abs(a.width - b.width) < 0.12 * b.width &&
    Math.abs(a.height - b.height) < 0.3 * b.height &&
    Math.abs(a.angleDeg - b.angleDeg) < 3
  )
}
