/** Extracts the page from a picture, upright and rectified. Does not locate the page. */
import type { Raster } from '../../raster.ts'
import type { Box, Quad, QuarterTurn } from '../../protocol.ts'
import {
  homography,
  mapPoint,
  fillsPicture,
  quadArea,
  quadAspect,
  sideLength,
  turnQuad,
  warpQuad,
  wholePicture,
} from '../outline/warp.ts'
import { areaInPicture } from '../quality-region.ts'

/** A TD3 page of 125 mm then has 290 dpi; more is slower without benefit (20 specimens, 27 Nov 2026). */
const PAGE_WIDTH_PX = 1440
/** Smaller pages are enlarged by at most this factor: the networks were trained on letters of at least 20 pixels. */
const ENLARGED = { widthPx: 1200, most: 2 }
/** Longest side of a picture without an outline, because the document is only a part of it. */
const PICTURE_SIDE_PX = 2000
/** A smaller area has no room for a letter. */
const MIN_AREA_PX = 400
/**
 * If the quad's upper edge deviates by this much from the known rotation, its corners are in picture order, not content
 * order.
 */
const OTHER_ORDER_DEG = 60

/** Position in the picture of the page that `straightenPage` returns. */
export function locatePage(raster: Raster, quad: Quad | null, rotationDeg: QuarterTurn | null): Quad {
  if (quad !== null && quadArea(quad) >= MIN_AREA_PX) return inContentOrder(quad, rotationDeg)
  return turnQuad(wholePicture(raster), (rotationDeg ?? 0) / 90)
}

/** A rectified page and, if there is room in the picture, its surroundings: usually the document's other side. */
export interface StraightPage {
  readonly raster: Raster
  /** The document's own page in the raster, in pixels. */
  readonly page: Box
}

/** Minimum share of a neighbour's area inside the picture. */
const MIN_NEIGHBOUR = 0.8
/**
 * A neighbour with a smaller share of the page's edge density is a table: second sides have at least 0.5, plain tables at
 * most 0.15.
 */
const MIN_PRINT = 0.25
/** Width of the copies on which edges are counted. */
const PROBE_PX = 480
/** Brightness difference between the two pixels on either side. */
const EDGE_STEP = 24
/** Maximum gap between both sides, in page lengths: people place them close together. */
const MAX_GAP = 0.25

export function straightenPage(
  raster: Raster,
  quad: Quad | null,
  rotationDeg: QuarterTurn | null,
  /** For a document whose other side contains nothing to read: the surroundings are left out. */
  isOneSided = false,
): StraightPage {
  // Degenerate corners are ignored.
  if (quad === null || !(quadArea(quad) >= MIN_AREA_PX)) {
    const whole = straightenPicture(raster, rotationDeg)
    return { raster: whole, page: { x: 0, y: 0, width: whole.width, height: whole.height } }
  }
  const page = inContentOrder(quad, rotationDeg)
  const aspect = quadAspect(page, raster)
  const widest = Math.max(sideLength(page, 0), sideLength(page, 2))
  const readable = Math.max(widest, Math.min(ENLARGED.widthPx, ENLARGED.most * widest))
  const width = Math.min(PAGE_WIDTH_PX, readable, PAGE_WIDTH_PX * aspect)
  const height = width / aspect
  const { left, top, right, bottom } = isOneSided ? ONE_PAGE : roomBeside(page, raster)
  const frame = cutPart(page, left, top, right, bottom) ?? page
  const px = (length: number): number => Math.max(1, Math.round(length))
  return {
    raster: warpQuad(raster, frame, px(width * (right - left)), px(height * (bottom - top))),
    page: { x: -left * width, y: -top * height, width, height },
  }
}

