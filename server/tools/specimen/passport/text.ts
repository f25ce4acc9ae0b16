/** Draws text as outlines, so that a picture looks the same on a machine without installed fonts. */
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

type Weight = 400 | 500 | 600 | 700
const noto = (weight: Weight, subset: 'latin' | 'latin-ext' | 'cyrillic') =>
  load(require.resolve(`@fontsource/noto-sans/files/noto-sans-${subset}-${weight}-normal.woff`))

const FONTS = {
  regular: () => noto(400, 'latin'),
  medium: () => noto(500, 'latin'),
  semibold: () => noto(600, 'latin'),
  bold: () => noto(700, 'latin'),
  ocrb: () => load(fileURLToPath(new URL('../../../../resources/fonts/OCRB.otf', import.meta.url))),
}
export type FontName = keyof typeof FONTS

/** The package splits its glyphs: letters such as Ł and Š are in a separate file. */
const EXTENDED = {
  regular: () => noto(400, 'latin-ext'),
  medium: () => noto(500, 'latin-ext'),
  semibold: () => noto(600, 'latin-ext'),
  bold: () => noto(700, 'latin-ext'),
  ocrb: () => noto(400, 'latin-ext'),
}

/** Only for labels. */
const CYRILLIC = () => noto(400, 'cyrillic')

const loaded = new Map<() => Font, Font>()

function loadOnce(source: () => Font): Font {
  const known = loaded.get(source)
  if (known) return known
  const fresh = source()
  loaded.set(source, fresh)
  return fresh
}

const font = (name: FontName): Font => loadOnce(FONTS[name])

/** Splits a text into pieces whose letters are all in one font file. */
function runs(text: string, name: FontName): { readonly text: string; readonly face: Font }[] {
  const main = font(name)
  const pieces: { text: string; face: Font }[] = []
  for (const character of text) {
    const face = main.hasChar(character)
      ? main
      : loadOnce(/\p{Script=Cyrillic}/u.test(character) ? CYRILLIC : EXTENDED[name])
    const last = pieces.at(-1)
    if (last?.face === face) last.text += character
    else pieces.push({ text: character, face })
  }
  return pieces
}

/**
 * SVG path data of a line of text; x, y (baseline) and size in the drawing's unit. The library's toPathData is not used,
 * because it drops points that it considers unnecessary.
 */
export function textPath(text: string, name: FontName, x: number, y: number, size: number): string {
  let pen = x
  return runs(text, name)
    .map((run) => {
      const d = outline(run.face, run.text, pen, y, size)
      pen += run.face.getAdvanceWidth(run.text, size)
      return d
    })
    .join('')
}

function outline(face: Font, text: string, x: number, y: number, size: number): string {
  return face
    .getPath(text, x, y, size)
    .commands.map(({ type, x1, y1, x2, y2, x, y }) => {
      const numbers = [x1, y1, x2, y2, x, y].filter((n) => n !== undefined)
      return type + numbers.map((n) => n.toFixed(3)).join(' ')
    })
    .join('')
}

export function textWidth(text: string, name: FontName, size: number): number {
  return runs(text, name).reduce((width, run) => width + run.face.getAdvanceWidth(run.text, size), 0)
}

/** Characters on a fixed lattice, as in an MRZ. `pitch` is the distance between characters. */
export function latticePath(text: string, name: FontName, x: number, y: number, pitch: number): string {
  const face = font(name)
  const advance = face.charToGlyph('0').advanceWidth ?? face.unitsPerEm
  const size = (pitch * face.unitsPerEm) / advance
  return [...text].map((character, i) => textPath(character, name, x + i * pitch, y, size)).join('')
}
