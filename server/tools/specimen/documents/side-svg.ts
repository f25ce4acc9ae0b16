/**
 * Draws one side of a specimen document as SVG in millimetres, without portraits. Returns the place of each printed
 * value.
 */
import type { PageFieldName } from '../../../proofing/visual-zone/page-facts.ts'
import { latticePath, textPath, textWidth, type FontName } from '../passport/text.ts'
import { barcodePath } from './barcode.ts'
import type { CardFacts } from './card-facts.ts'
import { finePrint, rosette } from './fine-print.ts'
import {
  MRZ_PITCH,
  type BoxMm,
  type PrintedLine,
  type PrintedPart,
  type SideLayout,
  type SizeMm,
  type SpecimenDesign,
} from './layout.ts'
import { LOCAL_LABELS, PLAIN_STYLE, type PrintStyle } from './variants.ts'

export interface DrawnField {
  readonly field: PageFieldName
  readonly value: string
  readonly box: BoxMm
}

const MM_PER_INCH = 25.4
const LABEL_SIZE = 1.75
const VALUE_SIZE = 2.95
/** Height from the value's baseline up to the label's. */
const LABEL_LIFT = 1.05
const EDGE = 2.5
/** Height of capitals relative to the type size, and depth below the line. */
const CAPITALS = 0.74
const DESCENT = 0.22

/** `width`: relative width of the letters, narrowed towards `x`. */
const fill = (d: string, colour: string, opacity = 1, width = 1, x = 0) =>
  `<path d="${d}" fill="${colour}" fill-opacity="${opacity}"${width === 1 ? '' : ` transform="matrix(${width} 0 0 1 ${(x * (1 - width)).toFixed(3)} 0)"`}/>`

/** Dots of a laser, at the spacing of 250 burnt lines per inch. */
const ENGRAVED = 'url(#engraved)'
const ENGRAVING =
  '<pattern id="engraved" width="0.1" height="0.1" patternUnits="userSpaceOnUse"><circle cx="0.05" cy="0.05" r="0.043" fill="#4b4a4d"/></pattern>'

export async function drawSide(
  design: SpecimenDesign,
  side: SideLayout,
  { printed: facts, coded }: { readonly printed: CardFacts; readonly coded: CardFacts },
  dpi: number,
  style: PrintStyle = PLAIN_STYLE,
): Promise<{ svg: string; fields: readonly DrawnField[]; mrzBox: BoxMm }> {
  const { width, height } = design.size
  const { palette } = design
  const px = (mm: number) => Math.round((mm * dpi) / MM_PER_INCH)
  const fields: DrawnField[] = []
  const lines = side.lines.map((line) => drawLine(line, design, facts, style, fields))
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">`,
    `<defs><linearGradient id="paper" x1="0" y1="0" x2="1" y2="0.6">`,
    palette.paper.map((colour, i) => `<stop offset="${i / 2}" stop-color="${colour}"/>`).join(''),
    `</linearGradient>${style.ink === 'engraved' ? ENGRAVING : ''}</defs><rect width="${width}" height="${height}" fill="url(#paper)"/>`,
    finePrint(facts.seed, design.size, palette, style.lineWork),
    overprint(width, height),
    furniture(side),
    side.texts
      .map(({ text, x, y, size, font = 'regular', colour = palette.title }) =>
        fill(textPath(text, font, x, y, size), colour),
      )
      .join(''),
    lines.join(''),
    drawMrz(design, side, coded),
    side.barcode && design.barcodeText ? await drawBarcode(design.barcodeText(coded), side.barcode) : '',
    style.hologram ? drawHologram(design.size) : '',
    '</svg>',
  ].join('')
  const mrzBox = { x: 0, y: side.zone?.top ?? 0, width, height: height - (side.zone?.top ?? 0) }
  return { svg, fields, mrzBox }
}

/** A film over the print: bright curves of changing colour and a translucent patch, from the portrait into the values. */
function drawHologram({ width, height }: SizeMm): string {
  const patch = `<ellipse cx="${width * 0.46}" cy="${height * 0.5}" rx="${width * 0.17}" ry="${height * 0.24}" fill="#cfe9f4" fill-opacity="0.24"/>`
  return [
    patch,
    rosette(width * 0.46, height * 0.5, height * 0.24, 9, '#7fd6c4', 1.7),
    rosette(width * 0.62, height * 0.36, height * 0.17, 7, '#e5a3d4', 1.7),
    rosette(width * 0.36, height * 0.3, height * 0.13, 6, '#a9b4f2', 1.7),
  ].join('')
}

