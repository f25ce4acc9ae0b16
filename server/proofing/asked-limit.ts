/** Limits how often sources are asked about one identity: their answers must not serve to find out where a person lives or which card is theirs. */
import type { Evidence } from './evidence.ts'

/** The first evidence of a kind that an identity submits is asked about. */
export const MAX_ASKED = 5

interface Submitted {
  readonly family: Evidence['family']
  /** Null: it is not stored yet. */
  readonly id: string | null
}

/** @param evidences all of the identity, with the deleted ones, oldest first */
export function isWithinLimit({ family, id }: Submitted, evidences: readonly Evidence[]): boolean {
  const submitted = listSubmitted(family, evidences)
  const place = id === null ? submitted.length : submitted.findIndex((one) => one.id === id)
  return place >= 0 && place < MAX_ASKED
}

/** How many further evidences of this kind a source may be asked about. @param evidences with the deleted ones */
export const countAskable = (family: Evidence['family'], evidences: readonly Evidence[]): number =>
  Math.max(0, MAX_ASKED - listSubmitted(family, evidences).length)

const listSubmitted = (family: Evidence['family'], evidences: readonly Evidence[]): readonly Evidence[] =>
  evidences.filter((one) => one.family === family && !one.content.derived)
