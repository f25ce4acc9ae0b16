/** What the barcode of a North American driving licence or identity card says, after parsing (AAMVA DL/ID). Personal. */
export interface AamvaFacts {
  /** Version of the standard as printed; 0 before the first, and where the header is lost. */
  readonly version: number
  /** Issuer identification number, six digits; empty where a scanner left the header out. */
  readonly iin: string
  /** Alpha-3. */
  readonly country: 'USA' | 'CAN' | 'MEX'
  /** Two letters of the issuing state or province, by its number or, where that is not listed, by the address. */
  readonly jurisdiction: string | null
  readonly kind: 'DRIVING_LICENSE' | 'IDENTITY_CARD'
  readonly documentNumber: string
  readonly surname: string
  readonly givenNames: readonly string[]
  /** A name may be cut at its end, said by the card or unknown. */
  readonly nameMayBeTruncated: boolean
  readonly suffix: string | null
  /** YYYY-MM-DD; null where the card has none or one that does not exist. */
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
  /** Document discriminator: differs between two cards of the same person. */
  readonly discriminator: string | null
  /** What departs from the standard, in names of ours: none holds a value. */
  readonly deviations: readonly string[]
}
