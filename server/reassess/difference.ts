/** A statement of the archive that its own content contradicts. Contains no personal value. */
export interface Difference {
  readonly what: string
  readonly evidenceId?: string
  readonly claimed: string
  readonly derived: string
}
