/** Templates of MRZ characters in OCR-B and other fonts, rendered once (resources/zone-shapes.png). */
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { CLASS_CHARACTERS } from '../tools.ts'

/** One row of the picture per font: OCR-B, then fonts that a forger commonly has. */
export const SHAPE_FONTS = ['ocr-b', 'liberation-mono', 'dejavu-sans-mono', 'liberation-sans'] as const

/** Cell size in the source picture, in its pixels. */
const SOURCE = { width: 48, height: 72, baseline: 60 } as const

/** Window in which a character is compared; the pitch of one character is `PITCH_PX`. */
export const PITCH_PX = 24
export const WINDOW = { width: 22, height: 32 } as const
/** Cap height of OCR-B at this pitch (measured on the H of the picture). */
export const CAPITALS_PX = 22

/** Quantile of a window's darkness that counts as ink. */
export const DARKEST = 0.97

export interface Scale {
  readonly x: number
  readonly y: number
}

/** Mean 0, norm 1, dark is positive; the centre of the capitals is the centre of the window. */
export type Template = Float32Array

export interface MrzShapes {
  /** Returns null for a character that no MRZ contains. */
  template(font: number, character: string, scale: Scale, blurPx: number): Template | null
  /**
   * Darkness of the template before normalisation, 0–1: the strokes of M and W blur together, the stroke of I does not.
   */
  depth(template: Template): number
}

let loading: Promise<MrzShapes> | undefined
export const loadMrzShapes = (): Promise<MrzShapes> => (loading ??= readShapes())

/** Blur is quantised, so that one template serves every MRZ of similar sharpness. */
const BLUR_STEP_PX = 0.25

async function readShapes(): Promise<MrzShapes> {
  const path = fileURLToPath(new URL('../../../../resources/zone-shapes.png', import.meta.url))
  const { data, info } = await sharp(path).greyscale().raw().toBuffer({ resolveWithObject: true })
  const sharpInk = { data: Float32Array.from(data, (value) => 255 - value), ...toSize(info) }
  const blurred = new Map<number, Ink>()
  const made = new Map<string, Template>()
  const depths = new WeakMap<Template, number>()
  return {
    template: (font, character, scale, blurPx) => {
      const column = CLASS_CHARACTERS.indexOf(character)
      if (column < 0) return null
      const level = Math.round(blurPx / BLUR_STEP_PX)
      const key = `${font} ${character} ${scale.x} ${scale.y} ${level}`
      const known = made.get(key)
      if (known) return known
      const ink = blurred.get(level) ?? blur(sharpInk, (level * BLUR_STEP_PX * SOURCE.width) / PITCH_PX)
      blurred.set(level, ink)
      const drawn = render(ink, { font, column }, scale)
      const depth = Float32Array.from(drawn).sort()[Math.floor(drawn.length * DARKEST)] / 255
      const template = normalise(drawn)
      depths.set(template, depth)
      made.set(key, template)
      return template
    },
    depth: (template) => depths.get(template) ?? 1,
  }
}

interface Ink {
  readonly data: Float32Array
  readonly width: number
  readonly height: number
}
const toSize = ({ width, height }: { width: number; height: number }) => ({ width, height })

/** Gaussian blur per cell, so that no character bleeds into the next cell. */
function blur(ink: Ink, sigma: number): Ink {
  const across = blurRows(ink, sigma, 1, SOURCE.width, ink.width)
  return blurRows(across, sigma, ink.width, SOURCE.height, ink.height)
}

/** Blurs along one axis: `stride` to the next pixel, cells of `cell` pixels on a length of `length`. */
function blurRows(ink: Ink, sigma: number, stride: number, cell: number, length: number): Ink {
  const reach = Math.ceil(2.5 * sigma)
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-0.5 * ((i - reach) / Math.max(sigma, 0.1)) ** 2),
  )
  const total = kernel.reduce((a, b) => a + b, 0)
  const out = new Float32Array(ink.data.length)
  const lanes = ink.data.length / length
  const laneStride = stride === 1 ? ink.width : 1
  for (let lane = 0; lane < lanes; lane++)
    for (let at = 0; at < length; at++) {
      const start = at - (at % cell)
      let sum = 0
      for (let k = Math.max(start - at, -reach); k <= Math.min(start + cell - 1 - at, reach); k++)
        sum += kernel[k + reach] * ink.data[lane * laneStride + (at + k) * stride]
      out[lane * laneStride + at * stride] = sum / total
    }
  return { ...ink, data: out }
}

function render(ink: Ink, { font, column }: { font: number; column: number }, scale: Scale): Float32Array {
  const zoom = SOURCE.width / PITCH_PX
  const out = new Float32Array(WINDOW.width * WINDOW.height)
  const middleX = column * SOURCE.width + (SOURCE.width - 1) / 2
  const middleY = font * SOURCE.height + SOURCE.baseline - (CAPITALS_PX * zoom) / 2
  for (let y = 0, o = 0; y < WINDOW.height; y++)
    for (let x = 0; x < WINDOW.width; x++, o++) {
      const sx = middleX + ((x - (WINDOW.width - 1) / 2) * zoom) / scale.x
      const sy = middleY + ((y - (WINDOW.height - 1) / 2) * zoom) / scale.y
      out[o] = inkAt(ink, column, font, sx, sy)
    }
  return out
}

/** Bilinear, without values of the neighbouring cell. */
function inkAt({ data, width }: Ink, column: number, row: number, x: number, y: number): number {
  const x0 = Math.floor(x)
  const y0 = Math.floor(y)
  if (x0 < column * SOURCE.width || x0 + 1 >= (column + 1) * SOURCE.width) return 0
  if (y0 < row * SOURCE.height || y0 + 1 >= (row + 1) * SOURCE.height) return 0
  const [fx, fy] = [x - x0, y - y0]
  const i = y0 * width + x0
  const top = data[i] + (data[i + 1] - data[i]) * fx
  const bottom = data[i + width] + (data[i + width + 1] - data[i + width]) * fx
  return top + (bottom - top) * fy
}

function normalise(values: Float32Array): Float32Array {
  const mean = values.reduce((a, b) => a + b, 0) / values.length
  let energy = 0
  for (let i = 0; i < values.length; i++) {
    values[i] -= mean
    energy += values[i] * values[i]
  }
  const length = Math.sqrt(energy) || 1
  for (let i = 0; i < values.length; i++) values[i] /= length
  return values
}
