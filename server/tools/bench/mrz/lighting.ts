/** Augmentations of light, camera and print; the document stays in place. */
import sharp from 'sharp'
import type { Random } from '../crash/random.ts'
import { repaint, measureWidth, type Picture } from './picture.ts'

const between = (random: Random, from: number, to: number) => from + (to - from) * random.next()

/** Blurs by up to a tenth of the character pitch, like a lens focused elsewhere. */
export async function blurred(picture: Picture, random: Random): Promise<Picture> {
  const { raster, band } = picture
  // Pitch of an MRZ of 44 characters; if its place is unknown, it takes most of the width.
  const pitch = (band === null ? raster.width * 0.9 : measureWidth(band)) / 44
  const sigma = Math.max(0.4, pitch * between(random, 0.04, 0.11))
  const data = await sharp(raster.data, {
    raw: { width: raster.width, height: raster.height, channels: 3 },
  })
    .blur(sigma)
    .raw()
    .toBuffer()
  return { raster: { ...raster, data }, band }
}

export function faded(picture: Picture, random: Random): Picture {
  const gain = between(random, 0.25, 0.6)
  const offset = between(random, 10, 245 * (1 - gain))
  return repaint(picture, (value) => value * gain + offset)
}

/** Lights the picture fully on one side and with a quarter to a half of that light on the other. */
export function unevenlyLit(picture: Picture, random: Random): Picture {
  const angle = random.next() * 2 * Math.PI
  const least = between(random, 0.25, 0.5)
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  return repaint(picture, (value, x, y) => {
    const along = 0.5 + ((x - 0.5) * c + (y - 0.5) * s) / Math.SQRT2
    return value * (least + (1.15 - least) * along)
  })
}

/** One soft bright spot, on the MRZ in half of all cases; print shows through weakly. */
export function glaring(picture: Picture, random: Random): Picture {
  const { raster, band } = picture
  const isOnMrz = band !== null && random.next() < 0.5
  const corner =
    isOnMrz && band !== null ? band[0] : { x: random.next() * raster.width, y: random.next() * raster.height }
  const far = isOnMrz && band !== null ? band[2] : corner
  const at = random.next()
  const cx = (corner.x + (far.x - corner.x) * at) / raster.width
  const cy = (corner.y + (far.y - corner.y) * at) / raster.height
  const reach = between(random, 0.06, 0.2)
  const most = between(random, 0.55, 0.85)
  return repaint(picture, (value, x, y) => {
    const distance = Math.hypot(x - cx, ((y - cy) * raster.height) / raster.width) / reach
    const veil = most * Math.exp(-distance * distance)
    return value + (255 - value) * veil
  })
}

/** A soft-edged shadow over half of the picture. */
export function shadowed(picture: Picture, random: Random): Picture {
  const angle = random.next() * 2 * Math.PI
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const edge = between(random, -0.25, 0.25)
  const depth = between(random, 0.3, 0.6)
  const softness = between(random, 0.004, 0.05)
  return repaint(picture, (value, x, y) => {
    const side = ((x - 0.5) * c + (y - 0.5) * s - edge) / softness
    return value * (depth + (1 - depth) / (1 + Math.exp(-side)))
  })
}

/** Grey, high contrast, with toner specks. */
export function photocopied(picture: Picture, random: Random): Picture {
  const { data } = picture.raster
  const grey = new Uint8Array(data.length)
  for (let i = 0; i < data.length; i += 3)
    grey.fill(0.3 * data[i] + 0.59 * data[i + 1] + 0.11 * data[i + 2], i, i + 3)
  const middle = between(random, 95, 150)
  const steepness = between(random, 25, 45)
  const specks = between(random, 0.0005, 0.006)
  const copy = { ...picture, raster: { ...picture.raster, data: grey } }
  let speck = 0
  return repaint(copy, (value, _x, _y, channel) => {
    if (channel === 0) speck = random.next() < specks ? (random.next() < 0.5 ? 40 : 235) : -1
    return speck >= 0 ? speck : 20 + 225 / (1 + Math.exp(-(value - middle) / steepness))
  })
}

/** Waves of colour as in security print, multiplied with the picture. */
export function onPrintedGround(picture: Picture, random: Random): Picture {
  const { width } = picture.raster
  const waves = Array.from({ length: 3 }, () => ({
    fx: between(random, 20, width / 6),
    fy: between(random, 10, width / 8),
    bend: between(random, 2, 9),
    depth: between(random, 0.05, 0.22),
    phase: random.next() * 6,
    tint: [random.next(), random.next(), random.next()],
  }))
  return repaint(picture, (value, x, y, channel) => {
    let factor = 1
    for (const { fx, fy, bend, depth, phase, tint } of waves) {
      const wave = Math.sin(x * fx + y * fy + 3 * Math.sin(x * bend + y * bend * 2) + phase)
      factor -= depth * tint[channel] * (0.5 + 0.5 * wave)
    }
    return value * factor
  })
}

export function noisy(picture: Picture, random: Random): Picture {
  const amount = between(random, 8, 28)
  return repaint(
    picture,
    (value) => value + amount * (random.next() + random.next() + random.next() - 1.5) * 1.2,
  )
}