interface Extent {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const ONE_PAGE: Extent = { left: 0, top: 0, right: 1, bottom: 1 }
/** Corners are accurate to a hundredth of the page, and letters near its border need their surroundings. */
const ALONE_ON_TABLE: Extent = { left: -0.01, top: -0.01, right: 1.01, bottom: 1.01 }

/** Unit: page lengths from its upper left corner: the page itself, and a second one above, below or beside it. */
function roomBeside(page: Quad, picture: Raster): Extent {
  if (fillsPicture(page, picture)) return ONE_PAGE
  const reach = 1 + MAX_GAP
  const neighbours: readonly (readonly [cell: Extent, grown: Extent])[] = [
    [
      { left: 0, top: -1, right: 1, bottom: 0 },
      { ...ONE_PAGE, top: -reach },
    ],
    [
      { left: 0, top: 1, right: 1, bottom: 2 },
      { ...ONE_PAGE, bottom: 1 + reach },
    ],
    [
      { left: -1, top: 0, right: 0, bottom: 1 },
      { ...ONE_PAGE, left: -reach },
    ],
    [
      { left: 1, top: 0, right: 2, bottom: 1 },
      { ...ONE_PAGE, right: 1 + reach },
    ],
  ]
  const withRoom = neighbours.flatMap(([{ left, top, right, bottom }, grown]) => {
    const cell = cutPart(page, left, top, right, bottom)
    const hasRoom = cell !== null && areaInPicture(cell, picture) >= MIN_NEIGHBOUR * quadArea(cell)
    return hasRoom ? [{ cell, grown }] : []
  })
  if (withRoom.length === 0) return ONE_PAGE
  const printed = MIN_PRINT * shareOfEdges(picture, page)
  return withRoom.find(({ cell }) => shareOfEdges(picture, cell) >= printed)?.grown ?? ALONE_ON_TABLE
}

/** Share of the page's pixels at the side of a stroke. */
function shareOfEdges(picture: Raster, page: Quad): number {
  const height = Math.max(
    8,
    Math.round(
      (PROBE_PX * (sideLength(page, 1) + sideLength(page, 3))) / (sideLength(page, 0) + sideLength(page, 2)),
    ),
  )
  const { data } = warpQuad(picture, page, PROBE_PX, Math.min(height, PROBE_PX * 2))
  let edges = 0
  // The green channel is enough.
  for (let i = 4; i < data.length - 3; i += 3) if (Math.abs(data[i + 3] - data[i - 3]) >= EDGE_STEP) edges++
  return (3 * edges) / data.length
}

/** A part of the page's plane, in page lengths. */
function cutPart(page: Quad, left: number, top: number, right: number, bottom: number): Quad | null {
  const map = homography(page)
  if (map === null) return null
  const at = (x: number, y: number) => mapPoint(map, { x, y })
  return [at(left, top), at(right, top), at(right, bottom), at(left, bottom)]
}

function straightenPicture(raster: Raster, rotationDeg: QuarterTurn | null): Raster {
  const { width, height } = raster
  const scale = Math.min(1, PICTURE_SIDE_PX / Math.max(width, height))
  const turned = rotationDeg === 90 || rotationDeg === 270
  const [w, h] = turned ? [height, width] : [width, height]
  if (scale === 1 && (rotationDeg ?? 0) === 0) return raster
  const size = (side: number) => Math.max(1, Math.round(side * scale))
  return warpQuad(raster, turnQuad(wholePicture(raster), (rotationDeg ?? 0) / 90), size(w), size(h))
}

/** The quad itself if its upper edge matches the rotation, else its corners reordered so that it does. */
function inContentOrder(quad: Quad, rotationDeg: QuarterTurn | null): Quad {
  if (rotationDeg === null) return quad
  const runs = (Math.atan2(quad[1].y - quad[0].y, quad[1].x - quad[0].x) * 180) / Math.PI
  const off = ((runs + rotationDeg + 540) % 360) - 180
  return Math.abs(off) <= OTHER_ORDER_DEG ? quad : turnQuad(quad, (Math.round(off / 90) + 4) % 4)
}
