/**
 * Checks that policies may require besides those in pipelines, and descriptions of checks. Contains no rule. A name that
 * is neither here nor in a pipeline is a typing error in a policy.
 */
import { DERIVED_CHECKS } from './policy.ts'

/** `performed`: this release can perform it; the others need an issuer. */
interface OtherCheck {
  readonly performed: boolean
  /** Completes the sentence "it is not shown that …". */
  readonly words: string
}

/** Checks of single evidence. */
export const OTHER_CHECKS: Readonly<Record<string, OtherCheck>> = {
  ADJUDICATION: { performed: true, words: 'a person accepted what the machine left open' },
  OIDC_AUTHENTICATION: { performed: true, words: 'the identity provider authenticated the person' },
  OIDC_ATTRIBUTE_SHARING: { performed: true, words: 'the identity provider said who the person is' },
  MOBILE_OTP: { performed: true, words: 'the person reads messages sent to the phone' },
  MOBILE_OWNERSHIP: { performed: true, words: 'the mobile operator has the person as the phone’s owner' },
  MOBILE_SIM_SWAP: { performed: true, words: 'the phone has had its SIM for a while' },
  ATTENDED_CAPTURE: { performed: true, words: 'an officer was there when it was captured' },
  TACTILE_INSPECTION: { performed: true, words: 'an officer had the document in hand and examined it' },
  CHIP_SYMBOL: { performed: true, words: 'an officer saw the chip symbol on the document' },
  GIV_PORTRAIT_MATCH: { performed: false, words: 'the face is the one that the issuer keeps' },
}

/** Checks of contact details that count for no level: a policy that requires one names an unknown check. */
export const UNCOUNTED_CHECKS: readonly string[] = [
  'EMAIL_OTP',
  'EMAIL_OWNERSHIP',
  'LANDLINE_OTP',
  'LANDLINE_OWNERSHIP',
]

/** Fraud checks. */
export const FRAUD_CHECKS: Readonly<Record<string, OtherCheck>> = {
  DUPLICATE_DOCUMENT: { performed: true, words: 'the document was not presented for another identity' },
  DUPLICATE_FACE: { performed: true, words: 'the face was not presented for another identity' },
  VELOCITY: { performed: true, words: 'device, document and address come no more often than usual' },
  WATCHLIST: { performed: true, words: 'the person is on no watchlist' },
  DOCUMENT_STATUS: { performed: true, words: 'no register has the document as lost, stolen or revoked' },
  DOCUMENT_STATUS_ISSUER: {
    performed: true,
    words: 'the issuer’s own register was asked about the document',
  },
  DEATH_RECORD: { performed: true, words: 'a register that knows the deceased does not have the person' },
  KNOWN_FRAUD: { performed: true, words: 'a register of known fraud has neither document nor person' },
  DEVICE_INTEGRITY: {
    performed: true,
    words: 'clock, camera, inspection and seals of the device are in order',
  },
}

const DERIVED_WORDS: Readonly<Record<string, string>> = {
  HOLDER_MATCH: 'a portrait that counts shows the holder of the document',
  HOLDER_LIVE: 'a portrait proven live shows the holder of the document',
  HOLDER_LIVE_AGAINST_REPLAYS:
    'a portrait whose liveness check stops replayed recordings shows the holder of the document',
  HOLDER_LIVE_AGAINST_OPERATORS:
    'a portrait whose liveness check stops an operator with recordings shows the holder of the document',
  HOLDER_ATTENDED: 'a portrait captured before an officer shows the holder of the document',
  HOLDER_CHIP_MATCH: 'a portrait proven live is the one in the chip',
  HOLDER_REGISTER_MATCH: 'a portrait proven live is the one that the issuer keeps',
}

/** Descriptions of the most important pipeline checks; others are shown by name. */
const PIPELINE_WORDS: Readonly<Record<string, string>> = {
  DOCUMENT_READING: 'the document was read by independent readers that agree',
  MRZ_READING: 'the machine-readable zone was read',
  MRZ_CHECK_DIGITS: 'the check digits of the machine-readable zone are right',
  MRZ_WITNESS_AGREEMENT: 'two independent readers agree on the machine-readable zone',
  BARCODE_READING: 'the barcode was read',
  VISUAL_ZONE_MATCH: 'the print says what zone or barcode says',
  DOCUMENT_AUTHENTICITY: 'no optical signal speaks against the document',
  DOCUMENT_EXPIRY: 'the document is in date',
  GIV_VERIFICATION: 'the issuer confirmed the data of the document',
  BIOMETRIC_MATCHING_CHECK: 'the face is that of the document',
  BIOMETRIC_LIVENESS: 'a live person stood before the camera',
  LIVENESS_STOPS_PRINTS: 'the liveness check stops photographs',
  LIVENESS_STOPS_REPLAYS: 'the liveness check stops replayed recordings',
  LIVENESS_STOPS_OPERATORS: 'the liveness check stops an operator with recordings',
  ATTRIBUTES_SOURCE: 'an authoritative source confirmed the attributes',
  NFC_PASSIVE_AUTHENTICATION:
    'the chip was read, its signature is the issuer’s, and it confirms the document',
  NFC_CHIP_AUTHENTICATION:
    'the chip proved with a key of the issuer that it is no copy (chip authentication)',
  NFC_ACTIVE_AUTHENTICATION:
    'the chip proved with a key of the issuer that it is no copy (active authentication)',
  NFC_DATA_MATCH: 'chip and document state the same',
  NFC_PORTRAIT_MATCH: 'the face is the one in the chip',
  CHIP_REVOCATION: 'no revocation list names the signer of the chip',
  CHIP_TRUST_LISTS: 'the chip was verified with lists that are up to date',
}

export const isDerived = (check: string): boolean => Object.hasOwn(DERIVED_CHECKS, check)
export const isOfFraud = (check: string): boolean => Object.hasOwn(FRAUD_CHECKS, check)

/** @param ofPipelines names of the checks in pipelines */
export function isKnownCheck(check: string, ofPipelines: ReadonlySet<string>): boolean {
  return ofPipelines.has(check) || isDerived(check) || isOfFraud(check) || Object.hasOwn(OTHER_CHECKS, check)
}

export function describeCheck(check: string): string {
  return (
    OTHER_CHECKS[check]?.words ??
    FRAUD_CHECKS[check]?.words ??
    DERIVED_WORDS[check] ??
    PIPELINE_WORDS[check] ??
    `${check} passed`
  )
}
