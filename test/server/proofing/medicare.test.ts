import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMedicareNumber, lastDayOfCard, referenceNumberIn } from '../../../server/proofing/medicare.ts'

describe('the number of a Medicare card', () => {
  // HL7 AU Base, Services Australia and two vendors' samples.
  test.each(['2123456701', '21234567011', '29518731251', '32788511952'])('%s is well formed', (number) => {
    expect(isMedicareNumber(number)).toBe(true)
  })

  test.each([
    ['21234567111', 'its check digit is another'],
    ['1111111111', 'no card begins with 1'],
    ['7123456701', 'no card begins with 7'],
    ['2123456700', 'the first issue of a card is 1'],
    ['212345670', 'it is too short'],
    ['212345670111', 'it is too long'],
  ])('%s is not: %s', (number) => {
    expect(isMedicareNumber(number)).toBe(false)
  })

  test('one wrong digit among the first nine is always noticed', () => {
    const base = fc.tuple(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 0, max: 9_999_999 }))
    const anotherDigit = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 9 }))
    fc.assert(
      fc.property(base, anotherDigit, ([first, rest], [position, shift]) => {
        const eight = `${first}${String(rest).padStart(7, '0')}`
        const valid = [...'0123456789'].map((digit) => `${eight}${digit}1`).filter(isMedicareNumber)
        expect(valid).toHaveLength(1)
        const wrong = [...valid[0]]
        wrong[position] = String((Number(wrong[position]) + shift) % 10)
        expect(isMedicareNumber(wrong.join(''))).toBe(false)
      }),
    )
  })

  test('the eleventh digit, where it is given, is the person on the card', () => {
    expect(referenceNumberIn('32788511952')).toBe(2)
    expect(referenceNumberIn('3278851195')).toBeNull()
  })
})

test('a green card is good until its month ends, a blue or yellow one until its day', () => {
  expect(lastDayOfCard('G', '2027-12-01')).toBe('2027-12-31')
  expect(lastDayOfCard('G', '2028-02-01')).toBe('2028-02-29')
  expect(lastDayOfCard('B', '2027-12-01')).toBe('2027-12-01')
  expect(lastDayOfCard('Y', '2027-12-15')).toBe('2027-12-15')
})
