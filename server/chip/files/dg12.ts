/**
 * DG12: additional details of the document (ICAO Doc 9303-10, 4.7.12). Every element is optional; an element that is present must
 * stand in the list of the file.
 */
import { findValue, readTlv } from '../tlv.ts'
import { readListed, readOthers } from './listed-elements.ts'
import { recogniseImage, toPackedDigits, toWords, type ChipImage } from './values.ts'

export interface Dg12 {
  readonly issuingAuthority: string | null
  /** YYYYMMDD. */
  readonly dateOfIssue: string | null
  readonly otherPersons: readonly string[]
  readonly endorsements: string | null
  readonly taxOrExit: string | null
  /** Pictures of the front and the rear. Null also if the format is neither JPEG nor JPEG 2000. */
  readonly front: ChipImage | null
  readonly rear: ChipImage | null
  /** YYYYMMDDhhmmss. */
  readonly personalisedAt: string | null
  readonly personalisationSerialNumber: string | null
}

/** @throws ChipFault malformed_data */
export function parseDg12(file: Uint8Array): Dg12 {
  const objects = readListed(readTlv(file, 0x6c).value)
  const find = <Value>(tag: number, read: (value: Uint8Array) => Value): Value | null => {
    const value = findValue(objects, tag)
    return value === null ? null : read(value)
  }
  return {
    issuingAuthority: find(0x5f19, toWords),
    dateOfIssue: find(0x5f26, (value) => toPackedDigits(value, 8)),
    otherPersons: readOthers(objects, 0x5f1a).map(toWords),
    endorsements: find(0x5f1b, toWords),
    taxOrExit: find(0x5f1c, toWords),
    front: find(0x5f1d, recogniseImage),
    rear: find(0x5f1e, recogniseImage),
    personalisedAt: find(0x5f55, (value) => toPackedDigits(value, 14)),
    personalisationSerialNumber: find(0x5f56, toWords),
  }
}