/** A second SPECIMEN, large and pale, under the values, so that it cannot be cropped away. */
function overprint(width: number, height: number): string {
  const size = height * 0.19
  const d = textPath('SPECIMEN', 'bold', 0, 0, size)
  const place = `translate(${(width * 0.36).toFixed(1)} ${(height * 0.68).toFixed(1)}) rotate(-22)`
  return `<g transform="${place}"><path d="${d}" fill="none" stroke="#a8322c" stroke-width="0.3" stroke-opacity="0.3"/></g>`
}

function drawLine(
  line: PrintedLine,
  design: SpecimenDesign,
  facts: CardFacts,
  style: PrintStyle,
  fields: DrawnField[],
): string {
  const { labelPlace = 'above', font = 'bold', labelSize = LABEL_SIZE } = line
  const { letterWidth, inkOpacity } = style
  const parts = line.parts(facts)
  const label = style.localLabels ? localLabel(line.label, parts) : line.label
  const isBefore = label !== undefined && labelPlace === 'before'
  const valueX = line.valueX ?? (isBefore ? line.x + textWidth(label, 'regular', labelSize) + 1 : line.x)
  const wanted = line.size ?? VALUE_SIZE
  const room = (line.until ?? design.size.width - EDGE) - valueX
  const whole = parts.reduce((sum, { text }) => sum + textWidth(text, font, wanted) * letterWidth, 0)
  const size = whole <= room ? wanted : (wanted * room) / whole
  const labelY = labelPlace === 'above' ? line.y - wanted * LABEL_LIFT : line.y
  const drawn =
    label === undefined
      ? []
      : [fill(textPath(label, 'regular', line.x, labelY, labelSize), design.palette.label, inkOpacity)]
  let pen = valueX
  for (const { text, field, truth } of parts) {
    const d = textPath(text, font, pen, line.y, size)
    const colour = style.ink === 'engraved' ? ENGRAVED : (line.colour ?? design.palette.value)
    drawn.push(fill(d, colour, inkOpacity, letterWidth, pen))
    const width = textWidth(text, font, size) * letterWidth
    if (field !== undefined)
      fields.push({
        field,
        value: truth ?? text,
        box: { x: pen, y: line.y - size * CAPITALS, width, height: size * (CAPITALS + DESCENT) },
      })
    pen += width
  }
  return drawn.join('')
}

/** Puts the local label before its English half; other labels stay. */
function localLabel(label: string | undefined, parts: readonly PrintedPart[]): string | undefined {
  const field = parts.find((part) => part.field !== undefined)?.field
  const local = field && LOCAL_LABELS[field]
  return label !== undefined && local !== undefined ? `${local} / ${label.split(' / ')[0]}` : label
}

function drawMrz(design: SpecimenDesign, { zone }: SideLayout, facts: CardFacts): string {
  if (!zone || !design.mrzLines) return ''
  const { width, height } = design.size
  const font: FontName = 'ocrb'
  const lines = design
    .mrzLines(facts)
    .map((line, i) => fill(latticePath(line, font, zone.x, zone.baselines[i], MRZ_PITCH), '#14141a'))
  return `<rect x="0" y="${zone.top}" width="${width}" height="${height - zone.top}" fill="#f7f5ef" fill-opacity="0.94"/>${lines.join('')}`
}

async function drawBarcode(text: string, box: BoxMm): Promise<string> {
  const margin = 1.6
  const plate = `<rect x="${box.x - margin}" y="${box.y - margin}" width="${box.width + 2 * margin}" height="${box.height + 2 * margin}" fill="#fbfbf8"/>`
  return plate + fill(await barcodePath(text, box), '#101014')
}

function furniture({ chip, magneticStripe, signature }: SideLayout): string {
  const parts: string[] = []
  if (magneticStripe) {
    const { x, y, width, height } = magneticStripe
    parts.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#1b1a1c"/>`)
  }
  if (chip) {
    const { x, y, width, height } = chip
    const cuts = [0.33, 0.67]
      .map((share) => `M${x} ${y + height * share}h${width}M${x + width * share} ${y}v${height}`)
      .join('')
    parts.push(
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="1.4" fill="#cfae5e" stroke="#8c7236" stroke-width="0.2"/>`,
      `<path d="${cuts}" stroke="#8c7236" stroke-width="0.22" fill="none"/>`,
    )
  }
  if (signature) {
    const { x, y, width, height } = signature
    const points = Array.from({ length: 60 }, (_, i) => {
      const t = i / 59
      const up = Math.sin(t * 23) * 0.3 * (1 - 0.5 * t) + Math.sin(t * 9 + 1) * 0.15
      return `${i === 0 ? 'M' : 'L'}${(x + width * t).toFixed(2)} ${(y + height * (0.5 + up)).toFixed(2)}`
    })
    parts.push(`<path d="${points.join('')}" fill="none" stroke="#26306b" stroke-width="0.35"/>`)
  }
  return parts.join('')
}
