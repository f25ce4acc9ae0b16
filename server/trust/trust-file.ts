/** Reads a file for the trust store: a master list, a certificate, a revocation list or a defect list, in DER or PEM. Verifies nothing. */
import { ASN1, readMembers } from '../chip/der.ts'
import { ChipFault } from '../chip/outcome.ts'
import { parseSignedData, type SignedData } from '../chip/files/cms.ts'
import { hashBytes } from '../chip/passive/certificate.ts'
import { DEFECT_LIST } from '../chip/passive/defect-list.ts'
import { parseDefectList, type DefectList } from './defect-list.ts'
import { MASTER_LIST, parseMasterList, type MasterList } from './master-list.ts'
import { TrustRefused } from './refused.ts'
import { parseRevocationList, type RevocationList } from '../chip/passive/revocation-list.ts'
import { readTlvs } from '../chip/tlv.ts'

/** The German list, the longest of the published ones, has 0.9 megabytes. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024

export type TrustContent =
  | { readonly kind: 'MASTER_LIST'; readonly list: MasterList }
  | { readonly kind: 'CERTIFICATE' }
  | { readonly kind: 'REVOCATION_LIST'; readonly list: RevocationList }
  | { readonly kind: 'DEFECT_LIST'; readonly list: DefectList }

export type ReadTrustFile = TrustContent & {
  readonly der: Uint8Array
  /** SHA-256 of the file as it is, in hexadecimal. */
  readonly sha256: string
}

const VERSION = 0xa0

/** A file is verified with the authorities of those before it. */
const KIND_ORDER = ['CERTIFICATE', 'MASTER_LIST', 'REVOCATION_LIST', 'DEFECT_LIST'] as const

/** The order of import: certificates, master lists by signing time, revocation lists, defect lists. */
export function compareTrustFiles(one: ReadTrustFile, other: ReadTrustFile): number {
  const signedAt = (file: ReadTrustFile) => (file.kind === 'MASTER_LIST' ? file.list.signedAt.getTime() : 0)
  const byKind = KIND_ORDER.indexOf(one.kind) - KIND_ORDER.indexOf(other.kind)
  return byKind || signedAt(one) - signedAt(other)
}

/** @throws TrustRefused */
export function readTrustFile(bytes: Uint8Array): ReadTrustFile {
  const der = decodePem(bytes)
  try {
    return { ...readContent(der), der, sha256: hashBytes(bytes) }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    throw new TrustRefused(
      'The file is no CSCA master list, certificate, revocation list or defect list, or it is damaged. Get it again from its publisher.',
      { cause: error },
    )
  }
}

function readContent(der: Uint8Array): TrustContent {
  const [first] = readMembers(der)
  if (first?.tag === ASN1.oid) return readSignedContent(parseSignedData(der))
  if (first?.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const isCertificate = readTlvs(first.value)[0]?.tag === VERSION
  return isCertificate ? { kind: 'CERTIFICATE' } : { kind: 'REVOCATION_LIST', list: parseRevocationList(der) }
}

function readSignedContent(signedData: SignedData): TrustContent {
  switch (signedData.contentType) {
    case MASTER_LIST:
      return { kind: 'MASTER_LIST', list: parseMasterList(signedData) }
    case DEFECT_LIST:
      return { kind: 'DEFECT_LIST', list: parseDefectList(signedData) }
    default:
      throw new TrustRefused(
        'The file is signed, but it is neither a CSCA master list nor a defect list. Get the list from its publisher.',
      )
  }
}

/** One PEM block becomes DER (RFC 7468, 2); other bytes stay as they are. */
function decodePem(bytes: Uint8Array): Uint8Array {
  const HEAD = '-----BEGIN '
  if (Buffer.from(bytes.subarray(0, HEAD.length)).toString('latin1') !== HEAD) return bytes
  const blocks = Buffer.from(bytes).toString('latin1').split(HEAD).slice(1)
  const [block = ''] = blocks
  const start = block.indexOf('-----')
  const end = block.indexOf('-----END ')
  if (blocks.length !== 1 || start < 0 || end <= start)
    throw new TrustRefused(
      'The file must contain exactly one PEM block. Import each block as a file of its own.',
    )
  return Buffer.from(block.slice(start + '-----'.length, end), 'base64')
}
