/**
 * DG11: additional personal details (ICAO Doc 9303-10, 4.7.11), with the real letters of the name. Every element is optional; an
 * element that is present must stand in the list of the file.
 */
import { findValue, readTlv } from '../tlv.ts'
import { readListed, readOthers } from './listed-elements.ts'
import { recogniseImage, toPackedDigits, toText, toWords, type ChipImage } from './values.ts'

export interface ChipName {
  /** Primary identifier. */
  readonly surname: string
  /** Secondary identifier; empty if the name has none. */
  readonly givenNames: string
}

export interface Dg11 {
  readonly name: ChipName | null
  readonly otherNames: readonly ChipName[]
  readonly personalNumber: string | null
  /** YYYYMMDD; zeros for a part that is unknown. */
  readonly dateOfBirth: string | null
  /** Parts from the small to the large place. */
  readonly placeOfBirth: readonly string[] | null
  readonly address: readonly string[] | null
  readonly telephone: string | null
  readonly profession: string | null
  readonly title: string | null
  readonly personalSummary: string | null
  /** Null also if its format is neither JPEG nor JPEG 2000. */
  readonly proofOfCitizenship: ChipImage | null
  readonly otherDocuments: readonly string[] | null
  readonly custody: string | null
}

/** @throws ChipFault malformed_data */
export function parseDg11(file: Uint8Array): Dg11 {
  const objects = readListed(readTlv(file, 0x6b).value)
  const find = <Value>(tag: number, read: (value: Uint8Array) => Value): Value | null => {
    const value = findValue(objects, tag)
    return value === null ? null : read(value)
  }
  return {
    name: find(0x5f0e, toName),
    otherNames: readOthers(objects, 0x5f0f).map(toName),
    personalNumber: find(0x5f10, toWords),
    dateOfBirth: find(0x5f2b, (value) => toPackedDigits(value, 8)),
    placeOfBirth: find(0x5f11, toParts),
    address: find(0x5f42, toParts),
    telephone: find(0x5f12, toWords),
    profession: find(0x5f13, toWords),
    title: find(0x5f14, toWords),
    personalSummary: find(0x5f15, toWords),
    proofOfCitizenship: find(0x5f16, recogniseImage),
    otherDocuments: find(0x5f17, toParts),
    custody: find(0x5f18, toWords),
  }
}

/** `SURNAME<<GIVEN<NAMES`: a filler is a space. */
function toName(value: Uint8Array): ChipName {
  const [surname = '', ...given] = toText(value).split('<<')
  return { surname: toSpaces(surname), givenNames: toSpaces(given.join(' ')) }
}

function toSpaces(text: string): string {
  return text.replaceAll('<', ' ').trim()
}

function toParts(value: Uint8Array): string[] {
  return toText(value).split('<')
}
