/** The part of a picture that is the page, upright and straight. Never decides where the page lies. */
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

/** A TD3 page of 125 mm has 290 dpi then; more makes reading slower and no better (20 specimens, 27 Nov 2026). */
const PAGE_WIDTH_PX = 1440
/** Smaller pages are made larger, by so much at most: the networks were trained on letters of 20 pixels and more. */
const ENLARGED = { widthPx: 1200, most: 2 }
/** Without an outline the document is only a part of the picture. */
const PICTURE_SIDE_PX = 2000
/** No letter has room on less. */
const MIN_AREA_PX = 400
/** A quad whose upper edge lies this far from where the turn says is in the order of the picture, not of its content. */
const OTHER_ORDER_DEG = 60

/** Where the page that `straightenPage` gives lies in the picture. */
export function frameOf(raster: Raster, quad: Quad | null, rotationDeg: QuarterTurn | null): Quad {
  if (quad !== null && quadArea(quad) >= MIN_AREA_PX) return inContentOrder(quad, rotationDeg)
  return turnQuad(wholePicture(raster), (rotationDeg ?? 0) / 90)
}

/** A straightened page and, where the picture has room for it, what lies beside the document: its other side, most often. */
export interface StraightPage {
  readonly raster: Raster
  /** Where the document's own page lies in the raster, in pixels of it. */
  readonly page: Box
}

/** Of a neighbour's area, so much lies in the picture at least. */
const MIN_NEIGHBOUR = 0.8
/** A neighbour without this share of the page's own edges is a table: second sides have 0.5 and more, plain tables up to 0.15. */
const MIN_PRINT = 0.25
/** Width of the copies on which edges are counted. */
const PROBE_PX = 480
/** Steps of brightness between two pixels on either side. */
const EDGE_STEP = 24
/** Between both, in lengths of the page: people leave little room when they lay or paste two sides together. */
const MAX_GAP = 0.25

export function straightenPage(
  raster: Raster,
  quad: Quad | null,
  rotationDeg: QuarterTurn | null,
  /** Of a document whose other side says nothing that is read: what lies beside it is left out. */
  isOneSided = false,
): StraightPage {
  // Corners that hold no page between them say nothing.
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
  const frame = partOf(page, left, top, right, bottom) ?? page
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
/** Corners are good to a hundredth of the page; letters near its border need what is around them. */
const ALONE_ON_TABLE: Extent = { left: -0.01, top: -0.01, right: 1.01, bottom: 1.01 }

/** In lengths of the page from its upper left corner: the page itself, and a second one above, below or beside it. */
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
    const cell = partOf(page, left, top, right, bottom)
    const hasRoom = cell !== null && areaInPicture(cell, picture) >= MIN_NEIGHBOUR * quadArea(cell)
    return hasRoom ? [{ cell, grown }] : []
  })
  if (withRoom.length === 0) return ONE_PAGE
  const printed = MIN_PRINT * shareOfEdges(picture, page)
  return withRoom.find(({ cell }) => shareOfEdges(picture, cell) >= printed)?.grown ?? ALONE_ON_TABLE
}

/** Of the pixels of a page, those at the side of a stroke. */
function shareOfEdges(picture: Raster, page: Quad): number {
  const height = Math.max(
    8,
    Math.round(
      (PROBE_PX * (sideLength(page, 1) + sideLength(page, 3))) / (sideLength(page, 0) + sideLength(page, 2)),
    ),
  )
  const { data } = warpQuad(picture, page, PROBE_PX, Math.min(height, PROBE_PX * 2))
  let edges = 0
  // Green alone tells it.
  for (let i = 4; i < data.length - 3; i += 3) if (Math.abs(data[i + 3] - data[i - 3]) >= EDGE_STEP) edges++
  return (3 * edges) / data.length
}

/** A part of the page's plane, in lengths of the page. */
function partOf(page: Quad, left: number, top: number, right: number, bottom: number): Quad | null {
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

/** The quad itself where its upper edge runs as the turn says, else its corners in the order in which it does. */
function inContentOrder(quad: Quad, rotationDeg: QuarterTurn | null): Quad {
  if (rotationDeg === null) return quad
  const runs = (Math.atan2(quad[1].y - quad[0].y, quad[1].x - quad[0].x) * 180) / Math.PI
  const off = ((runs + rotationDeg + 540) % 360) - 180
  return Math.abs(off) <= OTHER_ORDER_DEG ? quad : turnQuad(quad, (Math.round(off / 90) + 4) % 4)
}
