import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { readDate, type DateReading } from '../../../server/proofing/visual-zone/dates.ts'

const { months } = loadDocumentTemplates().words
const NOW = new Date('2026-11-21T12:00:00Z')

function read(text: string, reading: Partial<DateReading> = {}): string | null {
  return readDate(text, { role: 'birth', order: null, months, now: NOW, ...reading })?.value ?? null
}

describe('a date that says which part is which is read', () => {
  test.each([
    ['12 AUG 1974', '1974-08-12'],
    ['12 AUG/AOÛT 74', '1974-08-12'],
    ['12AUG1974', '1974-08-12'],
    ['7 Sep 1940', '1940-09-07'],
    ['15 APR/AVR 2012', '2012-04-15'],
    ['01 JAN / JAN 1985', '1985-01-01'],
    ['24-OCT-2000', '2000-10-24'],
    ['August 12, 1974', '1974-08-12'],
    ['12.08.1974', '1974-08-12'],
    ['12. 08. 1974', '1974-08-12'],
    ['12 08 1974', '1974-08-12'],
    ['1974-08-12', '1974-08-12'],
    ['05 MRZ 1990', '1990-03-05'],
    ['05 DÉC 1990', '1990-12-05'],
    ['05 DÉC.2019', '2019-12-05'],
  ])('%s', (text, date) => expect(read(text)).toBe(date))
})

describe('where day and month can be confused', () => {
  test('the order of the layout decides', () => {
    expect(read('08/12/1974', { order: 'mdy' })).toBe('1974-08-12')
    expect(read('08/12/1974', { order: 'dmy' })).toBe('1974-12-08')
  })
  test('nothing is read when the order is unknown', () => expect(read('08/12/1974')).toBeNull())
  test('a part above twelve is the day', () => {
    expect(read('25/12/1974')).toBe('1974-12-25')
    expect(read('12/25/1974')).toBe('1974-12-25')
  })
})

describe('what is no day is no date', () => {
  test.each(['31 FEB 1990', '00.01.1990', '12.13.1990', '12 XYZ 1990', '1234567890', 'AB 12 1990', ''])(
    '%s',
    (text) => expect(read(text)).toBeNull(),
  )
})

test('two months that disagree are no month', () => expect(read('12 AUG/SEP 74')).toBeNull())

describe('two figures of a year', () => {
  test('a birth lies in the past', () => expect(read('12 AUG 30')).toBe('1930-08-12'))
  test('an expiry lies near', () => expect(read('12 AUG 30', { role: 'expiry' })).toBe('2030-08-12'))
})

test('a card valid to a month is read as far as it says', () => {
  expect(read('VALID TO 03/2027', { role: 'expiry' })).toBe('2027-03')
  expect(read('05/03/1998', { role: 'expiry' })).toBeNull()
})

test('letters taken for figures are put right and said to be guessed', () => {
  const reading = { role: 'birth', order: null, months, now: NOW } as const
  expect(readDate('O6 JAN l989', reading)).toMatchObject({ value: '1989-01-06', repaired: true })
  expect(readDate('12 AUG/AQUT 74', reading)).toMatchObject({ value: '1974-08-12', repaired: false })
})

test('every day comes back from every unmistakable way to write it', () => {
  const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2026-11-20'), noInvalidDate: true })
  fc.assert(
    fc.property(day, (at) => {
      const iso = at.toISOString().slice(0, 10)
      const [year, month, date] = iso.split('-')
      const name = months[String(Number(month))][0].toUpperCase()
      for (const text of [
        iso,
        `${date}.${month}.${year}`,
        `${date} ${name} ${year}`,
        `${date}${name}${year}`,
      ])
        expect(read(text)).toBe(iso)
      expect(read(`${month}/${date}/${year}`, { order: 'mdy' })).toBe(iso)
    }),
  )
})

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(read(text) ?? '2000-01-01').toMatch(/^\d{4}-\d{2}(-\d{2})?$/)
    }),
  )
})
