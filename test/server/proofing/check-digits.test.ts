/** Numbers of cards with a digit too many before or after them, and with each digit once doubled and once not. */
import { expect, test } from 'vitest'
import { isMedicareNumber } from '../../../server/proofing/medicare.ts'
import { isPaymentCardNumber } from '../../../server/proofing/payment-card.ts'

test.each([
  ['04111111111111111', 'a zero before it'],
  ['41111111111111110000', 'four zeros after it, with which the check digit still fits'],
  ['4111-1111-1111-111x', 'a letter in it'],
  ['41111111116', 'eleven digits, of which the last fits'],
])('%s is no number of a payment card: %s', (number) => {
  expect(isPaymentCardNumber(number)).toBe(false)
})

// Doubled, 5 is 10 and counts 1; 9 is 18 and counts 9; not doubled, 9 counts 9.
test.each(['100000000008', '100000000057', '100000000099', '100000000909', '1000000000000000009'])(
  '%s has the check digit that fits, and no other one has',
  (number) => {
    const fitting = [...'0123456789'].filter((digit) => isPaymentCardNumber(number.slice(0, -1) + digit))
    expect(fitting).toEqual([digitOf(number.slice(0, -1))])
  },
)

/** ISO/IEC 7812-1 annex B, by its table of doubled digits. */
function digitOf(digits: string): string {
  const doubled = '0246813579'
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, i) => total + Number(i % 2 ? digit : doubled[+digit]), 0)
  return String((10 - (sum % 10)) % 10)
}

test.each(['02123456701', '212345670', '221234567011'])('%s is no number of a Medicare card', (number) => {
  expect(isMedicareNumber(number)).toBe(false)
})
