/**
 * A document may say what it has to say in a zone, in a barcode and in print. Which of them is expected of it, and when
 * is what was read certain enough to be used without a person? Pure rules; nothing here looks at a picture.
 */
import type { AamvaFacts } from './aamva/facts.ts'
import type { DocumentLayout } from './document-layout.ts'
import type { CheckOutcome } from './judge.ts'
import type { DocumentType } from './types.ts'

export interface Expectation {
  readonly declaredType: DocumentType | null
  readonly layout: DocumentLayout
  readonly licence: AamvaFacts | null
  /** Machine-readable lines were seen, readable or not. */
  readonly bandSeen: boolean
}

/** Kinds of document that may do without a zone; every other has one, and must show it. */
const WITHOUT_ZONE: readonly (DocumentType | null)[] = ['DRIVING_LICENSE', 'TAX_CARD', 'VOTER_CARD']

/**
 * Whether a machine-readable zone has to be read. In doubt it has: a picture that shows none must not pass by the
 * weaker way. A card of the United States or Canada is known by its barcode, whatever it was declared to be.
 */
export function expectsZone({ declaredType, layout, licence, bandSeen }: Expectation): boolean {
  if (bandSeen) return true
  if (WITHOUT_ZONE.includes(declaredType)) return false
  if (declaredType === 'IDENTITY_CARD') return licence?.kind !== 'IDENTITY_CARD'
  if (declaredType !== null) return true
  return layout !== 'DRIVING_LICENCE' && layout !== 'MEDICARE_CARD'
}

export interface SourceOutcomes {
  /** Two engines agree on every character of the zone; null where there is no zone. */
  readonly zone: CheckOutcome | null
  /** The barcode, which corrects its own errors; null where there is none. */
  readonly barcode: CheckOutcome | null
  /** A number on the card that is made of the holder's name and birth date, compared with their print. */
  readonly codedNumber: CheckOutcome
}

/**
 * Text is certain when two witnesses read it alike, or one that corrects its errors. Print alone is one witness, unless
 * the card repeats name and birth date in its number.
 */
export function readingOutcome({ zone, barcode, codedNumber }: SourceOutcomes): CheckOutcome {
  if (zone !== null) return zone
  if (barcode === 'passed') return 'passed'
  return codedNumber === 'passed' ? 'passed' : 'inconclusive'
}
