import { describe, expect, test } from 'vitest'
import { compareAttributes } from '../../../server/proofing/consistency.ts'
import type { PersonalAttributes } from '../../../server/proofing/evidence.ts'

const named = (value: string) => ({ value, verified: false })
const given = (...values: readonly string[]) => ({ givenNames: values.map(named) })
const compared = (stated: PersonalAttributes, attributes: PersonalAttributes, namesMayBeCut = false) =>
  Object.fromEntries(compareAttributes(stated, { attributes, namesMayBeCut }))

describe('a whole name beside the parts of the reference', () => {
  const full = (fullname: string, attributes: PersonalAttributes, cut = false) =>
    compared({ fullname: named(fullname) }, attributes, cut)
  const anna = { surname: named('Eriksson'), ...given('Anna', 'Maria') }

  test.each([
    ['Anna Maria Eriksson', 'same'],
    ['Anna Eriksson', 'same'],
    ['Eriksson Anna Maria', 'same'],
    ['Eriksson Anna', 'same'],
    ['Maria Eriksson', 'different'],
    ['Eriksson', 'different'],
    ['Anna Maria', 'different'],
    ['Анна Эрикссен', 'unclear'],
    ['山田', 'unclear'],
  ])('%s: %s', (text, expected) => {
    expect(full(text, anna)).toEqual({ fullname: expected })
  })

  test('is the surname alone where the reference has no given names', () => {
    expect(full('Eriksson', { surname: named('Eriksson') })).toEqual({ fullname: 'same' })
    expect(full('Anna Eriksson', { surname: named('Eriksson') })).toEqual({ fullname: 'different' })
    expect(full('Eriksson', { surname: named('Eriksson'), givenNames: [] })).toEqual({ fullname: 'same' })
  })

  test('is not compared where the reference has no surname', () => {
    expect(full('Anna', given('Anna'))).toEqual({})
  })

  test('begins with what an MRZ has cut', () => {
    const cut = { surname: named('NILAVADHANAN'), ...given('CHAYAPA') }
    expect(full('Chayapa Nilavadhanananda', cut, true)).toEqual({ fullname: 'same' })
    expect(full('Chayapa Nilavadhanananda', cut)).toEqual({ fullname: 'different' })
  })
})

describe('letters of another script', () => {
  test.each([
    ['Петров', 'ERIKSSON', 'unclear'],
    ['Петров', 'Смирнов', 'different'],
    ['الرازي', 'ERIKSSON', 'unclear'],
    ['الرازي', 'حسن', 'different'],
    ['Петров', 'الرازي', 'unclear'],
    ['Eriksson', 'SVENSSON', 'different'],
  ])('%s with %s: %s', (a, b, expected) => {
    expect(compared({ surname: named(a) }, { surname: named(b) })).toEqual({ surname: expected })
    expect(compared({ surname: named(b) }, { surname: named(a) })).toEqual({ surname: expected })
  })
})

test('a name of signs alone is no name', () => {
  expect(compared({ surname: named('-') }, { surname: named('-') })).toEqual({ surname: 'different' })
})

test('what one side does not state is not compared', () => {
  expect(compareAttributes({}, { attributes: {}, namesMayBeCut: false }).size).toBe(0)
  expect(compared({ surname: named('Eriksson') }, given('Anna'))).toEqual({})
  expect(compared({ gender: named('F') }, { gender: named('X') })).toEqual({})
  expect(compared({ nationality: named('UTO') }, { nationality: named('XXX') })).toEqual({})
})
