/**
 * Elements of a card's barcode by their three-letter names. Normally one per line; if separators were lost, the names are
 * searched. Drops the social security number.
 */
import type { AamvaHeader } from './header.ts'
import { segment } from './segment.ts'

export interface AamvaElements {
  /** First non-placeholder value, otherwise the placeholder; null if the card lacks the element. */
  get(id: string): string | null
  readonly size: number
  readonly deviations: readonly string[]
}

/** Version 1 allows the social security number here (later editions do not use the name). It must never be stored. */
const SOCIAL_SECURITY_NUMBER = 'DBK'

/** Control characters including the tab, and the line ends of Unicode. */
const LINE_ENDS = /[\p{Cc}\u2028\u2029]+/u
const TYPE_BEFORE_ELEMENT = /^(?:DL|ID|EN) *(?=[DP][A-Z]{2})/
const ELEMENT = /^(D[A-D][A-Z]|P[A-D][A-Z])(.*)$/s
/** Elements of fixed width, which reveal a lost separator: dates, and one-letter answers. */
const FIXED: readonly (readonly [ids: RegExp, value: RegExp])[] = [
  [/^(DB[ABD]|DD[BCHIJ])$/, /^\d{8}/],
  [/^(DBC|DD[AEFG]|DD[DKL])$/, /^[A-Z\d]/],
]
/** Allowed continuations: the next element, or a subfile of the jurisdiction. A typed CR may have become the letter M. */
const NEXT = /(?:DL|ID|EN)?(D[A-D][A-Z]|Z[A-Z]{2}).*$/s
/** The separators are lost if there are fewer element lines. The shortest card has ten elements. */
const FEWEST_LINES = 6

export function readElements(text: string, header: AamvaHeader | null): AamvaElements {
  const values = new Map<string, string>()
  const deviations = new Set<string>()
  const put = (id: string, value: string): void => {
    if (id === SOCIAL_SECURITY_NUMBER) {
      deviations.add('SOCIAL_SECURITY_NUMBER')
      return
    }
    const trimmed = value.trim()
    if ((values.get(id) ?? '') === '') values.set(id, trimmed)
  }
  const body = findBodies(text, header).join('\n')
  for (const line of body.split(LINE_ENDS)) readLine(line, put, deviations)
  const found = values.size < FEWEST_LINES ? segment(body) : []
  if (found.length > values.size) {
    values.clear()
    deviations.add('SEPARATORS')
    for (const [id, value] of found) put(id, value)
  }
  return { get: (id) => values.get(id) ?? null, size: values.size, deviations: [...deviations] }
}

/**
 * If a subfile's end was lost or typed as the letter M (Ctrl+M), the next subfile begins within the line: its type occurs
 * twice, once for itself and once in the name of its first element.
 */
function partSubfiles(text: string, { subfileTypes }: AamvaHeader): string {
  const local = subfileTypes.filter((type) => type.startsWith('Z')).map((type) => `${type}${type}`)
  return local.reduce((parted, start) => parted.replace(new RegExp(`M?(?=${start}[A-Z])`), '\n'), text)
}

/** Only card subfiles: those of a jurisdiction contain no standard elements. */
function findBodies(text: string, header: AamvaHeader | null): readonly string[] {
  if (!header) return [text]
  const { subfileTypes, subfileStarts, end } = header
  if (subfileStarts.length === 0) return [partSubfiles(text.slice(end), header)]
  const bounds = [...subfileStarts, text.length].sort((a, b) => a - b)
  return subfileStarts
    .map((start, i) => ({
      type: subfileTypes[i],
      body: text.slice(
        start,
        bounds.find((bound) => bound > start),
      ),
    }))
    .filter(({ type }) => !type.startsWith('Z'))
    .map(({ body }) => partSubfiles(body, header))
}

function readLine(line: string, put: (id: string, value: string) => void, deviations: Set<string>): void {
  const bare = line.replace(/^[^A-Z]+/, '').replace(TYPE_BEFORE_ELEMENT, '')
  const [, id, value] = ELEMENT.exec(bare) ?? []
  if (id === undefined) return
  const width = FIXED.find(([ids]) => ids.test(id))?.[1]
  const fixed = width?.exec(value)?.[0]
  if (fixed === undefined) {
    put(id, value)
    return
  }
  put(id, fixed)
  const rest = value.slice(fixed.length)
  if (rest.trim() === '') return
  deviations.add('TRAILING_CHARACTERS')
  const next = NEXT.exec(rest)
  if (next && !next[1].startsWith('Z')) readLine(rest.slice(rest.indexOf(next[1])), put, deviations)
}
