/** Every form in which documents print a date, and what looks like one and is none. */
import { describe, expect, test } from 'vitest'
import { orderOfDates, readDate, type DateReading } from '../../../../server/proofing/visual-zone/dates.ts'

const months = {
  1: ['jan', 'january'],
  2: ['feb'],
  3: ['mar', 'mrz'],
  4: ['apr', 'avr'],
  5: ['may', 'mai'],
  6: ['jun', 'juin'],
  7: ['jul', 'juil'],
  8: ['aug', 'aout'],
  9: ['sep'],
  10: ['oct', 'okt'],
  11: ['nov'],
  12: ['dec'],
}
const NOW = new Date('2026-11-21T12:00:00Z')
const found = (text: string, reading: Partial<DateReading> = {}) =>
  readDate(text, { role: 'birth', order: null, months, now: NOW, ...reading })
const value = (text: string, reading: Partial<DateReading> = {}) => found(text, reading)?.value ?? null
const EXPIRY = { role: 'expiry' } as const

describe('a form', () => {
  test.each([
    ['1974-08-12', '1974-08-12'],
    ['22,05,1975', '1975-05-22'],
    ['08 JUN 202:2', '2022-06-08'],
    ['s12.08.1974', '1974-08-12'],
    ['08 JUN 2:022', '2022-06-08'],
    ['22.05, 1975', '1975-05-22'],
    ['22.05 1975', '1975-05-22'],
    ['3 22.05 19751', null],
    ['1974/8/2', '1974-08-02'],
    ['1974 08 12', '1974-08-12'],
    ['2001.01.31', '2001-01-31'],
    ['born 1974-08-12.', '1974-08-12'],
    ['12.08.1974', '1974-08-12'],
    ['12 . 08 . 1974', '1974-08-12'],
    ['12.8.74', '1974-08-12'],
    ['12 08 74', '1974-08-12'],
    ['25/12/1974', '1974-12-25'],
    ['12-25-1974', '1974-12-25'],
    ['08/08/1974', '1974-08-08'],
    ['12 AUG 1974', '1974-08-12'],
    ['12.AUG.1974', '1974-08-12'],
    ['(12) AUG, 1974', '1974-08-12'],
    ['12AUG74', '1974-08-12'],
    ['12 AUG/AOUT 1974', '1974-08-12'],
    ['12 AUG | AOUT 1974', '1974-08-12'],
    ['12 AUGlAOUT 1974', '1974-08-12'],
    ['12 AUGIAOUT 1974', '1974-08-12'],
    ['12 MRZlMAR 1974', '1974-03-12'],
    ['AUG 12, 1974', '1974-08-12'],
    ['AUG 12th 1974', '1974-08-12'],
    ['AUG 1st, 74', '1974-08-01'],
    ['AUG-2nd-1974', '1974-08-02'],
    ['AUG 3rd 1974', '1974-08-03'],
  ])('%s', (text, date) => {
    expect(value(text)).toBe(date)
  })

  test('without signs between is read in the order of the layout alone', () => {
    expect(value('12081974', { order: 'dmy' })).toBe('1974-08-12')
    expect(value('1208 1974', { order: 'mdy' })).toBe('1974-12-08')
    expect(value('12 081974', { order: 'dmy' })).toBe('1974-08-12')
    expect(value('12081974')).toBeNull()
    expect(value('912081974', { order: 'dmy' })).toBeNull()
    expect(value('120819741', { order: 'dmy' })).toBeNull()
    expect(value('12081874', { order: 'dmy' })).toBeNull()
  })

  test('with points has the day first, whatever the layout says; with blanks unless the layout or the date says otherwise', () => {
    expect(value('08.12.1974', { order: 'mdy' })).toBe('1974-12-08')
    expect(value('08 12 1974', { order: 'mdy' })).toBe('1974-08-12')
    expect(value('08 12 1974')).toBe('1974-12-08')
    expect(value('06 17 70')).toBe('1970-06-17')
    expect(value('12.08.19 74')).toBe('1974-08-12')
    expect(value('1974- 08- 12')).toBe('1974-08-12')
    expect(value('12 AUG AUG 74')).toBe('1974-08-12')
    expect(value('08/12/1974', { order: 'mdy' })).toBe('1974-08-12')
    expect(value('08-12-1974', { order: 'dmy' })).toBe('1974-12-08')
    expect(value('08-12-1974')).toBeNull()
    expect(value('08/08/1974', { order: 'mdy' })).toBe('1974-08-08')
  })

  test('without a day is a birth whose day is not known', () => {
    for (const text of ['XX AUG 1974', '-- AUG 1974', '** AUG 1974', 'XX.08.1974', 'XX 08 1974'])
      expect(value(text), text).toBe('1974-08')
    for (const text of ['on XX AUG 1974', 'XX AUG 1974 F', 'XXAUG1974', 'XX . AUG . 1974', '08/00/1974 F'])
      expect(value(text), text).toBe('1974-08')
    expect(value('* AUG 1974')).toBeNull()
    expect(value('00/00/1974')).toBeNull()
    expect(value('08/00/1974')).toBe('1974-08')
    expect(value('12/00/1974')).toBe('1974-12')
    expect(value('01/00/1974')).toBe('1974-01')
    expect(value('13/00/1974')).toBeNull()
    expect(value('XX 13 1974')).toBeNull()
    expect(value('XX 00 1974')).toBeNull()
    expect(value('XX QQQ 1974')).toBeNull()
    expect(value('XX 12 1974')).toBe('1974-12')
    expect(value('XX 01 1974')).toBe('1974-01')
    expect(value('XX AUG 1974', EXPIRY)).toBeNull()
    expect(value('08/00/1974', EXPIRY)).toBeNull()
  })

  test('of month and year is an expiry', () => {
    for (const text of ['03/2027', '03.2027', '03-2027', '03 / 2027'])
      expect(value(text, EXPIRY), text).toBe('2027-03')
    expect(value('01/2027', EXPIRY)).toBe('2027-01')
    expect(value('12/2027', EXPIRY)).toBe('2027-12')
    expect(value('13/2027', EXPIRY)).toBeNull()
    expect(value('00/2027', EXPIRY)).toBeNull()
    expect(value('03/2027')).toBeNull()
    expect(value('03/1827', EXPIRY)).toBeNull()
    expect(value('.03/2027', EXPIRY)).toBeNull()
  })
})

