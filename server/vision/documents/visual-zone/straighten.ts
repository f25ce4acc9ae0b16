/** The part of a picture that is the page, upright and straight. Never decides where the page lies. */
import type { Raster } from '../../raster.ts'
import type { Quad, QuarterTurn } from '../../protocol.ts'
import { quadArea, quadAspect, sideLength, turnQuad, warpQuad, wholePicture } from '../outline/warp.ts'

/** A TD3 page of 125 mm has 325 dpi then; more makes reading slower and no better (specimens, 21 Nov 2026). */
const PAGE_WIDTH_PX = 1600
/** Without an outline the document is only a part of the picture. */
const PICTURE_SIDE_PX = 2000
/** No letter has room on less. */
const LEAST_AREA_PX = 400
/** A quad whose upper edge lies this far from where the turn says is in the order of the picture, not of its content. */
const OTHER_ORDER_DEG = 60

/** Where the page that `straightenPage` gives lies in the picture. */
export function frameOf(raster: Raster, quad: Quad | null, rotationDeg: QuarterTurn | null): Quad {
  if (quad !== null && quadArea(quad) >= LEAST_AREA_PX) return inContentOrder(quad, rotationDeg)
  return turnQuad(wholePicture(raster), (rotationDeg ?? 0) / 90)
}

export function straightenPage(raster: Raster, quad: Quad | null, rotationDeg: QuarterTurn | null): Raster {
  // Corners that hold no page between them say nothing.
  if (quad === null || !(quadArea(quad) >= LEAST_AREA_PX)) return straightenPicture(raster, rotationDeg)
  const page = inContentOrder(quad, rotationDeg)
  const aspect = quadAspect(page, raster)
  const widest = Math.max(sideLength(page, 0), sideLength(page, 2))
  const width = Math.min(PAGE_WIDTH_PX, widest, PAGE_WIDTH_PX * aspect)
  return warpQuad(raster, page, Math.max(1, Math.round(width)), Math.max(1, Math.round(width / aspect)))
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
