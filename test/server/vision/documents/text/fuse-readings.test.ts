/** Two readings of one line become one: what both agree on is confirmed, and nothing else is. */
import { describe, expect, test } from 'vitest'
import { fuseReadings, type ReadLetter } from '../../../../../server/vision/documents/text/fuse-readings.ts'

const byTesseract = (text: string, confidence = 0.9) =>
  text === '' ? [{ text: '', confidence: 0 }] : text.split(' ').map((word) => ({ text: word, confidence }))
const byNetwork = (text: string, confidence = 0.99): ReadLetter[] =>
  [...text].map((character) => ({ character, confidence }))
/** Words, the confirmed ones marked. */
const fused = (own: string, told: string, sure = 0.9, letterSure = 0.99): string =>
  fuseReadings(byTesseract(own, sure), byNetwork(told, letterSure))
    .map(({ text, isConfirmed }) => (isConfirmed ? `${text}!` : text))
    .join(' ')

describe('a word', () => {
  test.each([
    // tesseract, network, both
    ['ERIKSSON', 'ERIKSSON', 'ERIKSSON!'],
    ['ANNA MARIA', 'ANNAMARIA', 'ANNA! MARIA!'],
    ['12 AUG 1974', '12AUG1974', '12! AUG! 1974!'],
    ['GÜNTHER', 'GUNTHER', 'GÜNTHER!'],
    ['LEFEVRE', 'LEFÈVRE', 'LEFÈVRE!'],
    ["O'BRIEN", 'OBRIEN', "O'BRIEN!"],
    ['D’AVENCON', "D'AVENCON", "D'AVENCON!"],
    ['31.08.2028', '31082028', '31.08.2028!'],
    ['22,05,1975', '22.05.1975', '22.05.1975!'],
    ['22.05.1975', '22,05.1975', '22,05.1975!'],
  ])('that both read alike is confirmed, marks, blanks and signs aside: %s and %s', (own, told, both) => {
    expect(fused(own, told)).toBe(both)
  })

  test.each([
    ['L8989O2C3', 'L898902C3', 'L898902C3'],
    ['12.08.1914', '12.08.1974', '12.08.1974'],
    ['ERIKSS0N', 'ERIKSSON', 'ERIKSSON'],
    ['HAKAN', 'HAKAM', 'HAKAM'],
    ['ERIKSON', 'ERIKSSON', 'ERIKSSON'],
    ['ERIKSSON', 'ERIKSON', 'ERIKSSON'],
  ])('that they read differently is the network’s and not confirmed: %s and %s', (own, told, text) => {
    expect(fused(own, told)).toBe(text)
    expect(fuseReadings(byTesseract(own), byNetwork(told))[0].confidence).toBeLessThan(0.85)
  })

  test.each([
    ['JØRGENSEN', 'JORGENSEN'],
    ['ŁUCJA', 'LUCJA'],
  ])('keeps a stroke that the network has no letter for, and is not confirmed: %s and %s', (own, told) => {
    expect(fused(own, told)).toBe(own)
  })

  test.each([
    // As real and drawn pages had them: doubled, read small, read as a sign, or not at all.
    ['mM', 'M', 'M'],
    ['m', 'M', 'M!'],
    ['®', 'F', 'F'],
    ['', 'F', 'F'],
  ])('of one letter by itself is as the network surely reads it: %s and %s', (own, told, both) => {
    expect(fused(own, told, 0.64)).toBe(both)
  })

  test('of one letter by itself loses what else the network half saw beside it', () => {
    const letters = [...byNetwork('F'), ...byNetwork('O', 0.77)]
    expect(fuseReadings(byTesseract('F'), letters)).toMatchObject([{ text: 'F', isConfirmed: true }])
    expect(fuseReadings(byTesseract('FO'), letters)[0].text).toBe('FO')
  })

  test('keeps the comma behind it that the network takes for a point', () => {
    expect(fused('SALTERNE, ZZ', 'SALTERNE.ZZ')).toBe('SALTERNE,! ZZ!')
    expect(fused('22,05,1975', '22.05.1975')).toBe('22.05.1975!')
  })

  test('of one letter by itself stays as it is where the network doubts', () => {
    expect(fused('F', 'P', 0.9, 0.4)).toBe('F')
  })

  test('that the network was not sure of stays as tesseract read it', () => {
    expect(fused('HAKAN', 'HAKAM', 0.9, 0.4)).toBe('HAKAN')
  })

  test('that the network did not read at all is not confirmed, and a speck of it vanishes', () => {
    expect(fused('ERIKSSON', '')).toBe('ERIKSSON')
    expect(fused('5 DEUTSCH', 'DEUTSCH')).toBe('DEUTSCH!')
    expect(fused('01-01-198€0', '01-01-1980')).toBe('01-01-1980!')
    expect(fused('M°B', 'MB')).toBe('MB!')
  })

  test('that tesseract did not read at all is the network’s, and not confirmed', () => {
    expect(fused('', 'CITIZEN')).toBe('CITIZEN')
    expect(fused('', '')).toBe('')
  })

  test('is surer than either reader where both agree: they know nothing of each other', () => {
    const [{ confidence }] = fuseReadings(byTesseract('ERIKSSON', 0.7), byNetwork('ERIKSSON', 0.95))
    expect(confidence).toBeCloseTo(0.985)
  })

  test('has the J that tesseract takes for a bracket once', () => {
    expect(fused('904066)F9XF', '904066JF9XF')).toBe('904066JF9XF')
    expect(fused('ŽEL)KA', 'ZELJKA')).toBe('ŽELJKA')
    expect(fused('ŽEL)JKA', 'ZELJKA')).toBe('ŽELJKA!')
    expect(fused('Nome(s)de', 'Nomesde')).toContain('(s)')
    expect(fused('(POB) 12', '(POB)12')).toBe('(POB)! 12!')
  })

  test('of letters has no figure that the network doubts, and is not confirmed by it', () => {
    const unsure = (text: string) =>
      byNetwork(text).map((l) => (/[01]/.test(l.character) ? { ...l, confidence: 0.51 } : l))
    const read = (own: string, told: string) => fuseReadings(byTesseract(own), unsure(told))[0]
    expect(read('MIRADOR,', 'MIRAD0R,')).toMatchObject({ text: 'MIRADOR,', isConfirmed: false })
    expect(read('MIRADOR', 'M1RADOR').text).toBe('MIRADOR')
    // A number is not made of letters alone, and a figure that the network is sure of is printed.
    expect(read('RTOX91', 'RT0X91').text).toBe('RT0X91')
    expect(fused('MIRADOR', 'MIRAD0R')).toBe('MIRAD0R')
  })

  test('has no figure of a speck before a date, and no sign that parts no figures', () => {
    expect(fused('106/2025', '06/2025', 0.84)).toBe('06/2025')
    expect(fused('202:2', '2022')).toBe('2022!')
    expect(fused('16-06<-2004', '16-06-2004')).toBe('16-06-2004!')
  })

  test('keeps the capital of a letter that tesseract reads small beside a sign', () => {
    expect(fused('E/m', 'E/M')).toBe('E/M!')
  })

  test('of letters that no Latin page has is not made of them', () => {
    expect(fused('', '米')).toBe('')
    expect(fused('MALTA', 'MAL米TA')).toBe('MALTA!')
  })

  test('in capitals has no small letter of the same shape', () => {
    expect(fused('OGLo', 'OGLO')).toBe('OGLO!')
    expect(fused('Sojli', 'Sojli')).toBe('Sojli!')
  })
})

test('a blank that only the network saw parts the words', () => {
  expect(fused('LICENCENO', 'LICENCE NO')).toBe('LICENCE NO!')
})

test('each word tells of which of tesseract’s it was made', () => {
  const words = fuseReadings(byTesseract('A ERIKSSON 7'), byNetwork('ERIKSSON'))
  expect(words.map(({ text, word }) => [text, word])).toEqual([['ERIKSSON', 1]])
})
