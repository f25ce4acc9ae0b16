/** Normalises text for comparison (no marks, case or signs), and computes the distance of two texts in reading errors. */

/** Lower-case letters and digits, words separated by single spaces; other scripts are kept. */
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
 * Groups of characters that recognisers confuse. From readings of tesseract's English model on specimens and photographs
 * (21 Nov 2026) and common lists.
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
/** One bit per group that contains the character. */
const GROUPS_OF: ReadonlyMap<string, number> = SHAPES.reduce((groups, group, i) => {
  for (const sign of group) groups.set(sign, (groups.get(sign) ?? 0) | (1 << i))
  return groups
}, new Map<string, number>())
/** Letters that look like a pair of letters. */
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

/** Errors that count as a difference in a certain text: one dissimilar character. */
export const MIN_ERRORS = 1

/** Costs in tenths: half an error for similar shapes, one for an added or missing letter. */
const COST = { like: 5, other: 10 }

/** Number of reading errors between two upper-case texts; similar shapes count half. */
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
      if (i > 0 && j > 1 && isPair(a[i - 1], b, j - 2))
        best = Math.min(best, costs[(i - 1) * width + j - 2] + COST.like)
      if (i > 1 && j > 0 && isPair(b[j - 1], a, i - 2))
        best = Math.min(best, costs[(i - 2) * width + j - 1] + COST.like)
      costs[i * width + j] = best
    }
  return costs[costs.length - 1] / 10
}

function isPair(one: string, text: string, at: number): boolean {
  const pairs = PAIRS_OF.get(one)
  return pairs !== undefined && pairs.some((pair) => text.startsWith(pair, at))
}

/** One bit per letter, modulo 32: an edit changes at most two bits. */
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
