/**
 * Measures whether changing one character makes print and MRZ or barcode differ, and whether they agree without a change.
 */
import type { PageKnowledge } from '../../../proofing/visual-zone/knowledge.ts'
import { FORGED_FIELDS, forgeFacts, type ForgedField } from '../../specimen/documents/forge-facts.ts'
import { inventCard } from '../../specimen/documents/card-facts.ts'
import type { SpecimenKind } from '../../specimen/documents/layout.ts'
import { DESIGNS } from '../../specimen/documents/render.ts'
import type { VariantName } from '../../specimen/documents/variants.ts'
import { visualZoneMatch } from '../../../verification/steps/visual-zone.ts'
import type { Vision } from '../../../vision/protocol.ts'
import { putTogether, readPicture, type PictureReading } from './read-scene.ts'
import { pickVariant, renderSides } from './render-sides.ts'

export interface MatchTally {
  readonly documents: number
  readonly passed: number
  readonly failed: number
  readonly inconclusive: number
  /** Forged documents that passed, by the changed field. */
  readonly passedByField: Readonly<Record<ForgedField, number>>
}

interface MatchOptions {
  readonly seed: number
  readonly kinds: readonly SpecimenKind[]
  readonly variants: readonly VariantName[]
  readonly tell: (line: string) => void
}

/** Reference date for expiry, the same for every run. */
const NOW = new Date('2026-11-21T00:00:00Z')
/** The other parts of the bench use lower seeds. */
const FIRST_SEED = 100_000

/** Measures `count` documents with an MRZ or a barcode. */
export async function measureMatches(
  vision: Vision,
  knowledge: PageKnowledge,
  { seed, kinds, variants, tell }: MatchOptions,
  count: number,
  isForged: boolean,
): Promise<MatchTally> {
  const coded = kinds.filter((kind) => DESIGNS[kind].mrzLines ?? DESIGNS[kind].barcodeText)
  const counts = { passed: 0, failed: 0, inconclusive: 0 }
  const passedByField = Object.fromEntries(FORGED_FIELDS.map((field) => [field, 0])) as Record<
    ForgedField,
    number
  >
  const documents = coded.length === 0 ? 0 : count
  for (let i = 0; i < documents; i++) {
    const kind = coded[i % coded.length]
    const documentSeed = FIRST_SEED + seed + i
    const forgedSeed = isForged ? seedThatShows(kind, documentSeed) : null
    const variant = pickVariant(kind, documentSeed, variants)
    const readings: PictureReading[] = []
    const images = (await renderSides({ kind, documentSeed, forgedSeed, variant })).map(({ jpeg }) => jpeg)
    for (const jpeg of images) readings.push(await readPicture(vision, jpeg))
    const { outcome } = visualZoneMatch(await putTogether(vision, images, readings, knowledge, NOW))
    counts[outcome]++
    const field = forgedSeed === null ? null : forgeFacts(inventFacts(kind, documentSeed), forgedSeed).field
    if (field !== null && outcome === 'passed') passedByField[field]++
    tell(`${documentSeed} ${kind} ${variant} ${field === null ? 'genuine' : `forged ${field}`}: ${outcome}`)
  }
  return { documents, ...counts, passedByField }
}

const inventFacts = (kind: SpecimenKind, seed: number) =>
  inventCard(seed, DESIGNS[kind].numberStyle, DESIGNS[kind].validYears)

/** A change that the MRZ or barcode cannot show has no effect, so the next seed is tried. */
function seedThatShows(kind: SpecimenKind, documentSeed: number): number {
  const { mrzLines, barcodeText } = DESIGNS[kind]
  const facts = inventFacts(kind, documentSeed)
  const said = (card: typeof facts): string =>
    [...(mrzLines?.(card) ?? []), barcodeText?.(card) ?? ''].join('\n')
  for (let forgedSeed = documentSeed; ; forgedSeed++)
    if (said(forgeFacts(facts, forgedSeed).facts) !== said(facts)) return forgedSeed
}
