/** Copies: without colour, toned, from a black-and-white laser printer, and in colour. */
import sharp from 'sharp'
import { createRandom } from '../head/noise.ts'
import type { Page } from './page.ts'

export type CopyKind = 'grey' | 'toned' | 'laser' | 'colour'

export async function copied(page: Page, seed: number, kind: CopyKind): Promise<Page> {
  const png = await COPIES[kind](page.png, seed)
  return { ...page, png }
}

const COPIES: Readonly<Record<CopyKind, (png: Buffer, seed: number) => Promise<Buffer>>> = {
  grey: (png) => sharp(png).greyscale().linear(1.05, -6).toColourspace('srgb').png().toBuffer(),
  /** The copy is on yellowish paper, or from a printer that mixes black from colours. */
  toned: (png, seed) => {
    const random = createRandom(seed + 3)
    const tint = [1, 0.93 + 0.06 * random(), 0.78 + 0.16 * random()]
    return toned(png, tint)
  },
  laser: (png, seed) => halftone(png, seed),
  /** Printed again in colour: paler and coarser. Simulates the losses of a colour copier except those of colour. */
  colour: (png) =>
    sharp(png).blur(1.6).modulate({ saturation: 1.1 }).linear(0.93, 10).sharpen().png().toBuffer(),
}

async function toned(png: Buffer, tint: readonly number[]): Promise<Buffer> {
  const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true })
  const rgb = Buffer.alloc(data.length * 3)
  for (let i = 0; i < data.length; i++) for (let c = 0; c < 3; c++) rgb[i * 3 + c] = data[i] * tint[c]
  return sharp(rgb, { raw: { width: info.width, height: info.height, channels: 3 } })
    .png()
    .toBuffer()
}

/** Black dots at 45 degrees, and stray toner. */
async function halftone(png: Buffer, seed: number): Promise<Buffer> {
  const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true })
  const random = createRandom(seed + 5)
  const { width } = info
  const period = 5.2
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [i % width, Math.floor(i / width)]
    const dot =
      Math.cos(((x + y) * Math.PI * Math.SQRT2) / period) *
      Math.cos(((x - y) * Math.PI * Math.SQRT2) / period)
    const limit = 128 + 105 * dot
    data[i] = random() < 0.0008 ? 30 : data[i] > limit ? 250 : 25
  }
  return sharp(data, { raw: { width, height: info.height, channels: 1 } })
    .blur(0.8)
    .toColourspace('srgb')
    .png()
    .toBuffer()
}
