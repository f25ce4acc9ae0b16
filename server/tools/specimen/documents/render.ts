/**
 * Renders a specimen document from kind and seed: a sharp picture of each side, and its truth. Every side says SPECIMEN;
 * persons and issuers are fictitious. Never imitates a real state's security print.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import type { DocumentLayout } from '../../../proofing/document-layout.ts'
import type { MrzFormat } from '../../../proofing/mrz/format.ts'
import type { PageFieldName } from '../../../proofing/visual-zone/page-facts.ts'
import { centreCrop, cropPortrait, printPortrait } from '../passport/portrait.ts'
import { inventCard, type CardFacts } from './card-facts.ts'
import { AUSTRALIAN_DESIGNS } from './designs-australia.ts'
import { CARD_DESIGNS } from './designs-cards.ts'
import { TRAVEL_DESIGNS } from './designs-travel.ts'
import { LICENCE_DESIGNS } from './designs-licence.ts'
import type { BoxMm, SideLayout, SizeMm, SpecimenDesign, SpecimenKind } from './layout.ts'
import { forgeFacts } from './forge-facts.ts'
import { drawSide, type DrawnField } from './side-svg.ts'
import { PLAIN_STYLE, type PrintStyle } from './variants.ts'

export interface TruthField {
  readonly field: PageFieldName
  /** Dates as YYYY-MM-DD, or YYYY-MM if the day is unknown or not printed. */
  readonly value: string
  readonly box: BoxMm
}

export interface SideTruth {
  readonly kind: SpecimenKind
  readonly seed: number
  readonly layout: DocumentLayout
  readonly side: 'FRONT' | 'BACK'
  readonly size: SizeMm
  readonly cornerRadius: number
  readonly material: 'plastic' | 'paper'
  readonly fields: readonly TruthField[]
  readonly zone: { readonly format: MrzFormat; readonly lines: readonly string[]; readonly box: BoxMm } | null
  readonly barcode: { readonly text: string; readonly box: BoxMm } | null
  readonly portrait: BoxMm | null
}

export interface RenderedSide {
  /** RGB, edge to edge; the corners are not rounded. */
  readonly pixels: Uint8Array
  readonly widthPx: number
  readonly heightPx: number
  readonly truth: SideTruth
}

export const DESIGNS: Readonly<Record<SpecimenKind, SpecimenDesign>> = Object.fromEntries(
  [...TRAVEL_DESIGNS, ...CARD_DESIGNS, ...LICENCE_DESIGNS, ...AUSTRALIAN_DESIGNS].map((design) => [
    design.kind,
    design,
  ]),
) as Record<SpecimenKind, SpecimenDesign>

const SPECIMENS_FOLDER = join(import.meta.dirname, '../../../../resources/specimens')
const MM_PER_INCH = 25.4
const DEFAULT_DPI = 300

/** The same kind and seed give the same pixels at the same resolution. `index` selects a side of the design. With a `forgedSeed`, MRZ and barcode differ from the print in one character. */
export function renderDocumentSide(
  kind: SpecimenKind,
  seed: number,
  index: number,
  dpi = DEFAULT_DPI,
  forgedSeed: number | null = null,
  style: PrintStyle = PLAIN_STYLE,
): Promise<RenderedSide> {
  const design = DESIGNS[kind]
  const facts = inventCard(seed, design.numberStyle, design.validYears)
  const coded = codedFacts(facts, forgedSeed)
  return renderSide(design, design.sides[index], { printed: facts, coded }, dpi, style)
}

/** The facts in MRZ and barcode, which differ from the print on a forged document. */
function codedFacts(facts: CardFacts, forgedSeed: number | null): CardFacts {
  return forgedSeed === null ? facts : forgeFacts(facts, forgedSeed).facts
}

async function renderSide(
  design: SpecimenDesign,
  side: SideLayout,
  { printed: facts, coded }: { readonly printed: CardFacts; readonly coded: CardFacts },
  dpi: number,
  style: PrintStyle,
): Promise<RenderedSide> {
  const { svg, fields, mrzBox } = await drawSide(design, side, { printed: facts, coded }, dpi, style)
  const printed: OverlayOptions[] = []
  if (side.portrait) printed.push(await printFace(facts.holder.face, side.portrait, dpi, false))
  if (side.ghost) printed.push(await printFace(facts.holder.face, side.ghost, dpi, true))
  const { data, info } = await sharp(Buffer.from(svg))
    .flatten({ background: '#ffffff' })
    .composite(printed)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const zone =
    side.zone && design.mrzLines
      ? { format: side.zone.format, lines: design.mrzLines(coded), box: mrzBox }
      : null
  return {
    pixels: new Uint8Array(data.buffer, data.byteOffset, data.length),
    widthPx: info.width,
    heightPx: info.height,
    truth: {
      kind: design.kind,
      seed: facts.seed,
      layout: design.layout,
      side: side.side,
      size: design.size,
      cornerRadius: design.cornerRadius,
      material: design.material,
      fields: joinLines(fields),
      zone,
      barcode:
        side.barcode && design.barcodeText ? { text: design.barcodeText(coded), box: side.barcode } : null,
      portrait: side.portrait ?? null,
    },
  }
}

/** Joins a value on two lines into one. */
function joinLines(drawn: readonly DrawnField[]): TruthField[] {
  const joined = new Map<PageFieldName, TruthField>()
  for (const { field, value, box } of drawn) {
    const known = joined.get(field)
    joined.set(
      field,
      known
        ? { field, value: `${known.value} ${value}`, box: around(known.box, box) }
        : { field, value, box },
    )
  }
  return [...joined.values()]
}

function around(a: BoxMm, b: BoxMm): BoxMm {
  const x = Math.min(a.x, b.x)
  const y = Math.min(a.y, b.y)
  const right = Math.max(a.x + a.width, b.x + b.width)
  const bottom = Math.max(a.y + a.height, b.y + b.height)
  return { x, y, width: right - x, height: bottom - y }
}

const croppedFaces = new Map<string, Promise<Buffer>>()

function croppedFace(face: string): Promise<Buffer> {
  const known = croppedFaces.get(face)
  if (known) return known
  const fresh = readFile(join(SPECIMENS_FOLDER, face, 'portrait.jpg')).then((picture) =>
    cropPortrait(picture, centreCrop(480, 600)),
  )
  croppedFaces.set(face, fresh)
  return fresh
}

/** Opacity of the small second portrait. */
const GHOST_OPACITY = 0.4

async function printFace(face: string, box: BoxMm, dpi: number, isGhost: boolean): Promise<OverlayOptions> {
  const scale = dpi / MM_PER_INCH
  const width = Math.round(box.width * scale)
  const height = Math.round(box.height * scale)
  const print = await printPortrait(await croppedFace(face), width, height)
  const place = { left: Math.round(box.x * scale), top: Math.round(box.y * scale) }
  if (!isGhost) return { input: print, ...place }
  const pale = await sharp(print).greyscale().ensureAlpha(GHOST_OPACITY).png().toBuffer()
  return { input: pale, ...place }
}
