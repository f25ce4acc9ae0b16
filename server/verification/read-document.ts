/**
 * Combines the readings of all pictures of a document: MRZ, barcode, VIZ and classification. Gives no
 * verdict.
 */
import type { AamvaFacts } from '../proofing/aamva/facts.ts'
import { parseAamva } from '../proofing/aamva/parse.ts'
import { toAlpha3 } from '../proofing/country-codes.ts'
import { classifyDocument, type DocumentClassification } from '../proofing/document-layout.ts'
import { issuerKind } from '../proofing/mrz/issuers.ts'
import { parseMrz, type MrzFacts } from '../proofing/mrz/parse.ts'
import { completePage } from '../proofing/visual-zone/complete.ts'
import type { PageKnowledge } from '../proofing/visual-zone/knowledge.ts'
import type { PageFacts } from '../proofing/visual-zone/page-facts.ts'
import { readPageFacts } from '../proofing/visual-zone/read-facts.ts'
import type { BarcodeMeasurement, DocumentMeasurement, MrzReading, PageText } from '../vision/protocol.ts'

export interface ReadDocument {
  readonly classification: DocumentClassification
  readonly mrz: {
    readonly reading: MrzReading
    readonly facts: MrzFacts
    readonly captureIndex: number
  } | null
  /** The card's barcode. `scanned`: read by a scanner at the counter; otherwise read in a picture. */
  readonly licence: { readonly facts: AamvaFacts; readonly scanned: boolean } | null
  readonly page: PageFacts
}

/** One entry per picture, in the order front, back. */
export interface DocumentReadings {
  readonly sides: readonly DocumentMeasurement[]
  readonly barcodes: readonly BarcodeMeasurement[]
  readonly pages: readonly PageText[]
  readonly scannedBarcode: string | null
  readonly now: Date
  /** Templates from resources/document-templates. */
  readonly knowledge: PageKnowledge
}

export function readDocument({
  sides,
  barcodes,
  pages,
  scannedBarcode,
  now,
  knowledge,
}: DocumentReadings): ReadDocument {
  const licence = readLicence(barcodes, scannedBarcode)
  const mrz = readMrz(sides, now)
  const printed = readPageFacts(
    pages.map(({ lines, widthPx, heightPx }) => ({ lines, aspect: widthPx / heightPx })),
    now,
    knowledge,
    { kind: licence?.facts.kind ?? null, country: findIssuer(mrz) ?? licence?.facts.country ?? null },
  )
  const page = completePage(printed, mrz?.facts ?? null, licence?.facts ?? null, knowledge)
  const evidence = sides.map((side, i) => ({
    mrz: side.mrz?.format ?? null,
    hasPortrait: hasPortrait(side),
    hasBarcode: barcodes[i].symbols.some(({ format }) => format === 'PDF417'),
    hasOutline: side.outline !== null,
    hasText: pages[i].lines.length > 0,
    aspect: side.outline && pages[i].widthPx / pages[i].heightPx,
    pageAspect: pages[i].widthPx / pages[i].heightPx,
    hasBand: side.mrzBand !== null,
  }))
  return {
    classification: classifyDocument(evidence, licence?.facts ?? null, page),
    mrz,
    licence,
    page,
  }
}

/**
 * A face outside the outline belongs to another card or a bystander. Without an outline every face counts.
 */
function hasPortrait({ portrait, outline }: DocumentMeasurement): boolean {
  if (portrait === null || outline === null) return portrait !== null
  const { x, y, width, height } = portrait.box
  const [middleX, middleY] = [x + width / 2, y + height / 2]
  return outline.quad.every((a, i) => {
    const b = outline.quad[(i + 1) % 4]
    return (b.x - a.x) * (middleY - a.y) - (b.y - a.y) * (middleX - a.x) > 0
  })
}

function readMrz(sides: readonly DocumentMeasurement[], now: Date): ReadDocument['mrz'] {
  const captureIndex = sides.findIndex((side) => side.mrz !== null)
  const reading = sides[captureIndex]?.mrz
  return reading ? { reading, facts: parseMrz(reading.lines, now), captureIndex } : null
}

/** Alpha-3; null for a code that is in no list, which may be misread. */
function findIssuer(mrz: ReadDocument['mrz']): string | null {
  return mrz && issuerKind(mrz.facts.issuingState) === 'known' ? toAlpha3(mrz.facts.issuingState) : null
}

function readLicence(
  barcodes: readonly BarcodeMeasurement[],
  scannedBarcode: string | null,
): ReadDocument['licence'] {
  const seen = barcodes.flatMap((side) => side.symbols.flatMap(({ text }) => (text === null ? [] : [text])))
  for (const [text, scanned] of [...seen.map((t) => [t, false] as const), [scannedBarcode, true] as const]) {
    const facts = text === null ? null : parseAamva(text)
    if (facts) return { facts, scanned }
  }
  return null
}
