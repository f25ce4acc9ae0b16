/**
 * The policy of passive authentication, as data: which hashes and keys are weak, and the effect of a source that is missing. A weak
 * algorithm never passes silently: it leaves an indicator, for which the policies of the appliance cap the level.
 */
import type { SignatureKey } from '../signature-key.ts'
import type { HashName } from './signature.ts'

/** `weak`: the check succeeds with an indicator. `refused`: the check fails. */
export type Acceptance = 'accepted' | 'weak' | 'refused'

/** The effect of a gap on the verdict: it leaves only an indicator, or the verdict is undetermined, or failed. */
export type GapEffect = 'indicator' | 'undetermined' | 'failed'

export interface PassivePolicy {
  /** Applies to the hashes of data groups, the signature of the file, and that of the signer's certificate. */
  readonly hashes: Readonly<Record<HashName, Acceptance>>
  /** Bits below `min` fail, below `strong` are weak. Null: every length is weak. */
  readonly keys: Readonly<
    Record<SignatureKey['kind'], { readonly min: number; readonly strong: number | null }>
  >
  /** No revocation list of the issuer, or one whose next update is over. */
  readonly revocationUnknown: GapEffect
  /** The signer or its authority is not valid at the time of reading, although it was valid at the time of signing. */
  readonly expired: GapEffect
  /** DG1 is not read, or its country is in no table. */
  readonly countryUnknown: GapEffect
}

/**
 * Hashes: Doc 9303-12, 4.4 recommends SHA-224 and above; SHA-1 is deprecated (BSI TR-03105-5.1, profile DPRCTD-SHA1), and documents
 * with it are still valid. Keys: Doc 9303-12, 4.4.2 and 4.4.3 (document signers: RSA 2048, ECDSA 224); DSA left FIPS 186-5.
 * Expired: BSI TR-03135-1 v2.5, 5.6.4.3.4 asks for validity at the time of reading. A signer's certificate is valid for as long as
 * the documents that it signs (Doc 9303-12, table 2), so that an expired signer belongs to an expired document.
 * Revocation: few states publish lists where an appliance without a network can get them.
 */
export const DEFAULT_POLICY: PassivePolicy = {
  hashes: { sha1: 'weak', sha224: 'accepted', sha256: 'accepted', sha384: 'accepted', sha512: 'accepted' },
  keys: {
    rsa: { min: 1024, strong: 2048 },
    ecdsa: { min: 192, strong: 224 },
    dsa: { min: 1024, strong: null },
  },
  revocationUnknown: 'indicator',
  expired: 'failed',
  countryUnknown: 'undetermined',
}

/** Indicators of a report, in the form of the appliance's other indicators. */
export type PassiveIndicator =
  | 'CHIP_REVOCATION_UNVERIFIED'
  | 'CHIP_VALIDITY_UNVERIFIED'
  | 'CHIP_COUNTRY_UNVERIFIED'
  | 'CHIP_TRUST_LISTS_UNVERIFIED'
  | 'CHIP_HASH_WEAK'
  | 'CHIP_KEY_WEAK'
  | 'CHIP_KNOWN_DEFECT'
  | 'CHIP_AUTHENTICATION_KEY_REVOKED'
  | 'CHIP_ACTIVE_AUTHENTICATION_KEY_REVOKED'
