/** Tests whether every letter of a name, with its mark, follows from the spelling in an MRZ or barcode. */
import { spellName, doesSpell } from './name-spelling.ts'

/**
 * False if the name has more or less than its components, or if a letter has a mark that the spelling does not imply:
 * then only one recogniser has seen the mark.
 */
export function isSpelledOut(name: string, components: readonly string[]): boolean {
  const expected = components.join('')
  const isSpelled = (text: string): boolean => {
    const spelled = spellName(text)
    return expected !== '' && spelled !== null && doesSpell(spelled.flat(), expected)
  }
  const letters = [...name.normalize('NFC')]
  return (
    isSpelled(name) &&
    letters.every((letter, at) =>
      plainLetters(letter).every(
        (plain) => !isSpelled([...letters.slice(0, at), plain, ...letters.slice(at + 1)].join('')),
      ),
    )
  )
}

/** Letters A to Z as which a letter with a mark may be written. */
function plainLetters(letter: string): readonly string[] {
  if (/^\P{L}|[A-Za-z]$/u.test(letter)) return []
  return (spellName(letter)?.flat()[0] ?? []).filter((way) => way.length === 1)
}
