/**
 * Owns the search for bands of machine-readable lines in a picture of any orientation.
 * Never reads a character: it proposes places, best first, and the reader says which of them was one.
 */
import type { GreyRaster } from '../image.ts'
import { findRegions, type Region } from './components.ts'
import { cutOblong, pointIn, type Oblong, type Pyramid } from './grey.ts'
import {
  blackhat,
  blur3,
  boxMean,
  bridgeRows,
  close,
  otsuThreshold,
  strokeEdges,
  withoutSpecks,
} from './morphology.ts'

export interface BandCandidate {
  /** In pixels of the picture; the text may also run the other way. */
  readonly oblong: Oblong
  /** Larger is likelier; comparable within one search only. */
  readonly score: number
}

/**
 * All lengths below are pixels of the working copy. They were found on photographs and scans of 109 specimens (see
 * resources/quality.json for the figures) and hold for bands that are at least a third as wide as the picture.
 */
const WORKING_SIDE_PX = 1000
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
/** Given out of each look. */
const PROPOSALS = 3

/** One way to look: along which direction of the picture, and for how wide strokes. */
interface Pass {
  readonly turnDeg: number
  readonly kernel: number
}
/**
 * Strokes up to 23 and 35 pixels wide; lines tilted by up to about 10 degrees from the pass's direction. Nearly all
 * zones are found in the first pass, so the others run only on demand.
 */
const PASSES: readonly Pass[] = [
  { turnDeg: 0, kernel: 11 },
  { turnDeg: 90, kernel: 11 },
  { turnDeg: 18, kernel: 11 },
  { turnDeg: -18, kernel: 11 },
  { turnDeg: 0, kernel: 17 },
  { turnDeg: 90 + 18, kernel: 11 },
  { turnDeg: 90 - 18, kernel: 11 },
]

/**
 * Proposals of one look after another, best first within each, none twice; the caller stops when it has read one.
 * Every pass looks twice: at the strokes that stand out in the whole picture, then at those that do in their own place.
 */
export function* locateBands(pyramid: Pyramid): Generator<BandCandidate[]> {
  const { width, height } = pyramid[0]
  const scale = WORKING_SIDE_PX / Math.max(width, height)
  const proposed: BandCandidate[] = []
  for (const { turnDeg, kernel } of PASSES) {
    const view = turnedView(width, height, turnDeg)
    const grey = blur3(cutOblong(pyramid, view, scale))
    const edges = close(strokeEdges(blackhat(grey, 2 * kernel + 1, kernel)), EDGE_CLOSE_PX, 1)
    for (const strokesOf of [outstandingStrokes, locallyOutstandingStrokes]) {
      const found = bandsOf(findLines(strokesOf(edges)), grey.height)
        .map(({ oblong, score }) => ({ oblong: toPicture(oblong, view, scale), score }))
        .filter((band) => !proposed.some((earlier) => isSameCut(band.oblong, earlier.oblong)))
      proposed.push(...found.slice(0, PROPOSALS))
      yield found.slice(0, PROPOSALS)
    }
  }
}

/** The whole picture, seen so that text of this direction runs to the right. */
function turnedView(width: number, height: number, turnDeg: number): Oblong {
  const r = (turnDeg * Math.PI) / 180
  const [c, s] = [Math.abs(Math.cos(r)), Math.abs(Math.sin(r))]
  return {
    centre: { x: (width - 1) / 2, y: (height - 1) / 2 },
    width: width * c + height * s,
    height: width * s + height * c,
    angleDeg: turnDeg,
  }
}

function outstandingStrokes(edges: GreyRaster): GreyRaster {
  const threshold = otsuThreshold(edges.data)
  const data = new Uint8Array(edges.data.length)
  for (let i = 0; i < data.length; i++) if (edges.data[i] > threshold) data[i] = 255
  return { ...edges, data }
}

function locallyOutstandingStrokes(edges: GreyRaster): GreyRaster {
  const mean = boxMean(edges, LOCAL_MEAN.width, LOCAL_MEAN.height)
  const data = new Uint8Array(edges.data.length)
  for (let i = 0; i < data.length; i++)
    if (edges.data[i] > LOCAL_MEAN.least && edges.data[i] > mean[i] * LOCAL_MEAN.factor) data[i] = 255
  return { ...edges, data }
}

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

/** Parallel lines of one length at the distance of machine-readable lines, then single blocks of merged lines. */
function bandsOf(regions: readonly Region[], pictureHeight: number): BandCandidate[] {
  const lines = withoutDoubles(regions.filter((r) => r.width / r.height >= LINE_ASPECT.least))
  const grouped = lines.flatMap((line) => groupsAround(line, lines, pictureHeight))
  const blocks = regions
    .filter((r) => r.width / r.height <= BLOCK_ASPECT.most)
    .map((r) => ({
      oblong: r,
      score:
        2 * r.fill +
        Math.min(r.width / WORKING_SIDE_PX, 0.9) +
        (r.width / r.height > 5 && r.width / r.height < 22 ? 0.3 : 0) +
        (0.5 * r.centre.y) / pictureHeight,
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
function groupsAround(line: Region, lines: readonly Region[], pictureHeight: number): BandCandidate[] {
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
          score:
            3 +
            Math.min(width / WORKING_SIDE_PX, 0.9) +
            (0.4 * centre.y) / pictureHeight +
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
