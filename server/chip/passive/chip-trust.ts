/** The certificates and lists that passive authentication judges with. The caller vouches for them; nothing here verifies them. */
import type { ChipCertificate } from './certificate.ts'
import type { Defect } from './defect-list.ts'
import type { RevocationList } from './revocation-list.ts'

export interface TrustedAuthority {
  readonly certificate: ChipCertificate
  /** SHA-256 of the imported files that contain it, hexadecimal. */
  readonly sources: readonly string[]
}

export interface ChipTrust {
  /** Country signing authorities in force, with their link certificates. */
  readonly authorities: readonly TrustedAuthority[]
  /** Document signers, for files that do not contain theirs. They are not trusted: an authority must have signed them. */
  readonly signers: readonly ChipCertificate[]
  /** SHA-256 of the file, and its content. Passive authentication verifies the signatures of revocation lists. */
  readonly revocationLists: readonly { readonly sha256: string; readonly list: RevocationList }[]
  readonly defectLists: readonly { readonly sha256: string; readonly defects: readonly Defect[] }[]
  /** A master list was not checked for too long. Leaves an indicator. Absent: no. */
  readonly isOutdated?: boolean
  /** The time that the lists are of: a revocation list may be newer than the reading of the chip. Absent: the time of the judgement. */
  readonly asOf?: Date
}

/** Trusts these certificates alone, without lists. */
export function trustCertificates(certificates: readonly ChipCertificate[]): ChipTrust {
  return {
    authorities: certificates.map((certificate) => ({ certificate, sources: [] })),
    signers: [],
    revocationLists: [],
    defectLists: [],
  }
}
