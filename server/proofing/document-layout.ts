/**
 * Classifies the kind of document from all detections. An MRZ outweighs all other evidence, because Doc 9303 fixes its
 * form.
 */
import type { AamvaFacts } from './aamva/facts.ts'
import type { MrzFormat } from './mrz/format.ts'
import type { PageFacts, PageFieldName } from './visual-zone/page-facts.ts'

export type DocumentLayout =
  | 'TD1'
  | 'TD2'
  | 'TD3'
  | 'VISA'
  | 'DRIVING_LICENCE'
  | 'MEDICARE_CARD'
  | 'UNKNOWN'
  | 'NONE'

/** Detections in one picture. */
export interface SideEvidence {
  readonly mrz: MrzFormat | null
  /** The portrait is on the document itself, not beside it. */
  readonly hasPortrait: boolean
  readonly hasBarcode: boolean
  /** The document's edges were detected. */
  readonly hasOutline: boolean
  /** True if text was read on it. */
  readonly hasText: boolean
  /** Width over height from its corners; null or absent if they were not found. */
  readonly aspect?: number | null
  /** Machine-readable lines were detected, readable or not. */
  readonly hasBand?: boolean
  /** Width over height of the upright page that was read. */
  readonly pageAspect?: number
}

export type SideName = 'FRONT' | 'BACK'

export interface DocumentClassification {
  readonly layout: DocumentLayout
  /** Per picture; null if unknown. */
  readonly sides: readonly (SideName | null)[]
  /** Sources that determined the layout, most important first. Names only, no values. */
  readonly evidence: readonly ('zone' | 'barcode' | 'words' | 'template' | 'outline' | 'portrait')[]
}

const LAYOUT_OF_MRZ: Readonly<Record<MrzFormat, DocumentLayout>> = {
  TD1: 'TD1',
  TD2: 'TD2',
  TD3: 'TD3',
  MRVA: 'VISA',
  MRVB: 'VISA',
  FRA: 'TD2',
  FRA_DL: 'DRIVING_LICENCE',
  CHE_DL: 'DRIVING_LICENCE',
}

export function classifyDocument(
  sides: readonly SideEvidence[],
  licence: AamvaFacts | null,
  page: PageFacts,
): DocumentClassification {
  const mrz = sides.find((side) => side.mrz !== null)?.mrz ?? null
  const named = page.kind
  const evidence: DocumentClassification['evidence'][number][] = []
  if (mrz) evidence.push('zone')
  if (licence) evidence.push('barcode')
  if (page.template !== null) evidence.push('template')
  else if (named !== null) evidence.push('words')
  if (sides.some((side) => side.hasOutline)) evidence.push('outline')
  if (sides.some((side) => side.hasPortrait)) evidence.push('portrait')
  const aspect = sides.find((side) => typeof side.aspect === 'number')?.aspect ?? null
  const isNone = evidence.length === 0 || isSheetOfPaper(sides, licence, page)
  const layout = isNone ? 'NONE' : (chooseLayout(mrz, licence, named, aspect) ?? 'UNKNOWN')
  return { layout, sides: nameSides(sides, layout, page), evidence }
}

/** Width over height of cards and passport pages (ISO/IEC 7810: 1.42 to 1.59), with tolerance for perspective. */
const LYING = { least: 1.15, most: 1.9 }

/**
 * A letter, invoice or form: it names documents and has fields, but no portrait, MRZ or barcode, and is read upright on a
 * portrait-format sheet, which no document side is.
 */
function isSheetOfPaper(
  sides: readonly SideEvidence[],
  licence: AamvaFacts | null,
  page: PageFacts,
): boolean {
  const isTold = page.kind !== null || page.template !== null || page.fields.length > 0
  const isOfDocument = sides.some(
    ({ mrz, hasPortrait, hasBarcode, hasBand }) =>
      mrz !== null || hasPortrait || hasBarcode || hasBand === true,
  )
  if (!isTold || licence !== null || isOfDocument) return false
  const aspects = sides.flatMap(({ hasText, pageAspect }) => (hasText && pageAspect ? [pageAspect] : []))
  return aspects.length > 0 && aspects.every((aspect) => aspect < LYING.least || aspect > LYING.most)
}

