/** Text as outlines: a picture made here looks the same on a machine without a single font installed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import opentype from 'opentype.js'
import type { Font } from 'opentype.js'

const require = createRequire(import.meta.url)

function load(path: string): Font {
  const bytes = readFileSync(path)
  return opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

const noto = (weight: 400 | 700) =>
  load(require.resolve(`@fontsource/noto-sans/files/noto-sans-latin-${weight}-normal.woff`))

const FONTS = {
  regular: () => noto(400),
  bold: () => noto(700),
  ocrb: () => load(fileURLToPath(new URL('../../../resources/fonts/OCRB.otf', import.meta.url))),
}
export type FontName = keyof typeof FONTS

const loaded = new Map<FontName, Font>()

function font(name: FontName): Font {
  const known = loaded.get(name)
  if (known) return known
  const fresh = FONTS[name]()
  loaded.set(name, fresh)
  return fresh
}

/**
 * SVG path data of a line of text; x, y (baseline) and size in the drawing's unit. Written here and not by the
 * library's toPathData, which drops points it takes for needless.
 */
export function textPath(text: string, name: FontName, x: number, y: number, size: number): string {
  return font(name)
    .getPath(text, x, y, size)
    .commands.map(({ type, x1, y1, x2, y2, x, y }) => {
      const numbers = [x1, y1, x2, y2, x, y].filter((n) => n !== undefined)
      return type + numbers.map((n) => n.toFixed(3)).join(' ')
    })
    .join('')
}

export function textWidth(text: string, name: FontName, size: number): number {
  return font(name).getAdvanceWidth(text, size)
}

/** Characters on a fixed lattice, as a machine-readable zone is printed. `pitch` is the distance between characters. */
export function latticePath(text: string, name: FontName, x: number, y: number, pitch: number): string {
  const face = font(name)
  const advance = face.charToGlyph('0').advanceWidth ?? face.unitsPerEm
  const size = (pitch * face.unitsPerEm) / advance
  return [...text].map((character, i) => textPath(character, name, x + i * pitch, y, size)).join('')
}
