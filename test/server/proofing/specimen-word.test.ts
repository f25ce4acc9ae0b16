/** The words that mark a specimen, as they are printed and as readers misread them. */
import { describe, expect, test } from 'vitest'
import { isMarkedSpecimen } from '../../../server/proofing/specimen-word.ts'

/** Lines of text, each with its height; values are set at 0.04. */
type Printed = string | readonly [text: string, height: number]
const VALUES: readonly Printed[] = ['PASSPORT', 'GRUBER', 'ANNA', '12 AUG 1974', 'WIEN']

function pageOf(printed: readonly Printed[]) {
  const lines = printed.map((one, i) => {
    const [text, height] = typeof one === 'string' ? [one, 0.04] : one
    const box = { x: 0.1, y: i / 20, width: 0.4, height }
    return { box, words: text.split(' ').map((word) => ({ text: word, confidence: 0.9, box })) }
  })
  return { lines }
}
const isMarked = (printed: readonly Printed[], values: readonly string[] = []): boolean =>
  isMarkedSpecimen([pageOf([...VALUES, ...printed])], values)

describe('a document is a specimen', () => {
  test.each<[string, Printed]>([
    ['by the French word with its accent', 'SPÉCIMEN'],
    ['by the Spanish word', 'ESPÉCIMEN'],
    ['by the Portuguese word', 'Espécime'],
    ['where one letter was misread', 'SPECIMFN'],
    ['where a letter was taken for a figure', 'SPEC1MEN'],
    ['where a letter at the edge was lost', 'PÉCIMEN'],
    ['where its letters stand apart', 'S P É C I M E N'],
    ['beside other words', 'République française *SPÉCIMEN*'],
    ['by the German word in large print', ['MUSTER', 0.09]],
    ['by the Italian word in large print', ['MODELLO', 0.09]],
    ['by the Polish word in large print', ['WZÓR', 0.09]],
    ['by the Italian word in large print, a letter taken for a like one', ['M0DELLO', 0.09]],
    ['by the word in another script', ['ОБРАЗЕЦ', 0.09]],
  ])('%s', (_, printed) => {
    expect(isMarked([printed])).toBe(true)
  })
})

test('a word in large print is read in two pieces, with a value between', () => {
  const piece = (text: string, x: number, y: number, height: number) => {
    const box = { x, y, width: 0.2, height }
    return { box, words: [{ text, confidence: 0.8, box }] }
  }
  const across = (...pieces: readonly string[]) =>
    isMarkedSpecimen(
      [
        {
          lines: [
            ...pageOf(VALUES).lines,
            ...pieces.map((text, i) => piece(text, 0.5 - i / 4, 0.4 + i / 100, 0.1)),
          ],
        },
      ],
      [],
    )
  expect(across('ËCIMEN', 'ȘP')).toBe(true)
  expect(across('ËCIMEN')).toBe(true)
  expect(across('CIMEN', 'X')).toBe(false)
})

describe('a document is none', () => {
  test.each<[string, Printed, (readonly string[])?]>([
    ['with nothing of the kind', 'REPUBLIK ÖSTERREICH'],
    ['by a longer word', 'SPECIMENS'],
    ['by a word of which two letters differ', 'REGIMEN'],
    ['by a name that is such a word, in the print of the values', 'MUSTER'],
    ['by a name that is such a word, in large print', ['MUSTER', 0.09], ['Muster']],
    ['by a word among others', ['MODELO DE UTILIDAD', 0.09]],
    ['by a name that is one letter away from a short word', ['MUSTEL', 0.09]],
  ])('%s', (_, printed, values) => {
    expect(isMarked([printed], values)).toBe(false)
  })
})
