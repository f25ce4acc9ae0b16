/** The pictures of `npm run screens` on contact sheets for docs/screens.md. It takes no pictures. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import type { OverlayOptions } from 'sharp'

const SHEETS = join(import.meta.dirname, '../../../docs/screens')
const README_PICTURES = join(import.meta.dirname, '../../../resources/screenshots')
const FONT = join(import.meta.dirname, '../../../node_modules/@fontsource/noto-sans/files')
/** A sheet is in every clone of the repository for good. */
const MAX_BYTES = 300_000
const GAP = 12
const LABEL_HEIGHT = 26
const PAPER = '#dedacd'

interface Sheet {
  /** File name: kiosk-upright-en, with a number if there are several. */
  readonly name: string
  readonly folder: string
  readonly columns: number
  readonly width: number
  readonly perSheet: number
}

const upright = { columns: 6, width: 250, perSheet: 24 }
const lying = { columns: 5, width: 330, perSheet: 40 }
const SHEET_PLAN: readonly Sheet[] = [
  { name: 'kiosk-en', folder: 'kiosk/en/upright', ...upright },
  ...['ar', 'de', 'es', 'fr'].map((tag) => ({
    name: `kiosk-${tag}`,
    folder: `kiosk/${tag}/upright`,
    ...upright,
  })),
  ...['large-text', 'high-contrast', 'low-buttons'].map((set) => ({
    name: `kiosk-${set}`,
    folder: `kiosk/en/${set}`,
    ...upright,
  })),
  { name: 'kiosk-lying', folder: 'kiosk/en/lying', ...lying },
  { name: 'kiosk-lying-large-text', folder: 'kiosk/de/lying-large-text', ...lying },
  { name: 'kiosk-small-screen', folder: 'kiosk/ar/counter', ...lying },
  { name: 'counter-en', folder: 'counter/en/1366', ...lying },
  { name: 'counter-ar', folder: 'counter/ar/1366', ...lying },
]
/** The screenshots of README.md, by their source pictures. */
const SCREENSHOTS: Readonly<Record<string, string>> = {
  'kiosk-document.png': 'kiosk/en/upright/document-glare.png',
  'counter-today.png': 'counter/en/1366/today.png',
}

/** @returns a line for each sheet that was written. */
export async function writeContactSheets(pictures: string): Promise<string[]> {
  mkdirSync(SHEETS, { recursive: true })
  const lines: string[] = []
  for (const plan of SHEET_PLAN) {
    const folder = join(pictures, plan.folder)
    if (!existsSync(folder)) continue
    const chosen = readdirSync(folder)
      .filter((name) => name.endsWith('.png'))
      .sort()
    const many = chosen.length > plan.perSheet
    for (let from = 0; from < chosen.length; from += plan.perSheet) {
      const part = chosen.slice(from, from + plan.perSheet).map((name) => join(folder, name))
      const bytes = await drawSheet(plan, part)
      const file = `${plan.name}${many ? `-${from / plan.perSheet + 1}` : ''}.jpg`
      writeFileSync(join(SHEETS, file), bytes)
      lines.push(`docs/screens/${file}: ${part.length} screens, ${Math.round(bytes.length / 1000)} kB`)
    }
  }
  for (const [name, picture] of Object.entries(SCREENSHOTS)) {
    const taken = join(pictures, picture)
    if (!existsSync(taken)) continue
    const small = sharp(taken).resize({ width: 1366, height: 1280, fit: 'inside' })
    await small.png({ palette: true }).toFile(join(README_PICTURES, name))
  }
  return lines
}

async function drawSheet({ columns, width }: Sheet, files: readonly string[]): Promise<Buffer> {
  const [first = ''] = files
  const { width: fullWidth, height: fullHeight } = await sharp(first).metadata()
  const height = Math.round((width * fullHeight) / fullWidth)
  const cell = { width: width + GAP, height: height + LABEL_HEIGHT + GAP }
  const parts: OverlayOptions[] = []
  for (const [index, file] of files.entries()) {
    const left = GAP + (index % columns) * cell.width
    const top = GAP + Math.floor(index / columns) * cell.height
    parts.push({ input: await label(basename(file, '.png')), left, top })
    parts.push({ input: await sharp(file).resize(width, height).toBuffer(), left, top: top + LABEL_HEIGHT })
  }
  const sheet = sharp({
    create: {
      width: GAP + Math.min(columns, files.length) * cell.width,
      height: GAP + Math.ceil(files.length / columns) * cell.height,
      channels: 3,
      background: PAPER,
    },
  }).composite(parts)
  const drawn = await sheet.png({ compressionLevel: 1 }).toBuffer()
  for (let quality = 82; ; quality -= 6) {
    const bytes = await sharp(drawn).jpeg({ quality, mozjpeg: true }).toBuffer()
    if (bytes.length <= MAX_BYTES || quality < 40) return bytes
  }
}

async function label(text: string): Promise<Buffer> {
  return sharp({
    text: {
      text: `<span foreground="#14202b">${text}</span>`,
      fontfile: join(FONT, 'noto-sans-latin-400-normal.woff'),
      font: 'Noto Sans 11',
      rgba: true,
      dpi: 96,
    },
  })
    .png()
    .toBuffer()
}
