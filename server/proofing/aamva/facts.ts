/** Parsed contents of the barcode of a North American driving licence or identity card (AAMVA DL/ID). Personal data. */
export interface AamvaFacts {
  /** Version of the standard as encoded; 0 before the first version or if the header is lost. */
  readonly version: number
  /** Issuer identification number, six digits; empty if a scanner omitted the header. */
  readonly iin: string
  /** Alpha-3. */
  readonly country: 'USA' | 'CAN' | 'MEX'
  /** Two letters of the issuing state or province, from its number or, if that is not listed, from the address. */
  readonly jurisdiction: string | null
  readonly kind: 'DRIVING_LICENSE' | 'IDENTITY_CARD'
  readonly documentNumber: string
  readonly surname: string
  readonly givenNames: readonly string[]
  /** A name may be truncated, according to the card, or it is unknown. */
  readonly nameMayBeTruncated: boolean
  readonly suffix: string | null
  /** YYYY-MM-DD; null if missing or not an existing date. */
  readonly birthDate: string | null
  readonly issueDate: string | null
  readonly expiryDate: string | null
  readonly sex: 'M' | 'F' | 'X' | null
  readonly address: {
    readonly streetLines: readonly string[]
    readonly city: string | null
    readonly state: string | null
    readonly postcode: string | null
  } | null
  /** Document discriminator: differs between two cards of one person. */
  readonly discriminator: string | null
  /** Names of deviations from the standard; they contain no values. */
  readonly deviations: readonly string[]
}
