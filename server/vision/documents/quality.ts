/**
 * Measures light, glare, edges and framing of the document, or of the whole picture if no document was found. Gives no
 * verdict.
 */
import type { GreyRaster } from '../raster.ts'
import type { Box, ImageQuality, Point, Quad } from '../protocol.ts'
import { resizeToSide, type Pyramid } from './grey.ts'
import { wholePicture } from './outline/warp.ts'
import { edgeWidthPx } from './quality-edges.ts'
import { DPI_BY, judgeFraming } from './quality-framing.ts'
import { GLARE_PAGE_SIDE_PX, measureGlareShare } from './quality-glare.ts'
import { chooseOutline, isSure, findUnprovenPlace, type FoundDocument } from './quality-place.ts'
import { regionOnPage, straighten } from './quality-region.ts'

/** Pixels at or above this value are clipped. */
const CLIPPED = 250
/** Maximum size of the copy for light: more pixels give no more precision. */
const MEASURED_SIDE_PX = 1000
/** Position of the face in a cut-out portrait: hair, background and shoulders may be white. */
const FACE_IN_PORTRAIT = { left: 0.34, top: 0.36, width: 0.32, height: 0.32 }

/** Measures light, glare and edges on the document if its place is known reliably. */
export function measureDocumentQuality(pyramid: Pyramid, found: FoundDocument): ImageQuality {
  const { band, portrait, readMrzQuad } = found
  const picture = pyramid[0]
  const outline = chooseOutline(found, DPI_BY)
  const { width, height } = picture
  const { grey, scale } = resizeToSide(pyramid, Math.min(MEASURED_SIDE_PX, Math.max(width, height)))
  const unproven = outline || band ? null : findUnprovenPlace(pyramid, found)
  const byBand = band && toQuad(documentRegion(band.quad, width, height))
  // If there is a portrait, an uncertain place may be the table; a dark table is no dark picture.
  const guess = portrait && !isSure(found.proposed) ? null : unproven?.quad
  const quad = outline?.quad ?? byBand ?? guess ?? wholePicture(picture)
  const straight = straighten(pyramid, quad, GLARE_PAGE_SIDE_PX)
  const read = straight && readMrzQuad ? regionOnPage(straight.page, quad, readMrzQuad) : null
  const around = (region: Quad) => measureLight(cropGrey(grey, computeBounds(region, width, height), scale))
  return {
    ...(outline && straight ? lightOfPage(straight.page, straight.inPicture) : around(quad)),
    glareShare: straight ? measureGlareShare(straight.page, straight.inPicture, read) : 0,
    portraitGlareShare: portrait && measureLight(cropGrey(grey, locateFace(portrait), scale)).clippedShare,
    edgeWidthPx: edgeWidthPx(pyramid, quad),
    framing: judgeFraming(picture, { ...found, outline }, unproven),
  }
}

function locateFace({ x, y, width, height }: Box): Box {
  const { left, top, width: w, height: h } = FACE_IN_PORTRAIT
  return { x: x + left * width, y: y + top * height, width: w * width, height: h * height }
}

function toQuad({ x, y, width, height }: Box): Quad {
  return [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ]
}

/** Ignores pixels outside the picture unless all are. */
function lightOfPage({ data }: GreyRaster, inPicture: Uint8Array) {
  return lightIn(data, inPicture) ?? lightIn(data, null) ?? NO_LIGHT
}

function measureLight({ data }: GreyRaster): Light {
  return lightIn(data, null) ?? NO_LIGHT
}

type Light = Pick<ImageQuality, 'luminanceMean' | 'clippedShare'>
const NO_LIGHT: Light = { luminanceMean: 0, clippedShare: 0 }

/** Returns null if there is no pixel to measure. */
function lightIn(data: Uint8Array, inPicture: Uint8Array | null): Light | null {
  let [seen, sum, clipped] = [0, 0, 0]
  for (let i = 0; i < data.length; i++) {
    if (inPicture !== null && inPicture[i] !== 1) continue
    seen++
    sum += data[i]
    if (data[i] >= CLIPPED) clipped++
  }
  return seen === 0 ? null : { luminanceMean: sum / seen, clippedShare: clipped / seen }
}

/**
 * Estimates the document from its MRZ band as an upright box: as wide as the band and, above it, three quarters as high
 * (all Doc 9303 sizes have 1 : 0.63 to 0.71).
 */
function documentRegion(band: Quad, width: number, height: number): Box {
  const [topLeft, topRight, bottomRight, bottomLeft] = band
  const up = { x: topLeft.y - topRight.y, y: topRight.x - topLeft.x }
  return computeBounds(
    [
      { x: topLeft.x - 0.6 * up.x, y: topLeft.y - 0.6 * up.y },
      { x: topRight.x - 0.6 * up.x, y: topRight.y - 0.6 * up.y },
      bottomRight,
      bottomLeft,
    ],
    width,
    height,
  )
}

/** Upright bounding box, clipped to the picture. */
function computeBounds(points: readonly Point[], width: number, height: number): Box {
  const x0 = Math.max(0, Math.min(...points.map((p) => p.x)))
  const y0 = Math.max(0, Math.min(...points.map((p) => p.y)))
  const x1 = Math.min(width, Math.max(...points.map((p) => p.x)))
  const y1 = Math.min(height, Math.max(...points.map((p) => p.y)))
  return { x: x0, y: y0, width: Math.max(1, x1 - x0), height: Math.max(1, y1 - y0) }
}

function cropGrey({ data, width, height }: GreyRaster, region: Box, scale: number): GreyRaster {
  const x0 = Math.min(width - 1, Math.floor(region.x * scale))
  const y0 = Math.min(height - 1, Math.floor(region.y * scale))
  const w = Math.min(width - x0, Math.max(1, Math.round(region.width * scale)))
  const h = Math.min(height - y0, Math.max(1, Math.round(region.height * scale)))
  const out = new Uint8Array(w * h)
  for (let y = 0; y < h; y++) out.set(data.subarray((y0 + y) * width + x0, (y0 + y) * width + x0 + w), y * w)
  return { data: out, width: w, height: h }
}
