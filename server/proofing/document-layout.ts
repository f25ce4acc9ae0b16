/**
 * What kind of document lies before the camera, told from everything that was seen of it. Each piece of evidence votes
 * for what it can tell; a machine-readable zone outweighs all others, because its form is fixed by Doc 9303.
 */
import type { AamvaFacts } from './aamva/facts.ts'
import type { MrzFormat } from './mrz/format.ts'
import type { PageFacts, PageFieldName } from './visual-zone/page-facts.ts'

export const DOCUMENT_LAYOUTS = [
  'TD1',
  'TD2',
  'TD3',
  'VISA',
  'DRIVING_LICENCE',
  'MEDICARE_CARD',
  /** A document, but of no kind that we know. */
  'UNKNOWN',
  /** No document in any picture. */
  'NONE',
] as const
export type DocumentLayout = (typeof DOCUMENT_LAYOUTS)[number]

/** What one picture showed. */
export interface SideEvidence {
  readonly zone: MrzFormat | null
  /** On the document itself, not beside it. */
  readonly hasPortrait: boolean
  readonly hasBarcode: boolean
  /** Edges of a document were seen. */
  readonly hasOutline: boolean
  /** Text was read on it. */
  readonly hasText: boolean
  /** Width over height between its corners; null or left away where they were not found. */
  readonly aspect?: number | null
  /** Machine-readable lines were seen, readable or not. */
  readonly hasBand?: boolean
  /** Width over height of what was read, upright. */
  readonly pageAspect?: number
}

export type SideName = 'FRONT' | 'BACK'

export interface DocumentClassification {
  readonly layout: DocumentLayout
  /** For each picture, where it can be told. */
  readonly sides: readonly (SideName | null)[]
  /** What spoke for the layout, in order of weight. Names, never values. */
  readonly evidence: readonly ('zone' | 'barcode' | 'words' | 'template' | 'outline' | 'portrait')[]
}

const LAYOUT_OF_ZONE: Readonly<Record<MrzFormat, DocumentLayout>> = {
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
  const zone = sides.find((side) => side.zone !== null)?.zone ?? null
  const named = page.kind
  const evidence: DocumentClassification['evidence'][number][] = []
  if (zone) evidence.push('zone')
  if (licence) evidence.push('barcode')
  if (page.template !== null) evidence.push('template')
  else if (named !== null) evidence.push('words')
  if (sides.some((side) => side.hasOutline)) evidence.push('outline')
  if (sides.some((side) => side.hasPortrait)) evidence.push('portrait')
  const aspect = sides.find((side) => typeof side.aspect === 'number')?.aspect ?? null
  const isNone = evidence.length === 0 || isSheetOfPaper(sides, licence, page)
  const layout = isNone ? 'NONE' : (layoutOf(zone, licence, named, aspect) ?? 'UNKNOWN')
  return { layout, sides: sidesOf(sides, layout, page), evidence }
}

/** Width over height of cards and pages of passports (ISO/IEC 7810: 1.42 to 1.59), with what a slanting view makes of them. */
const LYING = { least: 1.15, most: 1.9 }

/**
 * A letter, an invoice, a form: it names documents and has fields, but neither portrait nor machine-readable lines nor barcode, and
 * it is read upright on a sheet that is higher than wide, which no side of a document is.
 */
function isSheetOfPaper(
  sides: readonly SideEvidence[],
  licence: AamvaFacts | null,
  page: PageFacts,
): boolean {
  const isTold = page.kind !== null || page.template !== null || page.fields.length > 0
  const isOfDocument = sides.some(
    ({ zone, hasPortrait, hasBarcode, hasBand }) =>
      zone !== null || hasPortrait || hasBarcode || hasBand === true,
  )
  if (!isTold || licence !== null || isOfDocument) return false
  const aspects = sides.flatMap(({ hasText, pageAspect }) => (hasText && pageAspect ? [pageAspect] : []))
  return aspects.length > 0 && aspects.every((aspect) => aspect < LYING.least || aspect > LYING.most)
}

/** Null where neither zone nor words tell. Words say no more than which layout it is: a zone is still expected of it. */
function layoutOf(
  zone: MrzFormat | null,
  licence: AamvaFacts | null,
  named: PageFacts['kind'],
  aspect: number | null,
): DocumentLayout | null {
  if (zone) return LAYOUT_OF_ZONE[zone]
  // Cards of the North American standard are one format, whether they allow to drive or not.
  if (licence || named === 'DRIVING_LICENSE') return 'DRIVING_LICENCE'
  if (named === 'MEDICARE') return 'MEDICARE_CARD'
  // Anything may have these words printed on it: without corners it is no page.
  if (named === null || aspect === null) return null
  if (named === 'PASSPORT') return 'TD3'
  return named === 'VISA' ? 'VISA' : cardOf(aspect)
}

/** ISO/IEC 7810: ID-1 is 85.6 mm by 54 mm, ID-2 105 mm by 74 mm; a photograph's corners leave 5 % (starting value). */
const CARDS = [
  { layout: 'TD1', aspect: 85.6 / 53.98 },
  { layout: 'TD2', aspect: 105 / 74 },
] as const
const MAX_OFF = 0.05

function cardOf(aspect: number): DocumentLayout | null {
  return CARDS.find((card) => Math.abs(aspect / card.aspect - 1) <= MAX_OFF)?.layout ?? null
}

/** Layouts that have all they say on one side: a second picture of them shows no back. */
const PAGES: readonly DocumentLayout[] = ['TD3', 'VISA']
/** Printed on fronts alone; numbers and dates stand on backs as well. */
const NAMES: readonly PageFieldName[] = ['surname', 'givenNames', 'fullName']
const BESIDE_NAMES: readonly PageFieldName[] = ['birthDate', 'documentNumber', 'cardNumber']

/** Each side by what it shows itself; then, of two pictures of a card, the one that says nothing by the other. */
function sidesOf(
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

/** No card has two fronts: of two pictures that show a face the one with the holder's name; null where that says nothing. */
function onlyFront(names: readonly (SideName | null)[], fields: PageFacts['fields']): number | null {
  if (!names.every((name) => name === 'FRONT')) return null
  const named = new Set(
    fields.filter(({ field }) => NAMES.includes(field)).map(({ captureIndex }) => captureIndex),
  )
  return named.size === 1 ? [...named][0] : null
}

const OPPOSITE: Readonly<Record<SideName, SideName>> = { FRONT: 'BACK', BACK: 'FRONT' }

/** Cards carry the portrait on the front, zone or barcode on the back; a page carries all on one side. */
function sideName(
  { zone, hasPortrait, hasBarcode, hasOutline, hasText }: SideEvidence,
  layout: DocumentLayout,
  printed: readonly PageFieldName[],
): SideName | null {
  if (hasPortrait) return 'FRONT'
  if (zone === 'TD1' || hasBarcode) return 'BACK'
  if (zone) return 'FRONT'
  const tellsHolder = NAMES.some((name) => printed.includes(name))
  if (tellsHolder && BESIDE_NAMES.some((field) => printed.includes(field))) return 'FRONT'
  // A health card's number in its own form stands on the front alone.
  if (layout === 'MEDICARE_CARD' && printed.includes('documentNumber')) return 'FRONT'
  // Every licence has a portrait and the holder's name on its front.
  if (layout === 'DRIVING_LICENCE' && hasOutline && hasText && !tellsHolder) return 'BACK'
  return null
}
