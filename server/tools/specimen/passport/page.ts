/**
 * Renders the specimen passport's data page with its truth, from facts and a portrait. Always prints the word SPECIMEN
 * and the issuer UTO; never imitates a real state's document.
 */
import sharp from 'sharp'
import type { PassportFacts } from './holder.ts'
import { FIELDS, LABEL, MRZ, PAGE, PORTRAIT, VALUE } from './layout.ts'
import { printPortrait } from './portrait.ts'
import { securityPrint } from './security-print.ts'
import { latticePath, textPath, textWidth } from './text.ts'

const MM_PER_INCH = 25.4
export const PAGE_DPI = 300

const INK = '#1c1d24'
const LABEL_INK = '#3c5568'

const fill = (d: string, colour: string, opacity = 1) =>
  `<path d="${d}" fill="${colour}" fill-opacity="${opacity}"/>`

function title(): string {
  return [
    fill(textPath('UTOPIA', 'bold', 44, 8.4, 5), '#27506b'),
    fill(textPath('PASSPORT / PASSEPORT', 'regular', 44, 12.6, 2.7), '#27506b'),
    fill(textPath('SPECIMEN', 'bold', 92, 9.4, 5.4), '#a8322c'),
    fill(textPath('No legal document. Not a real person.', 'regular', 92, 12.4, 1.75), '#a8322c'),
  ].join('')
}

function fields(facts: PassportFacts): string {
  return FIELDS.map(({ label, x, y, value }) => {
    const printed = value(facts)
    return (
      fill(textPath(label, 'regular', x, y - LABEL.lift, LABEL.size), LABEL_INK) +
      fill(textPath(printed, 'bold', x, y, fitting(printed, x)), INK)
    )
  }).join('')
}

/** Sets a value smaller if it would run over the page's edge. */
function fitting(text: string, x: number): number {
  const room = PAGE.width - 3 - x
  const width = textWidth(text, 'bold', VALUE.size)
  return width <= room ? VALUE.size : (VALUE.size * room) / width
}

function zone(facts: PassportFacts): string {
  const lines = facts.mrz.map((line, i) =>
    fill(latticePath(line, 'ocrb', MRZ.x, MRZ.baselines[i], MRZ.pitch), '#14141a'),
  )
  return `<rect x="0" y="${MRZ.top}" width="${PAGE.width}" height="${PAGE.height - MRZ.top}" fill="#f7f4ec"/>${lines.join('')}`
}

/** A second SPECIMEN, large and pale, across the VIZ, so that it cannot be cropped away. */
function overprint(): string {
  const d = textPath('SPECIMEN', 'bold', 0, 0, 17)
  return `<g transform="translate(48 62) rotate(-24)"><path d="${d}" fill="none" stroke="#a8322c" stroke-width="0.35" stroke-opacity="0.4"/></g>`
}

/** The page as SVG in millimetres, without the portrait. */
export function pageSvg(facts: PassportFacts, seed: number, dpi: number): string {
  const width = Math.round((PAGE.width * dpi) / MM_PER_INCH)
  const height = Math.round((PAGE.height * dpi) / MM_PER_INCH)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${PAGE.width} ${PAGE.height}">`,
    `<defs><linearGradient id="paper" x1="0" y1="0" x2="1" y2="0.6"><stop offset="0" stop-color="#eaf1f0"/>`,
    `<stop offset="0.55" stop-color="#f6efe6"/><stop offset="1" stop-color="#e9eef4"/></linearGradient></defs>`,
    `<rect width="${PAGE.width}" height="${PAGE.height}" fill="url(#paper)"/>`,
    securityPrint(seed),
    overprint(),
    title(),
    fields(facts),
    zone(facts),
    '</svg>',
  ].join('')
}

interface PageOptions {
  readonly facts: PassportFacts
  /** Encoded image, already cropped like a passport portrait. */
  readonly portrait: Uint8Array
  readonly seed: number
  /** Default 300. */
  readonly dpi?: number
}

/** PNG of the page. */
export async function renderPage({ facts, portrait, seed, dpi = PAGE_DPI }: PageOptions): Promise<Buffer> {
  const scale = dpi / MM_PER_INCH
  const box = {
    left: Math.round(PORTRAIT.x * scale),
    top: Math.round(PORTRAIT.y * scale),
    width: Math.round(PORTRAIT.width * scale),
    height: Math.round(PORTRAIT.height * scale),
  }
  const printed = await printPortrait(portrait, box.width, box.height)
  return sharp(Buffer.from(pageSvg(facts, seed, dpi)))
    .flatten({ background: '#ffffff' })
    .composite([{ input: printed, left: box.left, top: box.top }])
    .png({ palette: true, colours: 256, dither: 0.7, compressionLevel: 9 })
    .toBuffer()
}
