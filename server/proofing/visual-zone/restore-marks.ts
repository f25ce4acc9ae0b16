/**
 * A name as it was read off the page, by a reader that loses marks on letters, and the same name in the zone, which
 * spells some marked letters with two or three → the name with its marks, where the zone leaves one way only. No guesses.
 */
import { spellName, spells } from '../name-spelling.ts'

/** What is printed with a mark and read without, and how a zone may then write it (Doc 9303 part 3, section 6). */
const MARKED: readonly (readonly [plain: string, marked: string, spelled: readonly string[]])[] = [
  ['A', 'Ä', ['AE']],
  ['A', 'Å', ['AA']],
  ['N', 'Ñ', ['NXX']],
  ['O', 'Ö', ['OE']],
  ['O', 'Ø', ['OE']],
  ['U', 'Ü', ['UE', 'UXX']],
]

/** More than one way is as many as any number. */
const TWO = 2

/** `zoneName`: the name's components as the zone has them, apart by blanks or not. The text itself when nothing is sure. */
export function restoreMarks(printed: string, zoneName: string): string {
  const zone = zoneName.replace(/[^A-Z]/g, '')
  const plain = spellName(printed)
  if (zone === '' || !plain || spells(plain.flat(), zone)) return printed
  const ways = waysToSpell([...printed.normalize('NFC')], zone)
  return ways.length === 1 ? ways[0] : printed
}

/** The texts, two at most, that the printed letters may stand for so that the zone spells them. */
function waysToSpell(signs: readonly string[], zone: string): readonly string[] {
  // By how much of the zone is used up: what was printed so far, in which ways.
  let ends = new Map<number, readonly string[]>([[0, ['']]])
  for (const sign of signs) {
    const next = new Map<number, readonly string[]>()
    for (const [end, texts] of ends)
      for (const [letter, spelled] of meanings(sign))
        if (zone.startsWith(spelled, end)) {
          const at = end + spelled.length
          const more = texts.map((text) => text + letter)
          next.set(at, [...new Set([...(next.get(at) ?? []), ...more])].slice(0, TWO))
        }
    ends = next
  }
  return ends.get(zone.length) ?? []
}

/** What a sign may stand for, each with one of its spellings; signs between letters have none. */
function meanings(sign: string): readonly (readonly [letter: string, spelled: string])[] {
  const own = spellName(sign)?.flat()[0] ?? ['']
  const capital = sign.toUpperCase()
  const isCapital = sign === capital
  // A mark above was seen and taken for another of its kind; the stroke of Ø lies within the letter.
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
