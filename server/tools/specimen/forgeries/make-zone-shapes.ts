/**
 * Renders resources/zone-shapes.png: the 37 characters of a zone in OCR-B and in fonts that forgers use, one row a font.
 * Run by hand where the fonts are installed; the picture is committed. `node server/tools/specimen/forgeries/make-zone-shapes.ts`
 */
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { characterPath, KNOWN_FONTS, type FontId } from './fonts.ts'

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<'
/** The cell that server/vision/documents/authenticity/mrz-shapes.ts reads. */
const CELL = { width: 48, height: 72, baseline: 60 }

const fonts = Object.keys(KNOWN_FONTS) as FontId[]
const width = CHARACTERS.length * CELL.width
const height = fonts.length * CELL.height
const paths = fonts.flatMap((font, row) =>
  [...CHARACTERS].map((character, i) =>
    characterPath(character, font, {
      x: i * CELL.width,
      y: row * CELL.height + CELL.baseline,
      pitch: CELL.width,
    }),
  ),
)
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/><path d="${paths.join('')}" fill="#000"/></svg>`
const target = fileURLToPath(new URL('../../../../resources/zone-shapes.png', import.meta.url))
await sharp(Buffer.from(svg))
  .greyscale()
  .png({ compressionLevel: 9, palette: true, colours: 16, dither: 0 })
  .toFile(target)
process.stdout.write(`${fonts.join(' ')}\n`)
