/** What the readers of lists give, and how they refuse. */
import type { ListedPerson } from '../proofing/watchlist/listed.ts'

/** A list that is not taken: a sentence for the operator, with a place in the file and never a value from it. */
export class ListRefused extends Error {
  override readonly name = 'ListRefused'
}

/** What the file of a list says, whatever its format. */
export interface ParsedList {
  /** yyyy-MM-dd; null where the file does not say. */
  readonly date: string | null
  readonly persons: readonly ListedPerson[]
  /** Organisations, ships, aircraft: nobody who could stand at a counter. */
  readonly leftOut: number
}
