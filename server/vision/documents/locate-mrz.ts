/**
 * Searches bands of machine-readable lines in a picture of any orientation. Reads no character: it proposes places, best
 * first, and the recogniser decides.
 */
import type { GreyRaster } from '../raster.ts'
import { findRegions, type Region } from './components.ts'
import { pointIn, type Oblong, type Pyramid } from './grey.ts'
import {
  above,
  aboveLocalMean,
  blur3,
  bridgeRows,
  otsuThreshold,
  strokeEdges,
  withoutSpecks,
} from './morphology.ts'
import {
  groupBands,
  BLOCK_ASPECT,
  GROUP_SCORE,
  LINE_ASPECT,
  findLoneLines,
  type BandCandidate,
} from './propose-bands.ts'
import { blackhat, close } from './running-extremes.ts'
import { makeWorkingCopy, getRotatedSize } from './working-copy.ts'

/**
 * Lengths below are pixels of the working copy. They were tuned on photographs and scans of 109 specimens (figures:
 * resources/quality.json) and hold for bands at least a third as wide as the picture.
 */
const LOCAL_MEAN = { width: 91, height: 61, factor: 1.2, least: 16 }
const EDGE_CLOSE_PX = 19
/** Shorter runs of strokes are words, not lines. */
const MIN_RUN_PX = 35
/** Joins characters to words to lines. Wide spacing needs the wider bridge; narrow neighbours must not join. */
const BRIDGES_PX = [23, 41]
const MIN_LINE_WIDTH_PX = 220
const MIN_LINE_HEIGHT_PX = 5
const MAX_TILT_DEG = 30
/** Maximum number of proposals per attempt: bands, and single lines in the passes that search for them. */
const PROPOSALS = 3
const LONE_PROPOSALS = 2
/** Maximum number of blocks without separate lines in the later passes. */
const LATER_BLOCKS = 1

/** Strokes up to 23 pixels wide. */
const STROKE_PX = 11

/** One pass of the search: a direction of the picture, and the longer side of the working copy. */
interface Pass {
  readonly turnDeg: number
  readonly sidePx: number
  readonly isFirst?: boolean
}
/**
 * A pass finds lines tilted by up to about 10 degrees from its direction. The first pass finds nearly all MRZs, so the
 * others run on demand. The small copy finds MRZs whose strokes are too wide for the large one.
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
 * Lines beyond 10 degrees are missed; page sides and lines differed by 0.7 degrees at most (366 pictures, 21 Nov 2026).
 */
export const PASS_REACH_DEG = 12

/** `slopesDeg`: directions of the page's sides if its outline is known; passes along other directions are skipped. */
function passesAlong(slopesDeg: readonly number[] | null): readonly Pass[] {
  if (slopesDeg === null) return PASSES
  return PASSES.filter(({ turnDeg }) =>
    slopesDeg.some((slope) => computeAngleBetweenDeg(turnDeg, slope) <= PASS_REACH_DEG),
  )
}

/** Angle between two undirected directions, 0…90. */
export function computeAngleBetweenDeg(a: number, b: number): number {
  const turned = Math.abs(a - b) % 180
  return Math.min(turned, 180 - turned)
}

/**
 * Yields proposals of each attempt, best first and without duplicates; the caller stops when it has read an MRZ. Every
 * pass tries two masks: strokes that stand out globally, then locally.
 */
export function* locateBands(
  pyramid: Pyramid,
  slopesDeg: readonly number[] | null = null,
): Generator<{ readonly turnDeg: number; readonly proposals: readonly BandCandidate[] }> {
  const { width, height } = pyramid[0]
  const proposed: BandCandidate[] = []
  for (const { turnDeg, sidePx, isFirst = false } of passesAlong(slopesDeg)) {
    const scale = sidePx / Math.max(width, height)
    const view = getRotatedSize(pyramid[0], turnDeg)
    const grey = blur3(makeWorkingCopy(pyramid, view, scale))
    const edges = close(strokeEdges(blackhat(grey, 2 * STROKE_PX + 1, STROKE_PX)), EDGE_CLOSE_PX, 1)
    for (const strokesOf of LOOKS) {
      const regions = findLines(strokesOf(edges))
      const bands = groupBands(regions, { height: grey.height, side: sidePx })
      const candidates = isFirst ? [...bands, ...findLoneLines(regions, bands)] : bands
      const found = candidates
        .map((band) => ({ ...band, oblong: toPicture(band.oblong, view, scale) }))
        .filter((band) => !proposed.some((earlier) => isSameCut(band.oblong, earlier.oblong)))
      const chosen = choose(found, isFirst)
      proposed.push(...chosen)
      yield { turnDeg, proposals: chosen }
    }
  }
}

/** Blocks without separate lines are rarely MRZs, so a later pass proposes at most one. */
function choose(candidates: readonly BandCandidate[], isFirst: boolean): BandCandidate[] {
  const [lone, bands] = [true, false].map((is) => candidates.filter(({ isLone }) => isLone === is))
  const groups = bands.filter(({ score }) => score >= GROUP_SCORE)
  const blocks = bands.filter(({ score }) => score < GROUP_SCORE)
  const wanted = [...groups, ...blocks.slice(0, isFirst ? PROPOSALS : LATER_BLOCKS)].slice(0, PROPOSALS)
  return [...wanted, ...lone.slice(0, LONE_PROPOSALS)]
}

/** Global threshold first, then local thresholds. */
const LOOKS: readonly ((edges: GreyRaster) => GreyRaster)[] = [
  (edges) => above(edges, otsuThreshold(edges.data)),
  (edges) => aboveLocalMean(edges, LOCAL_MEAN),
]

function findLines(mask: GreyRaster): Region[] {
  const strokes = withoutSpecks(mask)
  return BRIDGES_PX.flatMap((bridge) =>
    findRegions(bridgeRows(strokes, bridge, MIN_RUN_PX), MIN_LINE_WIDTH_PX * MIN_LINE_HEIGHT_PX * 0.4).filter(
      (r) =>
        r.width >= MIN_LINE_WIDTH_PX &&
        r.height >= MIN_LINE_HEIGHT_PX &&
        Math.abs(r.angleDeg) <= MAX_TILT_DEG &&
        r.width / r.height >= BLOCK_ASPECT.least &&
        r.width / r.height <= LINE_ASPECT.most,
    ),
  )
}

/** Too similar for a different result. A slightly better slope can matter, so the tolerance is small. */
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
