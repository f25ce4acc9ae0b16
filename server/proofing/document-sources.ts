/**
 * Decides which sources (MRZ, barcode, VIZ) a document must have, and when a reading is certain enough to be used without
 * an officer. Pure rules.
 */
import type { AamvaFacts } from './aamva/facts.ts'
import type { DocumentLayout } from './document-layout.ts'
import type { CheckOutcome } from './judge.ts'
import type { DocumentType } from './types.ts'

export interface Expectation {
  readonly declaredType: DocumentType | null
  readonly layout: DocumentLayout
  readonly licence: AamvaFacts | null
  /** Machine-readable lines were detected, readable or not. */
  readonly bandSeen: boolean
}

/** Kinds of document without a required MRZ; all others must show one. */
const WITHOUT_MRZ: readonly (DocumentType | null)[] = ['DRIVING_LICENSE', 'TAX_CARD', 'VOTER_CARD']

/**
 * Decides whether an MRZ is required. In doubt it is, so that a picture without one cannot pass by weaker checks. A US or
 * Canadian card is recognised by its barcode, whatever type was declared.
 */
export function expectsMrz({ declaredType, layout, licence, bandSeen }: Expectation): boolean {
  if (bandSeen) return true
  if (WITHOUT_MRZ.includes(declaredType)) return false
  if (declaredType === 'IDENTITY_CARD') return licence?.kind !== 'IDENTITY_CARD'
  if (declaredType !== null) return true
  return layout !== 'DRIVING_LICENCE' && layout !== 'MEDICARE_CARD'
}

interface SourceOutcomes {
  /** Two recognisers agree on every character; null without an MRZ. */
  readonly mrz: CheckOutcome | null
  /** The barcode has error correction; null without a barcode. */
  readonly barcode: CheckOutcome | null
  /** A number that encodes the holder's name and birth date, compared with the VIZ. */
  readonly codedNumber: CheckOutcome
}

/**
 * Text is certain if two independent readings agree or one source corrects its errors. The VIZ alone is a single reading,
 * unless the card number encodes name and birth date.
 */
export function readingOutcome({ mrz, barcode, codedNumber }: SourceOutcomes): CheckOutcome {
  if (mrz !== null) return mrz
  if (barcode === 'passed') return 'passed'
  return codedNumber === 'passed' ? 'passed' : 'inconclusive'
}
