/** A line that was read, and the same line by the model of a language: letters of the language, and nothing else, come of it. */
import { describe, expect, test } from 'vitest'
import { spellAgain } from '../../../../../server/vision/documents/text/spell-again.ts'

const sure = (text: string, confidence = 0.95) => text.split(' ').map((word) => ({ text: word, confidence }))
const read = (text: string) =>
  text.split(' ').map((word) => ({ text: word, confidence: 0.95, isConfirmed: true }))
const spelled = (first: string, again: string, confidence?: number): string =>
  spellAgain(read(first), sure(again, confidence))
    .map(({ text, isConfirmed }) => (isConfirmed ? `${text}!` : text))
    .join(' ')

describe('a word', () => {
  test.each([
    ['CELIK', 'ÇELİK', 'ÇELİK!'],
    ['KOVĂCS', 'KOVÁCS', 'KOVÁCS!'],
    ['OZTURK', 'ÖZTÜRK', 'ÖZTÜRK!'],
    ['Kovacs', 'Kovács', 'Kovács!'],
  ])('has the marks of the language, and is as confirmed as it was: %s and %s', (first, again, text) => {
    expect(spelled(first, again)).toBe(text)
  })

  test.each([
    ['FIDAN BOŞIR QIZI', 'FIDAN BƏŞIR QIZI', 'FIDAN! BƏŞIR QIZI!'],
    ['LUKASZ', 'ŁUKASZ', 'ŁUKASZ'],
    ['MMDOV', 'MƏMMƏDOV', 'MƏMMƏDOV'],
    ['SKJAERVO', 'SKJÆRVØ', 'SKJÆRVØ'],
  ])('with a letter that the first readers lack is not confirmed: %s and %s', (first, again, text) => {
    expect(spelled(first, again)).toBe(text)
    const [word] = spellAgain(read(first), sure(again)).filter(({ isConfirmed }) => !isConfirmed)
    expect(word.confidence).toBeLessThan(0.85)
  })

  test.each([
    // Only one of both is right, and the model of the language is the first reader's sister.
    ['ERIKSSON', 'ERIKSSEN'],
    ['ADNAN', 'ADNAIN'],
    ['HORVAT', 'HORVA'],
  ])('keeps its other letters, whatever the language’s model reads: %s and %s', (first, again) => {
    expect(spelled(first, again)).toBe(`${first}!`)
  })

  test('loses a mark that the language’s model surely does not see, and no other', () => {
    expect(spelled('UTOPÍAN', 'UTOPIAN', 0.9)).toBe('UTOPIAN!')
    expect(spelled('GARCÍA', 'GARCIA', 0.7)).toBe('GARCÍA!')
  })

  test('stays as it is where the language’s model doubts', () => {
    expect(spelled('IRINA', 'İRİNA', 0.5)).toBe('IRINA!')
    expect(spelled('BOKIR', 'BƏKIR', 0.5)).toBe('BOKIR!')
  })
})

test('a line that the language’s model does not read stays, word for word', () => {
  const words = read('ADNAN OGLU')
  expect(spellAgain(words, [])).toEqual(words)
  expect(spellAgain([], sure('ADNAN'))).toEqual([])
})

test('blanks stay where they were', () => {
  expect(spelled('BƏKIR OGLU', 'BƏKIROĞLU')).toBe('BƏKIR! OĞLU!')
})
