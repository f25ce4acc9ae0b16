/** Cuts rectified lines of a band from the photograph, and computes the corners around them. */
import type { GreyRaster } from '../raster.ts'
import type { Point, Quad } from '../protocol.ts'
import { levelFor, onLevel, pointIn, sampleAt, type Pyramid } from './grey.ts'
import { middleAt, type TextBand, type TextLine } from './text-lines.ts'

export interface Strip {
  readonly grey: GreyRaster
  /** Strip pixels per picture pixel. */
  readonly scale: number
}

/** The line as a picture of `height` rows with capitals `capPx` high, moved down by `shiftPx`. */
export function cutStrip(
  pyramid: Pyramid,
  band: TextBand,
  line: TextLine,
  shape: { height: number; capPx: number; shiftPx: number },
): Strip {
  const scale = (shape.capPx / line.capHeight) * band.scale
  const width = Math.ceil((band.oblong.width * scale) / 4) * 4
  const { level, scale: levelScale } = levelFor(pyramid, 1 / scale)
  const data = new Uint8Array(width * shape.height)
  const r = (band.oblong.angleDeg * Math.PI) / 180
  const downX = (-Math.sin(r) / scale) * levelScale
  const downY = (Math.cos(r) / scale) * levelScale
  for (let x = 0; x < width; x++) {
    const along = ((x + 0.5) / width) * 2 - 1
    const across = (middleAt(line.middle, along) + 0.5) / band.scale - band.oblong.height / 2
    const middle = pointIn(band.oblong, (along * band.oblong.width) / 2, across)
    const rows = (shape.height - 1) / 2 + shape.shiftPx
    let sx = onLevel(middle.x, levelScale) - rows * downX
    let sy = onLevel(middle.y, levelScale) - rows * downY
    for (let y = 0, o = x; y < shape.height; y++, o += width, sx += downX, sy += downY)
      data[o] = sampleAt(level, sx, sy) + 0.5
  }
  return { grey: { data, width, height: shape.height }, scale: width / band.oblong.width }
}

/** Corners around the given lines from `fromX` to `toX` (−1…1), in the order of the text. */
export function bandQuad(band: TextBand, lines: readonly TextLine[], fromX: number, toX: number): Quad {
  const first = lines[0]
  const last = lines[lines.length - 1]
  const corner = (line: TextLine, x: number, side: number): Point => {
    // Capitals plus a third of their height, so that no text is cut.
    const row = middleAt(line.middle, x) + side * line.capHeight * 0.83
    return pointIn(
      band.oblong,
      (x * band.oblong.width) / 2,
      (row + 0.5) / band.scale - band.oblong.height / 2,
    )
  }
  return [corner(first, fromX, -1), corner(first, toX, -1), corner(last, toX, 1), corner(last, fromX, 1)]
}
