/** Things of living people that a search could take for a display: patterned clothes, and lamps that flicker. */
import type { Canvas } from './rasterise.ts'
import { within, type HeadModel, type Random } from './head-model.ts'

/** Stripes of half a centimetre to three, at a head of 260 pixels. */
const PERIOD_PX = [8, 52] as const
const CONTRAST = [0.15, 0.6] as const

/** Clothes below the chin become striped or checked. */
export function dress(head: HeadModel, random: Random): HeadModel {
  const { photograph, shoulders } = head
  const { width, height } = photograph
  const data = new Uint8Array(photograph.data)
  const period = within(PERIOD_PX, random)
  const dark = 1 - within(CONTRAST, random)
  const [isLevel, isUpright] = [random() < 0.7, random() < 0.5]
  const top = Math.max(0, Math.floor(Math.min(...shoulders.places.map(({ y }) => y)))) + COLLAR_PX
  for (let y = top; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isDark = (isLevel && (y / period) % 1 < 0.5) !== (isUpright && (x / period) % 1 < 0.5)
      if (isDark) for (let k = 0; k < 3; k++) data[(y * width + x) * 3 + k] *= dark
    }
  return { ...head, photograph: { data, width, height } }
}

/** Distance below the chin at which the face's own texture ends. */
const COLLAR_PX = 24

/** Mains of 50 or 60 Hz: lamps flicker with twice that; a rolling shutter of 15 to 33 ms shows it as two to four bands. */
const BANDS = [1.5, 4] as const
const DEPTH = [0, 0.08] as const

export function createLamps(random: Random): (canvas: Canvas) => void {
  const [bands, depth] = [within(BANDS, random), within(DEPTH, random)]
  return ({ colour, width, height }) => {
    const phase = random()
    for (let y = 0; y < height; y++) {
      const times = 1 + depth * Math.cos(2 * Math.PI * ((bands * y) / height + phase))
      for (let o = y * width * 3; o < (y + 1) * width * 3; o++) colour[o] *= times
    }
  }
}
