/**
 * Simulates a photograph of a document on a display. The display has rows of red, green and blue stripes with dark
 * gaps. The camera samples them from some distance and not quite straight. Displays look bluish and are never quite
 * black.
 */
import sharp from 'sharp'
import { createRandom } from '../head/noise.ts'
import { toJpeg, type Picture } from './camera.ts'

export interface Viewing {
  /** Camera pixels per display pixel. */
  readonly zoom: number
  readonly turnDeg: number
  /** True if only a part of the display is filled and its frame is visible. */
  readonly bezel: boolean
  /** Lens blur in camera pixels. */
  readonly blurPx: number
}

export const VIEWINGS = {
  near: { zoom: 2.9, turnDeg: 1.5, bezel: false, blurPx: 0.6 },
  middle: { zoom: 1.75, turnDeg: 3, bezel: false, blurPx: 0.7 },
  far: { zoom: 1.15, turnDeg: 1, bezel: true, blurPx: 0.7 },
  askew: { zoom: 2.2, turnDeg: 8, bezel: false, blurPx: 0.7 },
  fine: { zoom: 0.8, turnDeg: 2, bezel: true, blurPx: 0.8 },
} as const satisfies Readonly<Record<string, Viewing>>

const OUT = { width: 1500, height: 1100 }
/** Width of a sub-pixel's light relative to the pixel; its place takes a third. */
const STRIPE = 0.27
/** Height of the lit part of a pixel. */
const LIT = 0.86
const WHITE = [0.93, 0.98, 1.06] as const
const BLACK_LEVEL = 7

/** `shown`: the encoded picture on the display. */
export async function filmedScreen(shown: Uint8Array, seed: number, viewing: Viewing): Promise<Buffer> {
  const random = createRandom(seed + 401)
  const zoom = viewing.zoom * (0.94 + 0.12 * random())
  const turn = (viewing.turnDeg * (0.7 + 0.6 * random()) * (random() < 0.5 ? -1 : 1) * Math.PI) / 180
  const fill = viewing.bezel ? 0.78 : 1.02
  const screenWidth = Math.round((OUT.width * fill) / zoom)
  const screen = await sharp(shown)
    .resize(screenWidth)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const picture = sample(screen.data, screen.info.width, screen.info.height, { zoom, turn })
  const soft = await sharp(picture.data, { raw: { width: OUT.width, height: OUT.height, channels: 3 } })
    .blur(Math.max(0.3, viewing.blurPx))
    .raw()
    .toBuffer()
  for (let i = 0; i < soft.length; i++)
    soft[i] = Math.max(0, Math.min(255, Math.round(soft[i] + (random() + random() + random() - 1.5) * 4)))
  return toJpeg({ ...picture, data: soft }, [82, 88, 93][Math.floor(random() * 3)])
}

function sample(
  screen: Buffer,
  width: number,
  height: number,
  { zoom, turn }: { zoom: number; turn: number },
): Picture {
  const data = Buffer.alloc(OUT.width * OUT.height * 3)
  const [cos, sin] = [Math.cos(turn) / zoom, Math.sin(turn) / zoom]
  for (let y = 0, o = 0; y < OUT.height; y++)
    for (let x = 0; x < OUT.width; x++, o += 3) {
      const [dx, dy] = [x - OUT.width / 2, y - OUT.height / 2]
      const u = width / 2 + dx * cos + dy * sin
      const v = height / 2 - dx * sin + dy * cos
      const beyond = Math.max(-u, u - width, -v, v - height)
      if (beyond > 0) {
        // The frame of the display, then the wall behind it.
        data.fill(beyond < width * 0.05 ? 18 : 96, o, o + 3)
        continue
      }
      const row = lit(v, 0, LIT, 1 / zoom) / LIT
      const at = (Math.min(Math.floor(v), height - 1) * width + Math.min(Math.floor(u), width - 1)) * 3
      for (let c = 0; c < 3; c++) {
        const stripe = lit(u, (c + 0.5) / 3 - STRIPE / 2, STRIPE, 1 / zoom) / STRIPE
        // Scatters some light of every stripe; a fully lit display is as bright as its picture.
        const gain = 0.3 + 0.7 * stripe * row
        data[o + c] = Math.min(255, (BLACK_LEVEL + screen[at + c] * WHITE[c]) * gain * 0.9)
      }
    }
  return { data, ...OUT }
}

/**
 * Share of a stretch of `width` around `at` in the lit part of each unit, which begins at `start` and is `length` long.
 */
function lit(at: number, start: number, length: number, width: number): number {
  const upTo = (x: number) => {
    const whole = Math.floor(x - start)
    return whole * length + Math.min(length, x - start - whole)
  }
  return (upTo(at + width / 2) - upTo(at - width / 2)) / width
}
