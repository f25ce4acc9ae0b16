/** Finds the holder's printed portrait, rotates it upright and cuts it like a passport photograph. Compares nothing. */
import { encodeJpeg } from '../image.ts'
import { clampBox, cropRaster, shrinkByWhole, type Raster } from '../raster.ts'
import type { Box, CroppedPortrait } from '../protocol.ts'
import { SEARCHED_PX, type DetectedFace, type FaceDetector } from '../faces/detect.ts'

type QuarterTurn = 0 | 90 | 180 | 270

/** Margins around the detector's box for hair, chin and shoulders: about the frame of a passport photograph. */
const MARGIN = { side: 0.45, top: 0.6, bottom: 0.5 }
/** Minimum face width as a share of the picture's shorter side: smaller ones are ghost images, emblems or bystanders. */
const MIN_SHARE = 0.06
/** Quality that the protocol specifies. */
export const JPEG_QUALITY = 92
const TURNS: readonly QuarterTurn[] = [0, 90, 270, 180]
/** Large enough to determine a face's orientation (the detector's input has 256 pixels). */
const PROBE_PX = 250

/**
 * `rotationDeg`: clockwise turn that makes the document upright, from its MRZ; null if unknown. `box` refers to the
 * raster as given. Returns null if there is no face.
 */
export async function cutPortrait(
  raster: Raster,
  rotationDeg: QuarterTurn | null,
  detectFaces: FaceDetector,
): Promise<CroppedPortrait | null> {
  const turn = rotationDeg ?? (await probeTurn(raster, detectFaces))
  // The detector would shrink the picture anyway, and rotating the small copy is cheap.
  const shrink = Math.max(1, Math.floor(Math.max(raster.width, raster.height) / SEARCHED_PX))
  const upright = turnRaster(shrinkByWhole(raster, shrink), turn)
  const face = chooseHolder(await detectFaces(upright, { leastWidthPx: leastWidthPx(upright) }), upright)
  if (face === null) return null
  const { x, y, width, height } = widenToFrame(face.box)
  const frame = { x: x * shrink, y: y * shrink, width: width * shrink, height: height * shrink }
  const box = clampBox(
    turnBack(clampBox(frame, upright.width * shrink, upright.height * shrink), turn, raster),
    raster.width,
    raster.height,
  )
  const crop = turnRaster(cropRaster(raster, box), turn)
  return {
    jpeg: await encodeJpeg(crop, JPEG_QUALITY),
    widthPx: crop.width,
    heightPx: crop.height,
    box,
    detectionScore: face.score,
  }
}

/** Turn in which a small copy shows the most certain face; 0 if no turn shows one. */
async function probeTurn(raster: Raster, detectFaces: FaceDetector): Promise<QuarterTurn> {
  const small = shrinkByWhole(raster, Math.ceil(Math.max(raster.width, raster.height) / PROBE_PX))
  let best: { turn: QuarterTurn; score: number } = { turn: 0, score: 0 }
  for (const turn of TURNS) {
    const upright = turnRaster(small, turn)
    const faces = await detectFaces(upright, { atFirstLook: true })
    const score = chooseHolder(faces, upright)?.score ?? 0
    if (score > best.score) best = { turn, score }
  }
  return best.turn
}

/** Selects the largest face, because the ghost image is smaller. */
export function chooseHolder(faces: readonly DetectedFace[], picture: Raster): DetectedFace | null {
  const least = leastWidthPx(picture)
  const large = faces.filter((face) => face.box.width >= least)
  return large.reduce<DetectedFace | null>(
    (best, face) =>
      best === null || face.box.width * face.box.height > best.box.width * best.box.height ? face : best,
    null,
  )
}

/** Minimum width of the holder's face; narrower faces are ghost images, emblems or bystanders. */
export function leastWidthPx({ width, height }: Raster): number {
  return MIN_SHARE * Math.min(width, height)
}

export function widenToFrame({ x, y, width, height }: Box): Box {
  return {
    x: x - MARGIN.side * width,
    y: y - MARGIN.top * height,
    width: width * (1 + 2 * MARGIN.side),
    height: height * (1 + MARGIN.top + MARGIN.bottom),
  }
}

/** Rotates the picture clockwise by quarter turns. */
export function turnRaster(raster: Raster, turn: QuarterTurn): Raster {
  if (turn === 0) return raster
  const { data, width, height } = raster
  const across = turn !== 180
  const out = new Uint8Array(data.length)
  const outWidth = across ? height : width
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i += 3) {
      const [tx, ty] =
        turn === 90
          ? [height - 1 - y, x]
          : turn === 180
            ? [width - 1 - x, height - 1 - y]
            : [y, width - 1 - x]
      const o = (ty * outWidth + tx) * 3
      out[o] = data[i]
      out[o + 1] = data[i + 1]
      out[o + 2] = data[i + 2]
    }
  return { data: out, width: outWidth, height: across ? width : height }
}

/** Converts a box of the rotated picture to the original one. */
export function turnBack(
  box: Box,
  turn: QuarterTurn,
  { width, height }: { width: number; height: number },
): Box {
  switch (turn) {
    case 0:
      return box
    case 90:
      return { x: box.y, y: height - box.x - box.width, width: box.height, height: box.width }
    case 180:
      return { ...box, x: width - box.x - box.width, y: height - box.y - box.height }
    case 270:
      return { x: width - box.y - box.height, y: box.x, width: box.height, height: box.width }
  }
}
