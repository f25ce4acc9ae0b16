/**
 * EF.SOD: the signed hashes of the data groups (ICAO Doc 9303-10, 4.6.2). Reads them; verifying hashes, signature and certificates
 * is passive authentication.
 */
import { ASN1, toSmallNumber } from '../der.ts'
import { ChipFault } from '../outcome.ts'
import { readTlv, readTlvs, type Tlv } from '../tlv.ts'
import { parseAlgorithm, parseSignedData, type SignedData } from './cms.ts'
import { isKnownVersion, type LdsVersion } from './data-groups.ts'
import { toDigits } from './values.ts'

export interface Sod {
  readonly signedData: SignedData
  /** Object identifier of the hash of the data groups. */
  readonly hashAlgorithm: string
  /** Number of the data group → hash. */
  readonly hashes: ReadonlyMap<number, Uint8Array>
  /** Stated only since LDS 1.8. */
  readonly version: LdsVersion | null
}

const PRINTABLE_STRING = 0x13
const LAST_DATA_GROUP = 16
const FIRST_STATED_LDS = '0108'

/** @throws ChipFault malformed_data */
export function parseSod(file: Uint8Array): Sod {
  const signedData = parseSignedData(readTlv(file, 0x77).value)
  const [version, algorithm, list, versionInfo, ...more] = readTlvs(
    readTlv(signedData.content, ASN1.sequence).value,
  )
  if (list?.tag !== ASN1.sequence || more.length > 0) throw new ChipFault('malformed_data')
  // Version 0 has no version information, version 1 (LDS 1.8) has it (Doc 9303-10, appendix D).
  const hasInfo = versionInfo !== undefined
  if (toSmallNumber(version) !== (hasInfo ? 1 : 0)) throw new ChipFault('malformed_data')
  return {
    signedData,
    hashAlgorithm: parseAlgorithm(algorithm).oid,
    hashes: parseHashes(readTlvs(list.value)),
    version: hasInfo ? parseVersion(versionInfo) : null,
  }
}

function parseHashes(entries: readonly Tlv[]): Map<number, Uint8Array> {
  const hashes = new Map<number, Uint8Array>()
  for (const entry of entries) {
    if (entry.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
    const [numberObject, hash, ...more] = readTlvs(entry.value)
    const number = toSmallNumber(numberObject)
    const isNew = number >= 1 && number <= LAST_DATA_GROUP && !hashes.has(number)
    if (!isNew || hash?.tag !== ASN1.octetString || more.length > 0) throw new ChipFault('malformed_data')
    hashes.set(number, hash.value)
  }
  return hashes
}

function parseVersion(info: Tlv): LdsVersion {
  if (info.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const [lds, unicode, ...more] = readTlvs(info.value)
  const isText = lds?.tag === PRINTABLE_STRING && unicode?.tag === PRINTABLE_STRING
  if (!isText || more.length > 0) throw new ChipFault('malformed_data')
  const version = { lds: toDigits(lds.value, 4), unicode: toDigits(unicode.value, 6) }
  if (!isKnownVersion(version) || version.lds < FIRST_STATED_LDS) throw new ChipFault('malformed_data')
  return version
}
