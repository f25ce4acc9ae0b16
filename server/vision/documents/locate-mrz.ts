/**
 * Owns the search for bands of machine-readable lines in a picture of any orientation.
 * Never reads a character: it proposes places, best first, and the reader says which of them was one.
 */
import type { GreyRaster } from '../image.ts'
import { findRegions, type Region } from './components.ts'
import { pointIn, type Oblong, type Pyramid } from './grey.ts'
import {
  above,
  aboveLocalMean,
  blackhat,
  blur3,
  bridgeRows,
  close,
  otsuThreshold,
  strokeEdges,
  withoutSpecks,
} from './morphology.ts'
import { copyOf, turnedView } from './working-copy.ts'

export interface BandCandidate {
  /** In pixels of the picture; the text may also run the other way. */
  readonly oblong: Oblong
  /** Larger is likelier; comparable within one search only. */
  readonly score: number
  /** One line without a neighbour: a zone only of the layout that has one line. */
  readonly isLone: boolean
}

/**
 * All lengths below are pixels of the working copy. They were found on photographs and scans of 109 specimens (see
 * resources/quality.json for the figures) and hold for bands that are at least a third as wide as the picture.
 */
const LOCAL_MEAN = { width: 91, height: 61, factor: 1.2, least: 16 }
const EDGE_CLOSE_PX = 19
/** Shorter runs of strokes are words, not lines. */
const LEAST_RUN_PX = 35
/** Characters to words to lines: loosely set zones need the wider bridge, neighbours of narrow ones must not join. */
const BRIDGES_PX = [23, 41]
const LEAST_LINE_WIDTH_PX = 220
const LEAST_LINE_HEIGHT_PX = 5
/** A line of 30 characters is about 13 times as long as high, with shadows and smear somewhat less. */
const LINE_ASPECT = { least: 11, most: 75 }
const BLOCK_ASPECT = { least: 4, most: 26 }
const MOST_TILT_DEG = 30
const MOST_LINES = 40
/** Given out of each look: of bands, and of single lines in the passes that look for such. */
const PROPOSALS = 3
const LONE_PROPOSALS = 2
/** Below this score a proposal is one block without lines of its own; in the later passes one such is enough. */
const GROUP_SCORE = 3
const LATER_BLOCKS = 1

/** Strokes up to 23 pixels wide. */
const STROKE_PX = 11

/** One way to look: along which direction of the picture, and on how large a copy of it (its longer side). */
interface Pass {
  readonly turnDeg: number
  readonly sidePx: number
  readonly isFirst?: boolean
}
/**
 * Lines tilted by up to about 10 degrees from the pass's direction are found. Nearly all zones are found in the first
 * pass, so the others run only on demand; the small copy shows zones whose strokes are too wide for the large one.
 */
const PASSES: readonly Pass[] = [
  { turnDeg: 0, sidePx: 1000, isFirst: true },
  { turnDeg: 90, sidePx: 1000, isFirst: true },
  { turnDeg: 18, sidePx: 1000 },
  { turnDeg: -18, sidePx: 1000 },
  { turnDeg: 0, sidePx: 640 },
  { turnDeg: 90 + 18, sidePx: 1000 },
  { turnDeg: 90 - 18, sidePx: 1000 },
]

/**
 * Proposals of one look after another, best first within each, none twice; the caller stops when it has read one.
 * Every pass looks twice: at the strokes that stand out in the whole picture, then at those that do in their own place.
 */
export function* locateBands(pyramid: Pyramid): Generator<BandCandidate[]> {
  const { width, height } = pyramid[0]
  const proposed: BandCandidate[] = []
  for (const { turnDeg, sidePx, isFirst = false } of PASSES) {
    const scale = sidePx / Math.max(width, height)
    const view = turnedView(pyramid[0], turnDeg)
    const grey = blur3(copyOf(pyramid, view, scale))
    const edges = close(strokeEdges(blackhat(grey, 2 * STROKE_PX + 1, STROKE_PX)), EDGE_CLOSE_PX, 1)
    for (const strokesOf of LOOKS) {
      const regions = findLines(strokesOf(edges))
      const bands = bandsOf(regions, { height: grey.height, side: sidePx })
      const candidates = isFirst ? [...bands, ...loneLinesOf(regions, bands)] : bands
      const found = candidates
        .map((band) => ({ ...band, oblong: toPicture(band.oblong, view, scale) }))
        .filter((band) => !proposed.some((earlier) => isSameCut(band.oblong, earlier.oblong)))
      const chosen = choose(found, isFirst)
      proposed.push(...chosen)
      yield chosen
    }
  }
}

