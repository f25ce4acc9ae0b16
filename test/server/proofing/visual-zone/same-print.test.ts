/** Tests what a reader makes of one print: which two texts may be readings of it, and which marks it lost. */
import { describe, expect, test } from 'vitest'
import { restoreMarks } from '../../../../server/proofing/visual-zone/restore-marks.ts'
import { isMisreading, isSameReading } from '../../../../server/proofing/visual-zone/same-reading.ts'

describe('two readings of one print', () => {
  test.each([
    ['ERIKSSON', 'ERIKSSON', true],
    ['ANNA', 'ANNX', true],
    ['ANNA', 'AXXA', false],
    ['ANNA', 'ANNAX', true],
    ['ANN', 'ANNA', false],
    ['EVA', 'EUA', true],
    ['EVA', 'EXA', false],
    ['ERIKSSON', 'ER1KSSXN', true],
    ['ERIKSSON', 'EXIKSSXN', false],
    ['ERIKSSONSEN', 'EXIKSSXNSEN', false],
    ['MARIA', 'RNARIA', true],
    ['', '', true],
    ['', 'A', false],
  ])('%j and %j: %s', (a, b, isOne) => {
    expect(isSameReading(a, b)).toBe(isOne)
    expect(isSameReading(b, a)).toBe(isOne)
  })
})

describe('shapes taken for others', () => {
  test.each([
    ['ERIKSSON', 'ERIKSSON'],
    ['ER1KSSON', 'ERIKSSON'],
    ['FRIKSSON', 'ERIKSSON'],
    ['ER1KSS0N', 'ERIKSSON'],
    ['JAN5SEN', 'JANSSEN'],
    ['1', 'I'],
    ['', ''],
  ])('explain %j for %j', (read, name) => {
    expect(isMisreading(read, name)).toBe(true)
  })

  test.each([
    ['ER1K5S0N', 'ERIKSSON'],
    ['JAN55EN', 'JANSSEN'],
    ['AXXA', 'ANNA'],
    ['ANZA', 'ANNA'],
    ['ERIKSON', 'ERIKSSON'],
    ['ERIKSSSON', 'ERIKSSON'],
    ['RIKSSON', 'ERIKSSON'],
    ['ERIKSSO', 'ERIKSSON'],
    ['', 'A'],
    ['A', ''],
  ])('do not explain %j for %j', (read, name) => {
    expect(isMisreading(read, name)).toBe(false)
  })

  test.each([
    ['RNARIA', 'MARIA', true],
    ['MARIA', 'RNARIA', true],
    ['ARNE', 'AME', true],
    ['AME', 'ARNE', true],
    ['AWA', 'AVVA', true],
    ['CLAN', 'DAN', true],
    ['ZIRNRNERMAN', 'ZIMMERMAN', true],
    ['ZIMMERMAN', 'ZIRNRNERMAN', true],
    ['RNIRNMO', 'MIMMO', false],
    ['RNAR1A', 'MARIA', false],
    ['RXARIA', 'MARIA', false],
    ['XNARIA', 'MARIA', false],
  ])('are also two for one: %j for %j is %s', (read, name, isOne) => {
    expect(isMisreading(read, name)).toBe(isOne)
  })

  test.each([
    ['ERIKSSONK', 'ERIKSSON', true],
    ['ERIKSSONKK', 'ERIKSSON', true],
    ['ERIKSSONKKK', 'ERIKSSON', false],
    ['ANNAKMARIA', 'ANNAMARIA', true],
    ['ANNAK', 'ANNA', true],
    ['ANNAKK', 'ANNA', false],
    ['KANNA', 'ANNA', false],
    ['ANNAL', 'ANNA', false],
    ['AN1AK', 'ANIA', false],
  ])('are also the filler behind a name: %j for %j is %s', (read, name, isOne) => {
    expect(isMisreading(read, name)).toBe(isOne)
  })
})

describe('marks that the reader lost', () => {
  test.each([
    ['MULLER', 'MUELLER', 'MÜLLER'],
    ['Muller', 'MUELLER', 'Müller'],
    ['MULLER', 'MUXXLLER', 'MÜLLER'],
    ['MUNOZ', 'MUNXXOZ', 'MUÑOZ'],
    ['munoz', 'MUNXXOZ', 'muñoz'],
    ['SJAGREN', 'SJAEGREN', 'SJÄGREN'],
    ['HAKAN', 'HAAKAN', 'HÅKAN'],
    ['Åsa Hakan', 'AASAHAAKAN', 'Åsa Håkan'],
    ['JÕRGENSEN', 'JOERGENSEN', 'JÖRGENSEN'],
    ['MÛLLER', 'MUELLER', 'MÜLLER'],
    ['MU\u0302LLER', 'MUELLER', 'MÜLLER'],
    ['JØRGEN MULLER', 'JOERGENMUELLER', 'JØRGEN MÜLLER'],
    ['ULF MULLER-LUDENSCHEIDT', 'ULF MUELLER LUEDENSCHEIDT', 'ULF MÜLLER-LÜDENSCHEIDT'],
    ['MULLER', 'MUELLER<<', 'MÜLLER'],
    ["O'MULLER", 'OMUELLER', "O'MÜLLER"],
    ['U', 'UE', 'Ü'],
  ])('are put back where the MRZ leaves one way: %j with %j is %j', (printed, inMrz, whole) => {
    expect(restoreMarks(printed, inMrz)).toBe(whole)
  })

  test.each([
    ['MOLLER', 'MOELLER'],
    ['MUELLER', 'MUELLER'],
    ['MÜLLER', 'MULLER'],
    ['MICHAEL', 'MICHAEL'],
    ['MULLER', 'MILLER'],
    ['MULLER', 'MUELLERS'],
    ['MULLERS', 'MUELLER'],
    ['MULLER', ''],
    ['MULLER', '123'],
    ['ИВАНОВ', 'IVANOV'],
    ['ИВАНОВ MULLER', 'IVANOVMUELLERX'],
    ['משה', 'MOSHE'],
    ['', 'MUELLER'],
    ['LUUK', 'LUUEUK'],
    ['UU', 'UUE E'],
    ['LUEUL', 'LUEUEUL'],
    ['AAA', 'AAAA'],
    ['OUO', 'OUEOE'],
  ])('are left where nothing is sure: %j with %j', (printed, inMrz) => {
    expect(restoreMarks(printed, inMrz)).toBe(printed)
  })
})
