/** Result and errors of the list readers. */
import type { ListedPerson } from '../proofing/watchlist/listed.ts'

/** A refused list: a sentence for the operator that names a place in the file but never a value from it. */
export class ListRefused extends Error {
  override readonly name = 'ListRefused'
  /** The option of `watchlist import` that helps; null: none. A source has no such options. */
  readonly option: string | null

  constructor(
    message: string,
    { option = null, ...options }: ErrorOptions & { option?: string | null } = {},
  ) {
    super(message, options)
    this.option = option
  }
}

/** The content of a list file in any format. */
export interface ParsedList {
  /** yyyy-MM-dd; null if the file states no date. */
  readonly date: string | null
  readonly persons: readonly ListedPerson[]
  /** Number of organisations, ships and aircraft, which are skipped because only persons are screened. */
  readonly leftOut: number
}
