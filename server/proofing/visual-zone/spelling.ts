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
const SHAPE_GROUPS = SHAPES.map((group) => new Set(group))
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

export function looksAlike(a: string, b: string): boolean {
  return a === b || SHAPE_GROUPS.some((group) => group.has(a) && group.has(b))
}

/** So many errors are a difference where the text was read with certainty: one character for another that is not alike. */
export const LEAST_ERRORS = 1

/** Costs in tenths: an exchange of like shapes is half an error; a letter too many or too few is a whole one. */
const COST = { like: 5, other: 10 }

/** How many errors of a reader lie between two texts in capitals; shapes that are alike count half. */
export function readingErrors(a: string, b: string): number {
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
      for (const [one, two] of JOINED) {
        if (i > 0 && j > 1 && a[i - 1] === one && b.slice(j - 2, j) === two)
          best = Math.min(best, costs[(i - 1) * width + j - 2] + COST.like)
        if (i > 1 && j > 0 && b[j - 1] === one && a.slice(i - 2, i) === two)
          best = Math.min(best, costs[(i - 2) * width + j - 1] + COST.like)
      }
      costs[i * width + j] = best
    }
  return costs[costs.length - 1] / 10
}
