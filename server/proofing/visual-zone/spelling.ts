/** Text as it is compared: without marks, case and signs; and how far two texts lie apart as a reader of print errs. */

/** Small letters and digits, words apart by one blank; letters of other scripts stay. */
export function bareText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => FOLDED[letter])
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

const FOLDED: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

/**
 * Characters that readers of print take for each other: one group, one shape. From the readings of tesseract's English
 * model on specimens and photographs (21 Nov 2026) and the usual lists.
 */
const SHAPES: readonly string[] = [
  '0OQDUC',
  '1ILJTY7',
  '2Z7',
  '5S$',
  '6GCB',
  '8BS3',
  '9GQ4',
  '4AH',
  'EFPR',
  'HNMKW',
  'UVWY',
  'XKY',
  'TFIY',
  'EC',
  'AR',
]
/** One bit for each group that a character is in. */
const GROUPS_OF: ReadonlyMap<string, number> = SHAPES.reduce((groups, group, i) => {
  for (const sign of group) groups.set(sign, (groups.get(sign) ?? 0) | (1 << i))
  return groups
}, new Map<string, number>())
/** Letters that look like two others together. */
export const JOINED: readonly (readonly [one: string, two: string])[] = [
  ['M', 'RN'],
  ['M', 'IN'],
  ['M', 'NI'],
  ['W', 'VV'],
  ['D', 'CL'],
  ['N', 'RI'],
  ['U', 'LI'],
  ['H', 'LI'],
  ['K', 'IC'],
  ['B', 'IS'],
  ['O', 'CI'],
]

const PAIRS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  JOINED.map(([one]) => [one, JOINED.flatMap(([other, pair]) => (other === one ? [pair] : []))]),
)

export function looksAlike(a: string, b: string): boolean {
  return a === b || ((GROUPS_OF.get(a) ?? 0) & (GROUPS_OF.get(b) ?? 0)) !== 0
}

/** So many errors are a difference where the text was read with certainty: one character for another that is not alike. */
export const MIN_ERRORS = 1

/** Costs in tenths: an exchange of like shapes is half an error; a letter too many or too few is a whole one. */
const COST = { like: 5, other: 10 }

/** How many errors of a reader lie between two texts in capitals; shapes that are alike count half. */
export function readingErrors(a: string, b: string): number {
  if (a === b) return 0
  const width = b.length + 1
  const costs = new Float64Array((a.length + 1) * width)
  for (let i = 0; i <= a.length; i++)
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 && j === 0) continue
      let best = Infinity
      if (i > 0) best = costs[(i - 1) * width + j] + COST.other
      if (j > 0) best = Math.min(best, costs[i * width + j - 1] + COST.other)
      if (i > 0 && j > 0) {
        const [x, y] = [a[i - 1], b[j - 1]]
        const step = x === y ? 0 : looksAlike(x, y) ? COST.like : COST.other
        best = Math.min(best, costs[(i - 1) * width + j - 1] + step)
      }
      if (i > 0 && j > 1 && isPairOf(a[i - 1], b, j - 2))
        best = Math.min(best, costs[(i - 1) * width + j - 2] + COST.like)
      if (i > 1 && j > 0 && isPairOf(b[j - 1], a, i - 2))
        best = Math.min(best, costs[(i - 2) * width + j - 1] + COST.like)
      costs[i * width + j] = best
    }
  return costs[costs.length - 1] / 10
}

function isPairOf(one: string, text: string, at: number): boolean {
  const pairs = PAIRS_OF.get(one)
  return pairs !== undefined && pairs.some((pair) => text.startsWith(pair, at))
}

/** One bit for each letter of the text, letters 32 places apart in one: an edit changes two of the bits at most. */
export function letterBits(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits
}

export function countBits(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}