describe('what is no date', () => {
  test.each([
    '31.02.1974',
    '12.13.1974',
    '00.08.1974',
    '32.08.1974',
    '12 QQQ 1974',
    '12 AUG/SEP 1974',
    '12 AUGU/SEPT 1974',
    '12 QQQ/ZZZ 1974',
    '12 MAX 1974',
    '12 AUGXAOUT 1974',
    '12 AUGlQQQQ 1974',
    'A12.08.1974',
    '12.08.1974A',
    '12.08-1974',
    '1974-13-01',
    '1974-08/12',
    'x1974-08-12',
    '1974-08-123',
    '12.08.1849',
    '12.08.2201',
    'AUGUST',
    // Names whose letters stand for figures elsewhere.
    'BIRGIT INÊS ESTRID',
    'A12.08.1974',
    'ss12.08.1974',
    'IO DEC SO',
  ])('%s', (text) => {
    expect(value(text)).toBeNull()
  })

  test('begins after 1849 and ends with 2200', () => {
    expect(value('12.08.1850')).toBe('1850-08-12')
    expect(value('12.08.2200', EXPIRY)).toBe('2200-08-12')
  })
})

describe('two figures of a year', () => {
  test('of a birth or an issue are the last that have passed', () => {
    expect(value('21.11.26')).toBe('2026-11-21')
    expect(value('21.11.26', { now: new Date('2026-11-21') })).toBe('2026-11-21')
    expect(value('22.11.26')).toBe('1926-11-22')
    expect(value('22.11.26', { role: 'issue' })).toBe('1926-11-22')
  })

  test('of an expiry are the nearest', () => {
    expect(value('01.01.76', EXPIRY)).toBe('1976-01-01')
    expect(value('01.01.77', EXPIRY)).toBe('1977-01-01')
    expect(value('01.01.75', EXPIRY)).toBe('2075-01-01')
    expect(value('01.01.05', { ...EXPIRY, now: new Date('2095-06-01') })).toBe('2105-01-01')
    expect(value('01.01.95', { ...EXPIRY, now: new Date('2005-06-01') })).toBe('1995-01-01')
  })
})

