/** A time-stamping authority (RFC 3161). */
export interface Timestamper {
  /**
   * Returns the TimeStampToken (DER, CMS SignedData) over the SHA-256 of these bytes. Throws `timestamp_unavailable` if
   * the authority cannot be reached, refuses, or answers for other data.
   */
  stamp(bytes: Uint8Array): Promise<Uint8Array>
  /** No proof may be signed without a token. */
  readonly required: boolean
}
