/** Finds the portrait printed on a page with known corners, searching only the page, and rectifies it. */
import { encodeJpeg } from '../../image.ts'
import { clampBox, shrinkByWhole, type Raster } from '../../raster.ts'
import type { DetectedFace, FaceDetector } from '../../faces/detect.ts'
import type { Box, CroppedPortrait, Point, Quad, QuarterTurn } from '../../protocol.ts'
import { widenToFrame, chooseHolder, JPEG_QUALITY, leastWidthPx, turnRaster } from '../portrait.ts'
import { homography, mapPoint, sideLength, turnQuad, warpQuad } from './warp.ts'

/** Large enough for the smallest portrait, small enough to search four times. */
const PROBED_PX = 320
/** Size of the page on which the portrait is located before cutting. */
const SEARCHED_PX = 640

interface UprightPage {
  readonly view: PageView
  /** Detector score, 0–1, minus a penalty for an unlikely orientation. */
  readonly faceScore: number
  /** Unit: shares of the upright page. */
  readonly face: { readonly centre: Point; readonly width: number; readonly area: number }
}

/** The page's part of the picture, reduced so that it can be rectified several times. */
export interface PageView {
  readonly picture: Raster
  readonly quad: Quad
  readonly page: Raster
}

/** Rectifies the quad with its first corner at the top left; keeps the proportions of its sides in the picture. */
export function rectifyPage(picture: Raster, quad: Quad): PageView {
  const across = (sideLength(quad, 0) + sideLength(quad, 2)) / 2
  const down = (sideLength(quad, 1) + sideLength(quad, 3)) / 2
  const scale = Math.min(1, SEARCHED_PX / Math.max(across, down))
  const size = (length: number) => Math.max(1, Math.round(length * scale))
  return { picture, quad, page: warpQuad(picture, quad, size(across), size(down)) }
}

/**
 * The detector sometimes accepts a face on its side with a similar score (rendered scenes: 0.77 to 0.84 against 0.84 to
 * 0.88 upright). Most pages are wider than high.
 */
const DOUBT_OF_STANDING_PAGE = 0.08

/**
 * Finds the corner order in which a face is upright on the page; null if there is none. `isOrdered`: the first corner is
 * already known to be the upper left one, so a face in this order is enough.
 */
export async function uprightByPortrait(
  view: PageView,
  isOrdered: boolean,
  detectFaces: FaceDetector,
): Promise<UprightPage | null> {
  const { page } = view
  const small = shrinkByWhole(page, Math.round(Math.max(page.width, page.height) / PROBED_PX))
  let best: (Omit<UprightPage, 'view'> & { readonly turn: QuarterTurn }) | null = null
  for (const turn of [0, 90, 180, 270] as const) {
    const turned = turnRaster(small, turn)
    const face = chooseHolder(await detectFaces(turned, { atFirstLook: true }), turned)
    if (face === null) continue
    const seen = computeCentre(face.box, turned)
    if (isOrdered && turn === 0) return { view, faceScore: face.score, face: seen }
    const doubt = turned.height > turned.width ? DOUBT_OF_STANDING_PAGE : 0
    const faceScore = face.score - doubt
    if (faceScore > (best?.faceScore ?? 0)) best = { turn, faceScore, face: seen }
  }
  return best && { view: turnView(view, best.turn), faceScore: best.faceScore, face: best.face }
}

/** Rotates the content clockwise. */
function turnView({ picture, quad, page }: PageView, turn: QuarterTurn): PageView {
  return { picture, quad: turnQuad(quad, turn / 90), page: turnRaster(page, turn) }
}

/** Requires the page's first corner to be the content's upper left one. Returns null if the page shows no face. */
export async function cutFromPage(
  { picture, page, quad }: PageView,
  detectFaces: FaceDetector,
): Promise<CroppedPortrait | null> {
  const face = chooseHolder(await detectFaces(page, { leastWidthPx: leastWidthPx(page) }), page)
  const place = face && locateFrame(face, page, quad)
  if (place === null) return null
  const width = Math.max(1, Math.round((sideLength(place, 0) + sideLength(place, 2)) / 2))
  const height = Math.max(1, Math.round((sideLength(place, 1) + sideLength(place, 3)) / 2))
  return {
    jpeg: await encodeJpeg(warpQuad(picture, place, width, height), JPEG_QUALITY),
    widthPx: width,
    heightPx: height,
    box: clampBox(computeBounds(place), picture.width, picture.height),
    detectionScore: face?.score ?? 0,
  }
}

function computeCentre(box: Box, { width, height }: Raster): UprightPage['face'] {
  const centre = { x: (box.x + box.width / 2) / width, y: (box.y + box.height / 2) / height }
  return { centre, width: box.width / width, area: (box.width * box.height) / (width * height) }
}

/** Corners in the picture of the face's frame, clipped to the page. */
function locateFrame(face: DetectedFace, page: Raster, upright: Quad): Quad | null {
  const map = homography(upright)
  const frame = clampBox(widenToFrame(face.box), page.width, page.height)
  const [u0, u1] = [frame.x / page.width, (frame.x + frame.width) / page.width]
  const [v0, v1] = [frame.y / page.height, (frame.y + frame.height) / page.height]
  return (
    map && [
      mapPoint(map, { x: u0, y: v0 }),
      mapPoint(map, { x: u1, y: v0 }),
      mapPoint(map, { x: u1, y: v1 }),
      mapPoint(map, { x: u0, y: v1 }),
    ]
  )
}

function computeBounds(quad: Quad): Box {
  const xs = quad.map(({ x }) => x)
  const ys = quad.map(({ y }) => y)
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}