/**
 * Returns null if neither MRZ nor words determine the layout. Words determine only the layout: an MRZ is still expected.
 */
function chooseLayout(
  mrz: MrzFormat | null,
  licence: AamvaFacts | null,
  named: PageFacts['kind'],
  aspect: number | null,
): DocumentLayout | null {
  if (mrz) return LAYOUT_OF_MRZ[mrz]
  // AAMVA cards have one format, with or without a right to drive.
  if (licence || named === 'DRIVING_LICENSE') return 'DRIVING_LICENCE'
  if (named === 'MEDICARE') return 'MEDICARE_CARD'
  // Any object may show these words: without corners it is no page.
  if (named === null || aspect === null) return null
  if (named === 'PASSPORT') return 'TD3'
  return named === 'VISA' ? 'VISA' : findCardLayout(aspect)
}

/** ISO/IEC 7810: ID-1 is 85.6 × 54 mm, ID-2 105 × 74 mm; corners in photographs allow 5 % (starting value). */
const CARDS = [
  { layout: 'TD1', aspect: 85.6 / 53.98 },
  { layout: 'TD2', aspect: 105 / 74 },
] as const
const MAX_OFF = 0.05

function findCardLayout(aspect: number): DocumentLayout | null {
  return CARDS.find((card) => Math.abs(aspect / card.aspect - 1) <= MAX_OFF)?.layout ?? null
}

/** Layouts with all data on one side: a second picture shows no back. */
const PAGES: readonly DocumentLayout[] = ['TD3', 'VISA']
/** Printed only on fronts; numbers and dates also occur on backs. */
const NAMES: readonly PageFieldName[] = ['surname', 'givenNames', 'fullName']
const BESIDE_NAMES: readonly PageFieldName[] = ['birthDate', 'documentNumber', 'cardNumber']

/** Names each side by its own content, then an unknown side of a card by the other one. */
function nameSides(
  sides: readonly SideEvidence[],
  layout: DocumentLayout,
  { fields }: PageFacts,
): (SideName | null)[] {
  const names = sides.map((side, i) => {
    const printed = fields.filter(({ captureIndex }) => captureIndex === i).map(({ field }) => field)
    return sideName(side, layout, printed)
  })
  if (names.length !== 2 || PAGES.includes(layout)) return names
  const front = onlyFront(names, fields)
  if (front !== null) return names.map((_, i) => (i === front ? 'FRONT' : 'BACK'))
  return names.map((name, i) => {
    const other = names[1 - i]
    const isSeen = sides[i].hasOutline || sides[i].hasText
    return name ?? (other !== null && isSeen ? OPPOSITE[other] : null)
  })
}

/** If two pictures show a face, the front is the one with the holder's name; null if that is undecided. */
function onlyFront(names: readonly (SideName | null)[], fields: PageFacts['fields']): number | null {
  if (!names.every((name) => name === 'FRONT')) return null
  const named = new Set(
    fields.filter(({ field }) => NAMES.includes(field)).map(({ captureIndex }) => captureIndex),
  )
  return named.size === 1 ? [...named][0] : null
}

const OPPOSITE: Readonly<Record<SideName, SideName>> = { FRONT: 'BACK', BACK: 'FRONT' }

/** Cards have the portrait on the front and MRZ or barcode on the back; a page has all on one side. */
function sideName(
  { mrz, hasPortrait, hasBarcode, hasOutline, hasText }: SideEvidence,
  layout: DocumentLayout,
  printed: readonly PageFieldName[],
): SideName | null {
  if (hasPortrait) return 'FRONT'
  if (mrz === 'TD1' || hasBarcode) return 'BACK'
  if (mrz) return 'FRONT'
  const tellsHolder = NAMES.some((name) => printed.includes(name))
  if (tellsHolder && BESIDE_NAMES.some((field) => printed.includes(field))) return 'FRONT'
  // A Medicare number in its own format occurs only on the front.
  if (layout === 'MEDICARE_CARD' && printed.includes('documentNumber')) return 'FRONT'
  // The front of every licence has a portrait and the holder's name.
  if (layout === 'DRIVING_LICENCE' && hasOutline && hasText && !tellsHolder) return 'BACK'
  return null
}
