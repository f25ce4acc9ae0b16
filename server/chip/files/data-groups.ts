/** The data groups of the eMRTD application (ICAO Doc 9303-10, tables 38 and 39). */

/** Number of the group → tag of its template. */
export const DATA_GROUP_TAGS: Readonly<Record<number, number>> = {
  1: 0x61,
  2: 0x75,
  3: 0x63,
  4: 0x76,
  5: 0x65,
  6: 0x66,
  7: 0x67,
  8: 0x68,
  9: 0x69,
  10: 0x6a,
  11: 0x6b,
  12: 0x6c,
  13: 0x6d,
  14: 0x6e,
  15: 0x6f,
  16: 0x70,
}

/** Returns the number of the group, or null for a tag that is none. */
export function findDataGroup(tag: number): number | null {
  const found = Object.entries(DATA_GROUP_TAGS).find(([, each]) => each === tag)
  return found === undefined ? null : Number(found[0])
}

/** A version of the data structure and of Unicode, as EF.COM and EF.SOD state it. */
export interface LdsVersion {
  /** Four digits, such as 0107. */
  readonly lds: string
  /** Six digits, such as 040000. */
  readonly unicode: string
}

/** The versions in use; 0106 is that of the worked example. A later one has a form that this program does not know. */
const KNOWN_LDS: readonly string[] = ['0106', '0107', '0108']

export function isKnownVersion({ lds, unicode }: LdsVersion): boolean {
  return KNOWN_LDS.includes(lds) && unicode === '040000'
}
