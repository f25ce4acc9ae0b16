/**
 * What kind of document lies before the camera, told from everything that was seen of it. Each piece of evidence votes
 * for what it can tell; a machine-readable zone outweighs all others, because its form is fixed by Doc 9303.
 */
import type { AamvaFacts } from './aamva/facts.ts'
import type { MrzFormat } from './mrz/format.ts'
import type { PageFacts } from './visual-zone/page-facts.ts'

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
  readonly hasPortrait: boolean
  readonly hasBarcode: boolean
  /** Edges of a document were seen. */
  readonly hasOutline: boolean
  /** Text was read on it. */
  readonly hasText: boolean
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
  return { layout: layoutOf(zone, licence, named, evidence), sides: sides.map(sideName), evidence }
}

function layoutOf(
  zone: MrzFormat | null,
  licence: AamvaFacts | null,
  named: PageFacts['kind'],
  evidence: readonly unknown[],
): DocumentLayout {
  if (zone) return LAYOUT_OF_ZONE[zone]
  // Cards of the North American standard are one format, whether they allow to drive or not.
  if (licence || named === 'DRIVING_LICENSE') return 'DRIVING_LICENCE'
  if (named === 'MEDICARE') return 'MEDICARE_CARD'
  return evidence.length > 0 ? 'UNKNOWN' : 'NONE'
}

/** Cards carry the portrait on the front, zone or barcode on the back; a page carries all on one side. */
function sideName({ zone, hasPortrait, hasBarcode }: SideEvidence): SideName | null {
  if (hasPortrait) return 'FRONT'
  if (zone === 'TD1' || hasBarcode) return 'BACK'
  return zone ? 'FRONT' : null
}
