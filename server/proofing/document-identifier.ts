/** Identifies a document, to detect repeated presentation. Personal data: stored only as a keyed hash. */
export interface DocumentIdentifier {
  readonly type: string
  /** Issuer as stated on the document, including the state or province if that assigns the numbers. */
  readonly issuer: string
  readonly number: string
}
