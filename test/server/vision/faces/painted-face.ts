/** A face mesh laid out by hand and pictures painted pixel by pixel: for measures that need no network. */
import type { Point } from '../../../../server/vision/protocol.ts'
import type { Raster } from '../../../../server/vision/raster.ts'

export type Colour = readonly [number, number, number]

export function painted(width: number, height: number, colourAt: (x: number, y: number) => Colour): Raster {
  const data = new Uint8Array(width * height * 3)
  for (let y = 0, i = 0; y < height; y++) for (let x = 0; x < width; x++, i += 3) data.set(colourAt(x, y), i)
  return { data, width, height }
}

/** Lines around forehead and cheeks as indices of the mesh, each with its middle in widths of the face. */
const PATCHES = [
  { line: [104, 69, 108, 151, 337, 299, 333, 296, 336, 9, 107, 66], x: 0, y: -0.4, radius: 0.15 },
  { line: [117, 118, 101, 36, 205, 187, 123], x: -0.25, y: 0.1, radius: 0.12 },
  { line: [346, 347, 330, 266, 425, 411, 352], x: 0.25, y: 0.1, radius: 0.12 },
]

/** 468 points: an oval half as high again as wide, forehead and cheeks as discs in it. */
export function paintedFace(centre: Point, width: number): Point[] {
  const points: Point[] = Array.from({ length: 468 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 468
    return {
      x: centre.x + (width / 2) * Math.cos(angle),
      y: centre.y + 0.7 * width * Math.sin(angle),
    }
  })
  for (const { line, x, y, radius } of PATCHES)
    line.forEach((index, k) => {
      const angle = (2 * Math.PI * k) / line.length
      points[index] = {
        x: centre.x + (x + radius * Math.cos(angle)) * width,
        y: centre.y + (y + radius * Math.sin(angle)) * width,
      }
    })
  points[10] = { x: centre.x, y: centre.y - 0.7 * width }
  return points
}
