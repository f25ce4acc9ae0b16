/** What makes a document the one it is, for telling that it was presented before. Personal: kept as a keyed hash alone. */
export interface DocumentKey {
  readonly type: string
  /** As the document names it; where numbers are given by a state or province, that as well. */
  readonly issuer: string
  readonly number: string
}