describe('what had to be guessed', () => {
  test.each([
    ['O1.O8.1974', '1974-08-01'],
    ['o1.o8.1974', '1974-08-01'],
    ['Q1.D8.1974', '1974-08-01'],
    ['I2.08.l974', '1974-08-12'],
    ['i2.08.|974', '1974-08-12'],
    ['!2.08.1974', '1974-08-12'],
    ['Z1.08.z001', '2001-08-21'],
    ['1S.08.1974', '1974-08-15'],
    ['1s.08.197S', '1975-08-15'],
    ['12.0B.1974', '1974-08-12'],
    ['1é.08.1974', '1974-08-16'],
    ['1G.08.1974', '1974-08-16'],
    ['12 AVG 1974', null],
    ['12 AUGU 1974', '1974-08-12'],
    ['12 AUGU/AOUTT 1974', '1974-08-12'],
    ['12 AUGU/QQQQ 1974', '1974-08-12'],
    ['1O.08.1974', '1974-08-10'],
    ['1o.08.1974', '1974-08-10'],
    ['1Q.08.1974', '1974-08-10'],
    ['1D.08.1974', '1974-08-10'],
    ['1z.08.1974', '1974-08-12'],
  ])('%s is %s, and said to be guessed', (text, date) => {
    expect(value(text)).toBe(date)
    if (date !== null) expect(found(text)?.repaired).toBe(true)
  })

  test('a first digit that the recogniser split off belongs to the date, which is then repaired', () => {
    const mdy = (text: string) => found(text, { order: 'mdy' })
    const dmy = (text: string) => found(text, { order: 'dmy' })
    expect(mdy('3DOB 1 1/28/1998')).toMatchObject({ value: '1998-11-28', repaired: true })
    expect(dmy('2 8.11.1998')).toMatchObject({ value: '1998-11-28', repaired: true })
    expect(dmy('0 8/11/1998')).toMatchObject({ value: '1998-11-08', repaired: true })
    // The numbers of the fields for dates on a driving licence.
    expect(mdy('3 1/28/1998')).toMatchObject({ value: '1998-01-28', repaired: false })
    expect(dmy('3 1.08.1998')).toMatchObject({ value: '1998-08-01', repaired: false })
    expect(mdy('11/28/1998')).toMatchObject({ value: '1998-11-28', repaired: false })
  })

  test('is nothing of a text that says everything', () => {
    expect(found('12 0CT 1974')).toMatchObject({ value: '1974-10-12', repaired: false })
    expect(found('on 12 AUG 1974 in')).toEqual({ value: '1974-08-12', repaired: false, start: 3, length: 11 })
    expect(found('XX AUG 1974')).toEqual({ value: '1974-08', repaired: false, start: 0, length: 11 })
    expect(found(' 08/00/1974')).toEqual({ value: '1974-08', repaired: false, start: 1, length: 10 })
    expect(found('to 03/2027', EXPIRY)).toEqual({ value: '2027-03', repaired: false, start: 3, length: 7 })
  })
})

describe('the order of a page’s dates', () => {
  test.each([
    ['the layout’s', [], 'dmy', 'dmy'],
    ['unknown without one', [], null, null],
    ['that of the one date that tells', ['25/04/1984'], null, 'dmy'],
    ['that of the one date that tells', ['04/25/1984', '05/04/1984', 'no date'], null, 'mdy'],
    ['told by other signs too', ['on 25-04-1984 in'], null, 'dmy'],
    ['the layout’s against one date', ['25/04/1984'], 'mdy', 'mdy'],
    ['not the layout’s against two', ['25/04/1984', '26/04/1984'], 'mdy', 'dmy'],
    ['the layout’s where two dates differ', ['25/04/1984', '04/25/1984'], 'mdy', 'mdy'],
    ['unknown where two dates differ', ['25/04/1984', '04/25/1984'], null, null],
    ['unknown of a day that is its month', ['08/08/1984'], null, null],
    ['not told by points', ['25.04.1984'], null, null],
    ['not told by two signs', ['25/04-1984'], null, null],
    ['not told by a part of a word', ['x25/04/1984'], null, null],
    ['not told by a part of a number', ['25/04/19841'], null, null],
  ] as const)('is %s: %j with %j is %j', (_, texts, ofLayout, order) => {
    expect(orderOfDates(texts, ofLayout)).toBe(order)
  })
})
