/** The kinds of files in the trust store. */
export const TRUST_KINDS = ['MASTER_LIST', 'CERTIFICATE', 'REVOCATION_LIST', 'DEFECT_LIST'] as const
export type TrustKind = (typeof TRUST_KINDS)[number]
