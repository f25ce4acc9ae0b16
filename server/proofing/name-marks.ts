/** Whether every letter of a name, with its mark, follows from how a zone or barcode spells the name. */
import { spellName, spells } from './name-spelling.ts'

/**
 * False where the name says less or more than its components, and where a letter bears a mark that the spelling would have
 * without it too: then one reader alone has seen the mark.
 */
export function isSpelledOut(name: string, components: readonly string[]): boolean {
  const expected = components.join('')
  const isSpelled = (text: string): boolean => {
    const spelled = spellName(text)
    return expected !== '' && spelled !== null && spells(spelled.flat(), expected)
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

/** The letters of A to Z that a letter beyond them may be written as. */
function plainLetters(letter: string): readonly string[] {
  if (/^\P{L}|[A-Za-z]$/u.test(letter)) return []
  return (spellName(letter)?.flat()[0] ?? []).filter((way) => way.length === 1)
}
