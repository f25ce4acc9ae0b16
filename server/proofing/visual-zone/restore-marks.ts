/**
 * Restores marks in a name whose reading lost them, using the MRZ, which spells some marked letters with two or three
 * letters. Changes the name only if exactly one way fits.
 */
import { spellName, doesSpell } from '../name-spelling.ts'

/** Plain letter as read, marked letter as printed, and its possible MRZ spellings (Doc 9303 part 3, section 6). */
const MARKED: readonly (readonly [plain: string, marked: string, spelled: readonly string[]])[] = [
  ['A', 'Ä', ['AE']],
  ['A', 'Å', ['AA']],
  ['N', 'Ñ', ['NXX']],
  ['O', 'Ö', ['OE']],
  ['O', 'Ø', ['OE']],
  ['U', 'Ü', ['UE', 'UXX']],
]

/** More than one way is ambiguous, so two are enough. */
const TWO = 2

/** `mrzName`: components in the MRZ, with or without spaces. Returns the text unchanged if it is ambiguous. */
export function restoreMarks(printed: string, mrzName: string): string {
  const mrz = mrzName.replace(/[^A-Z]/g, '')
  const plain = spellName(printed)
  if (mrz === '' || !plain || doesSpell(plain.flat(), mrz)) return printed
  const ways = waysToSpell([...printed.normalize('NFC')], mrz)
  return ways.length === 1 ? ways[0] : printed
}

/** Up to two texts for which the printed letters may stand and which the MRZ spells. */
function waysToSpell(signs: readonly string[], mrz: string): readonly string[] {
  // Keyed by the number of MRZ letters consumed: possible texts so far.
  let ends = new Map<number, readonly string[]>([[0, ['']]])
  for (const sign of signs) {
    const next = new Map<number, readonly string[]>()
    for (const [end, texts] of ends)
      for (const [letter, spelled] of meanings(sign))
        if (mrz.startsWith(spelled, end)) {
          const at = end + spelled.length
          const more = texts.map((text) => text + letter)
          next.set(at, [...new Set([...(next.get(at) ?? []), ...more])].slice(0, TWO))
        }
    ends = next
  }
  return ends.get(mrz.length) ?? []
}

/** Letters for which a character may stand, each with one of its spellings; separators have none. */
function meanings(sign: string): readonly (readonly [letter: string, spelled: string])[] {
  const own = spellName(sign)?.flat()[0] ?? ['']
  const capital = sign.toUpperCase()
  const isCapital = sign === capital
  // A mark above was read but confused with another one; the stroke of Ø is inside the letter.
  const [base, ...marks] = capital.normalize('NFD')
  const may = ([plain, marked]: (typeof MARKED)[number]) =>
    plain === base && (marks.length === 0 || marked.normalize('NFD').length > 1)
  return [
    ...own.map((spelled) => [sign, spelled] as const),
    ...MARKED.filter(may).flatMap(([, marked, ways]) =>
      ways.map((way) => [isCapital ? marked : marked.toLowerCase(), way] as const),
    ),
  ]
}
