/** A time-stamping authority (RFC 3161). */
export interface Timestamper {
  /**
   * The TimeStampToken (DER, CMS SignedData) over the SHA-256 of these bytes. Throws `timestamp_unavailable` when the
   * authority cannot be reached, refuses, or answers for something else.
   */
  stamp(bytes: Uint8Array): Promise<Uint8Array>
  /** No proof is sealed without a token. */
  readonly required: boolean
}
