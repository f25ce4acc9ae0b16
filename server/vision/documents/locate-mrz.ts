/**
 * Owns the search for bands of machine-readable lines in a picture of any orientation.
 * Never reads a character: it proposes places, best first, and the reader says which of them was one.
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
  bandsOf,
  BLOCK_ASPECT,
  GROUP_SCORE,
  LINE_ASPECT,
  loneLinesOf,
  type BandCandidate,
} from './propose-bands.ts'
import { blackhat, close } from './running-extremes.ts'
import { copyOf, turnedView } from './working-copy.ts'

/**
 * All lengths below are pixels of the working copy. They were found on photographs and scans of 109 specimens (see
 * resources/quality.json for the figures) and hold for bands that are at least a third as wide as the picture.
 */
const LOCAL_MEAN = { width: 91, height: 61, factor: 1.2, least: 16 }
const EDGE_CLOSE_PX = 19
/** Shorter runs of strokes are words, not lines. */
const MIN_RUN_PX = 35
/** Characters to words to lines: loosely set zones need the wider bridge, neighbours of narrow ones must not join. */
const BRIDGES_PX = [23, 41]
const MIN_LINE_WIDTH_PX = 220
const MIN_LINE_HEIGHT_PX = 5
const MAX_TILT_DEG = 30
/** Given out of each look: of bands, and of single lines in the passes that look for such. */
const PROPOSALS = 3
const LONE_PROPOSALS = 2
/** Blocks without lines of their own: in the later passes one is enough. */
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

/** Beyond 10 degrees lines are missed; page sides and lines differed by 0.7 at most (366 pictures, 21 Nov 2026). */
export const PASS_REACH_DEG = 12

/** `slopesDeg`: of the page's sides, where its outline is known; a pass along none of them would show nothing. */
function passesAlong(slopesDeg: readonly number[] | null): readonly Pass[] {
  if (slopesDeg === null) return PASSES
  return PASSES.filter(({ turnDeg }) => slopesDeg.some((slope) => apartDeg(turnDeg, slope) <= PASS_REACH_DEG))
}

/** Of two directions without a sense: 0…90. */
export function apartDeg(a: number, b: number): number {
  const turned = Math.abs(a - b) % 180
  return Math.min(turned, 180 - turned)
}

/**
 * Proposals of one look after another, best first within each, none twice; the caller stops when it has read one.
 * Every pass looks twice: at the strokes that stand out in the whole picture, then at those that do in their own place.
 */
export function* locateBands(
  pyramid: Pyramid,
  slopesDeg: readonly number[] | null = null,
): Generator<{ readonly turnDeg: number; readonly proposals: readonly BandCandidate[] }> {
  const { width, height } = pyramid[0]
  const proposed: BandCandidate[] = []
  for (const { turnDeg, sidePx, isFirst = false } of passesAlong(slopesDeg)) {
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
      yield { turnDeg, proposals: chosen }
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
