/**
 * Header of a North American card's barcode: issuer, version of the standard, and offsets of its subfiles. Located by its
 * marker, because keyboard scanners corrupt the characters before it.
 */

export interface AamvaHeader {
  readonly iin: string
  /** 0: older than the first version of the standard. */
  readonly version: number
  readonly subfileTypes: readonly string[]
  /** Start of each subfile in the text according to the header's table; empty if the table is wrong or unreadable. */
  readonly subfileStarts: readonly number[]
  /** Index of the first character after the header. */
  readonly end: number
  readonly deviations: readonly string[]
}

const START = '@\n\u001e\r'
/** Cards from before the standard have irregular spaces after the marker and around numbers. */
const MARK = /(ANSI|AAMVA) *(\d{6})/
/** Version, jurisdiction version (since 2003), number of subfiles. */
const COUNTS = /^ *(\d{2}) ?(\d{2})? ?(\d{2}|\d| {1,2})(?=(?:DL|ID|EN|Z[A-Z\d]))/
const ENTRY = /^(DL|ID|EN|Z[A-Z\d])([\d ]{4})([\d ]{4})/
/** Letters instead of digits, or too few of them (Alberta). The type is repeated in the following element's name. */
const BROKEN_ENTRY = /^(DL|ID|EN|Z[A-Z\d])(\w{3,8}?)(?=(?:DL|ID|EN|Z\w)[DZ][A-Z]{2})/
/** Other text between the table and the first element. */
const GARBAGE = /^(?!(?:DL|ID|EN)? ?D[A-D][A-Z])[^\n\r]+?(?=(?:DL|ID|EN)D[A-D][A-Z])/

/** Returns null if the text contains no header. */
export function readHeader(text: string): AamvaHeader | null {
  const mark = MARK.exec(text)
  if (!mark) return null
  const [whole, word, iin] = mark
  const deviations: string[] = []
  if (word === 'AAMVA') deviations.push('HEADER_MARK')
  if (text.slice(0, mark.index) !== START) deviations.push('HEADER_START')
  const afterMark = mark.index + whole.length
  const counts = COUNTS.exec(text.slice(afterMark))
  if (!counts) {
    const version = /^ *(\d{2})/.exec(text.slice(afterMark))?.[1]
    const end = afterMark + (/^[\d ]*/.exec(text.slice(afterMark))?.[0].length ?? 0)
    const none = { subfileTypes: [], subfileStarts: [] }
    return { iin, version: Number(version ?? 0), ...none, end, deviations: [...deviations, 'HEADER_COUNTS'] }
  }
  const version = Number(counts[1])
  if (version > 10) deviations.push('VERSION_UNKNOWN')
  const table = readTable(text, afterMark + counts[0].length)
  // Offsets count from the file's first character, which may have been lost or doubled.
  const shifts = [0, mark.index - START.length]
  const starts = shifts
    .map((shift) => table.entries.map(({ offset }) => offset + shift))
    .find((all) => all.every((start, i) => text.startsWith(table.entries[i].type, start)))
  if (table.isBroken) deviations.push('SUBFILE_TABLE')
  else if (!starts) deviations.push('SUBFILE_OFFSET')
  return {
    iin,
    version,
    subfileTypes: table.types,
    subfileStarts: table.isBroken ? [] : (starts ?? []),
    end: table.end,
    deviations,
  }
}

interface SubfileTable {
  readonly types: readonly string[]
  readonly entries: readonly { readonly type: string; readonly offset: number }[]
  readonly end: number
  readonly isBroken: boolean
}

/** Reads entries as long as they follow, because the stated number is unreliable. */
function readTable(text: string, start: number): SubfileTable {
  const entries: { type: string; offset: number }[] = []
  let end = start
  for (;;) {
    const rest = text.slice(end, end + 20)
    const [whole, type, offset] = ENTRY.exec(rest) ?? []
    if (whole !== undefined) {
      entries.push({ type, offset: Number(offset.trim()) })
      end += whole.length
      continue
    }
    const [broken, brokenType] = BROKEN_ENTRY.exec(rest) ?? []
    const types = entries.map((entry) => entry.type)
    if (broken === undefined) {
      const garbage = GARBAGE.exec(text.slice(end, end + 60))?.[0]
      return {
        types,
        entries,
        end: end + (garbage?.length ?? 0),
        isBroken: garbage !== undefined || types.length === 0,
      }
    }
    return { types: [...types, brokenType], entries, end: end + broken.length, isBroken: true }
  }
}