/** Blocks without lines of their own are rarely zones: a later pass gives out one at most. */
function choose(candidates: readonly BandCandidate[], isFirst: boolean): BandCandidate[] {
  const [lone, bands] = [true, false].map((is) => candidates.filter(({ isLone }) => isLone === is))
  const groups = bands.filter(({ score }) => score >= GROUP_SCORE)
  const blocks = bands.filter(({ score }) => score < GROUP_SCORE)
  const wanted = [...groups, ...blocks.slice(0, isFirst ? PROPOSALS : LATER_BLOCKS)].slice(0, PROPOSALS)
  return [...wanted, ...lone.slice(0, LONE_PROPOSALS)]
}

/** The strokes of the whole picture, then those of each place. */
const LOOKS: readonly ((edges: GreyRaster) => GreyRaster)[] = [
  (edges) => above(edges, otsuThreshold(edges.data)),
  (edges) => aboveLocalMean(edges, LOCAL_MEAN),
]

function findLines(mask: GreyRaster): Region[] {
  const strokes = withoutSpecks(mask)
  return BRIDGES_PX.flatMap((bridge) =>
    findRegions(
      bridgeRows(strokes, bridge, LEAST_RUN_PX),
      LEAST_LINE_WIDTH_PX * LEAST_LINE_HEIGHT_PX * 0.4,
    ).filter(
      (r) =>
        r.width >= LEAST_LINE_WIDTH_PX &&
        r.height >= LEAST_LINE_HEIGHT_PX &&
        Math.abs(r.angleDeg) <= MOST_TILT_DEG &&
        r.width / r.height >= BLOCK_ASPECT.least &&
        r.width / r.height <= LINE_ASPECT.most,
    ),
  )
}

/** Height of the turned copy and longer side of the picture in it. */
interface Copy {
  readonly height: number
  readonly side: number
}

/** A line of 30 characters by itself, seen with its smear. */
const LONE_ASPECT = { least: 14, most: 36 }

function loneLinesOf(regions: readonly Region[], bands: readonly BandCandidate[]): BandCandidate[] {
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
function bandsOf(regions: readonly Region[], copy: Copy): BandCandidate[] {
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
  return kept.slice(0, MOST_LINES)
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
export function isSameBand(a: Oblong, b: Oblong): boolean {
  return (
    Math.abs(a.centre.x - b.centre.x) < 0.06 * b.width &&
    Math.abs(a.centre.y - b.centre.y) < 0.3 * b.height &&
    Math.abs(a.width - b.width) < 0.12 * b.width &&
    Math.abs(a.height - b.height) < 0.3 * b.height &&
    Math.abs(a.angleDeg - b.angleDeg) < 3
  )
}

/** So alike that reading it again could give nothing new; a slightly better slope can make all the difference. */
function isSameCut(a: Oblong, b: Oblong): boolean {
  return (
    Math.hypot(a.centre.x - b.centre.x, a.centre.y - b.centre.y) < 0.08 * b.height &&
    Math.abs(a.width - b.width) < 0.04 * b.width &&
    Math.abs(a.height - b.height) < 0.1 * b.height &&
    Math.abs(a.angleDeg - b.angleDeg) < 0.4
  )
}

function toPicture({ centre, width, height, angleDeg }: Oblong, view: Oblong, scale: number): Oblong {
  return {
    centre: pointIn(
      view,
      (centre.x + 0.5) / scale - view.width / 2,
      (centre.y + 0.5) / scale - view.height / 2,
    ),
    width: width / scale,
    height: height / scale,
    angleDeg: angleDeg + view.angleDeg,
  }
}
