/** A flat photograph as a camera from the side would see it: a pinhole before the middle of the picture. */
import sharp from 'sharp'
import {
  applyHomography,
  homographyBetween,
  type PlanePoint,
} from '../../server/tools/specimen/passport/homography.ts'

/** Focal length of a phone's camera, divided by the picture's longer side. */
const FOCAL_LENGTH = 0.8

/** Turned about the vertical axis by `turnDeg`; the area beyond the photograph is grey. */
export async function seenFrom(photograph: Uint8Array, turnDeg: number): Promise<Buffer> {
  const { data, info } = await sharp(photograph).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const distance = FOCAL_LENGTH * width
  const turn = (turnDeg * Math.PI) / 180
  const place = (x: number, y: number): PlanePoint => {
    const shrink = distance / (distance + x * Math.sin(turn))
    return [width / 2 + x * Math.cos(turn) * shrink, height / 2 + y * shrink]
  }
  const [right, bottom] = [width / 2, height / 2]
  const corners = [place(-right, -bottom), place(right, -bottom), place(right, bottom), place(-right, bottom)]
  const flat: PlanePoint[] = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ]
  const toPhotograph = homographyBetween(corners, flat)
  const out = Buffer.alloc(data.length, 128)
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      const [x, y] = applyHomography(toPhotograph, i + 0.5, j + 0.5)
      const u = Math.floor(x - 0.5)
      const v = Math.floor(y - 0.5)
      if (u < 0 || v < 0 || u > width - 2 || v > height - 2) continue
      const fx = x - 0.5 - u
      const fy = y - 0.5 - v
      for (let c = 0; c < 3; c++) {
        const at = (v * width + u) * 3 + c
        const below = at + width * 3
        const upper = data[at] * (1 - fx) + data[at + 3] * fx
        const lower = data[below] * (1 - fx) + data[below + 3] * fx
        out[(j * width + i) * 3 + c] = upper * (1 - fy) + lower * fy
      }
    }
  return sharp(out, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}
