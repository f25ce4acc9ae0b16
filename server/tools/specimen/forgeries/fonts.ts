/** Common fonts that a forger might use, if this machine has them, and their characters as outlines. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import opentype from 'opentype.js'
import type { Font } from 'opentype.js'

const require = createRequire(import.meta.url)
const system = (path: string) => `/usr/share/fonts/${path}`

/** The MRZ's own font, and the fonts whose shapes the product knows (resources/zone-shapes). */
export const KNOWN_FONTS = {
  'ocr-b': fileURLToPath(new URL('../../../../resources/fonts/OCRB.otf', import.meta.url)),
  'liberation-mono': system('truetype/liberation/LiberationMono-Regular.ttf'),
  'dejavu-sans-mono': system('truetype/dejavu/DejaVuSansMono.ttf'),
  'liberation-sans': system('truetype/liberation/LiberationSans-Regular.ttf'),
} as const

/** Fonts unknown to the product, so that a measurement on them does not merely repeat its own templates. */
export const UNSEEN_FONTS = {
  'noto-sans': require.resolve('@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff'),
  'free-mono-bold': system('truetype/freefont/FreeMonoBold.ttf'),
  'free-mono': system('truetype/freefont/FreeMono.ttf'),
  'liberation-serif': system('truetype/liberation/LiberationSerif-Regular.ttf'),
  'dejavu-sans': system('truetype/dejavu/DejaVuSans.ttf'),
  'liberation-mono-bold': system('truetype/liberation/LiberationMono-Bold.ttf'),
} as const

export type FontId = keyof typeof KNOWN_FONTS | keyof typeof UNSEEN_FONTS
const FILES: Readonly<Record<FontId, string>> = { ...KNOWN_FONTS, ...UNSEEN_FONTS }

export const isInstalled = (font: FontId): boolean => existsSync(FILES[font])

const loaded = new Map<FontId, Font>()

function load(id: FontId): Font {
  const known = loaded.get(id)
  if (known) return known
  if (!isInstalled(id)) throw new Error(`the font ${id} is not installed on this machine: ${FILES[id]}`)
  const bytes = readFileSync(FILES[id])
  const font = opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
  loaded.set(id, font)
  return font
}

/** Height of a capital relative to the em. */
function capitals(font: Font): number {
  return Math.max(...font.getPath('H', 0, 0, 1000).commands.map(({ y = 0 }) => -y)) / 1000
}

/** Advance of OCR-B relative to the height of its capitals, which defines a cell of the MRZ. */
function ocrbCapitalsPerPitch(): number {
  const font = load('ocr-b')
  const advance = font.getAdvanceWidth('0', 1000) / 1000
  return capitals(font) / advance
}

/**
 * One character in the middle of its cell with baseline `y` and capitals as high as OCR-B's at this pitch; SVG path data.
 */
export function characterPath(
  character: string,
  id: FontId,
  cell: { x: number; y: number; pitch: number },
): string {
  const font = load(id)
  const size = (ocrbCapitalsPerPitch() * cell.pitch) / capitals(font)
  const advance = font.getAdvanceWidth(character, size)
  // Narrows a wide letter of a proportional font to fit the MRZ.
  const narrow = Math.min(1, cell.pitch / advance)
  const left = cell.x + (cell.pitch - advance * narrow) / 2
  const placed = (value: number | undefined, isAcross: boolean) =>
    value === undefined ? [] : [(isAcross ? left + value * narrow : cell.y + value).toFixed(3)]
  return font
    .getPath(character, 0, 0, size)
    .commands.map(({ type, x1, y1, x2, y2, x, y }) => {
      const pairs = [
        [x1, y1],
        [x2, y2],
        [x, y],
      ]
      return type + pairs.flatMap(([px, py]) => [...placed(px, true), ...placed(py, false)]).join(' ')
    })
    .join('')
}
