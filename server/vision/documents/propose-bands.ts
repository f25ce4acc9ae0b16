/**
 * Regions that may be lines → bands that may be zones, with a score: parallel lines of one length, blocks of merged lines,
 * and lines without a neighbour. Lengths are pixels of the working copy (see locate-mrz.ts).
 */
import type { Region } from './components.ts'
import { pointIn, type Oblong } from './grey.ts'

export interface BandCandidate {
  /** In pixels of the picture; the text may also run the other way. */
  readonly oblong: Oblong
  /** Larger is likelier; comparable within one search only. */
  readonly score: number
  /** One line without a neighbour: a zone only of the layout that has one line. */
  readonly isLone: boolean
}

/** A line of 30 characters is about 13 times as long as high, with shadows and smear somewhat less. */
export const LINE_ASPECT = { least: 11, most: 75 }
export const BLOCK_ASPECT = { least: 4, most: 26 }
const MAX_LINES = 40
/** Below this score a proposal is one block without lines of its own. */
export const GROUP_SCORE = 3

/** Height of the turned copy and longer side of the picture in it. */
export interface Copy {
  readonly height: number
  readonly side: number
}

/** A line of 30 characters by itself, seen with its smear. */
const LONE_ASPECT = { least: 14, most: 36 }

export function loneLinesOf(regions: readonly Region[], bands: readonly BandCandidate[]): BandCandidate[] {
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

/** Parallel lines of one length at the distance of machine-readable lines, then single blocks of merged lines. */
export function bandsOf(regions: readonly Region[], copy: Copy): BandCandidate[] {
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

/** The line with its neighbour below, above, and both. A neighbour lies between 1/60 and 1/5.2 of the length away. */
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

/** Two proposals that would be cut out nearly alike. */
function isSameBand(a: Oblong, b: Oblong): boolean {
  return (
    Math.abs(a.centre.x - b.centre.x) < 0.06 * b.width &&
    Math.abs(a.centre.y - b.centre.y) < 0.3 * b.height &&
    Math.abs(a.width - b.width) < 0.12 * b.width &&
    Math.abs(a.height - b.height) < 0.3 * b.height &&
    Math.abs(a.angleDeg - b.angleDeg) < 3
  )
}
