/** The words of the trust store: kinds of files, and faults of bundles. */
export const TRUST_KINDS = ['MASTER_LIST', 'CERTIFICATE', 'REVOCATION_LIST', 'DEFECT_LIST'] as const
export type TrustKind = (typeof TRUST_KINDS)[number]

/** Why a trust bundle of the central service is not in force. */
export const TRUST_BUNDLE_FAULTS = [
  'statement_refused', // not signed by the central service, or for another kiosk or tenant
  'older_version', // than the one in force
  'other_content', // under the version in force
  'file_damaged', // cut, changed or no longer there
  'file_refused', // by the rules of import
] as const
export type TrustBundleFault = (typeof TRUST_BUNDLE_FAULTS)[number]
