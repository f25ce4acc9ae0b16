import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  birthAgreement,
  spanFrom,
  parseSpan,
  type BirthAgreement,
} from '../../../../server/proofing/watchlist/births.ts'
import type { DateSpan } from '../../../../server/proofing/watchlist/listed.ts'

const span = (text: string): DateSpan => {
  const [first, last = first] = text.split('/')
  const made = spanFrom(parseSpan(first) as DateSpan, parseSpan(last) as DateSpan)
  if (!made) throw new TypeError(`${text} is no span`)
  return made
}

describe('a date as a span of days', () => {
  test.each([
    ['1974-08-12', { from: '1974-08-12', to: '1974-08-12' }],
    ['1974-08', { from: '1974-08-01', to: '1974-08-31' }],
    ['1972-02', { from: '1972-02-01', to: '1972-02-29' }],
    ['1973-02', { from: '1973-02-01', to: '1973-02-28' }],
    ['1974-12', { from: '1974-12-01', to: '1974-12-31' }],
    ['1974', { from: '1974-01-01', to: '1974-12-31' }],
  ])('%s', (text, expected) => {
    expect(parseSpan(text)).toEqual(expected)
  })

  test.each([
    '',
    '74',
    '1974-13',
    '1974-00',
    '1974-02-30',
    '1974-8-12',
    ' 1974',
    '1974 ',
    '12-08-1974',
    '1974-08-12T00',
  ])('is none: "%s"', (text) => {
    expect(parseSpan(text)).toBeNull()
  })

  test('reaches from the first day of one to the last of the other, and not backwards', () => {
    expect(span('1958/1960')).toEqual({ from: '1958-01-01', to: '1960-12-31' })
    expect(spanFrom(parseSpan('1960') as DateSpan, parseSpan('1960-03') as DateSpan)).toEqual({
      from: '1960-01-01',
      to: '1960-03-31',
    })
    expect(spanFrom(parseSpan('1961') as DateSpan, parseSpan('1960') as DateSpan)).toBeNull()
    expect(spanFrom(parseSpan('1960-03-12') as DateSpan, parseSpan('1960-03-12') as DateSpan)).not.toBeNull()
  })
})

describe('dates of birth agree', () => {
  test.each<[string, string, BirthAgreement]>([
    ['1974-08-12', '1974-08-12', 'DAY'],
    // Written by offices that know the year alone.
    ['1974-01-01', '1974-01-01', 'RANGE'],
    ['1974-08-12', '1974', 'RANGE'],
    ['1974-08-12', '1974-08', 'RANGE'],
    ['1974', '1974-08-12', 'RANGE'],
    ['1974', '1974', 'RANGE'],
    ['1974-12-31', '1973/1974', 'RANGE'],
    ['1973-01-01', '1973/1974', 'RANGE'],
    ['1974-08-12', '1975-08-12', 'NEAR'],
    ['1975-08-12', '1974-08-12', 'NEAR'],
    ['1971-08-12', '1972-08-12', 'NEAR'], // 366 days, over a leap day
    ['1971-08-11', '1972-08-12', 'DIFFERENT'],
    ['1972-08-12', '1971-08-11', 'DIFFERENT'],
    ['1974-08-12', '1975', 'NEAR'],
    ['1974-08-12', '1976', 'DIFFERENT'],
    ['1976-08-12', '1974', 'DIFFERENT'],
    ['1974-08-12', '1974-12-08', 'NEAR'],
    ['1974-08-12', '1990-12-08', 'DIFFERENT'],
    ['1974-08-12', '1990-08-12', 'DIFFERENT'],
  ])('%s with the listed %s: %s', (born, listed, expected) => {
    expect(birthAgreement(parseSpan(born), [span(listed)])).toBe(expected)
  })

  test('best with the best of several, whatever their order', () => {
    const [exact, near, far] = ['1974-08-12', '1975-01-02', '1990'].map(span)
    const born = parseSpan('1974-08-12')
    expect(birthAgreement(born, [far, near, exact])).toBe('DAY')
    expect(birthAgreement(born, [near, far])).toBe('NEAR')
    expect(birthAgreement(born, [far, span('1973/1975'), near])).toBe('RANGE')
    expect(birthAgreement(born, [far, far])).toBe('DIFFERENT')
  })

  test('not at all where one side says nothing', () => {
    expect(birthAgreement(null, [span('1974')])).toBe('UNKNOWN')
    expect(birthAgreement(parseSpan('1974'), [])).toBe('UNKNOWN')
  })

  test('the same both ways', () => {
    const day = fc
      .date({ min: new Date('1940-01-01'), max: new Date('2010-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 10))
    const any = fc.tuple(day, fc.constantFrom(4, 7, 10)).map(([text, length]) => span(text.slice(0, length)))
    fc.assert(
      fc.property(any, any, (one, other) => {
        expect(birthAgreement(one, [other])).toBe(birthAgreement(other, [one]))
      }),
    )
  })
})
