import { expect, test } from 'vitest'
import { isPaymentCardNumber } from '../../../server/proofing/payment-card.ts'

// Test numbers that the card schemes publish.
test.each(['4111111111111111', '5555 5555 5555 4444', '3782-822463-10005', '6011111111111117'])(
  'the check digit of %s fits',
  (number) => {
    expect(isPaymentCardNumber(number)).toBe(true)
  },
)

test.each([
  ['4111111111111112', 'one digit is wrong'],
  ['4111111111111', 'the check digit is another'],
  ['5555555555545444', 'two digits are swapped'],
  ['0000000000000000', 'no card begins with 0'],
  ['42', 'it is too short'],
])('%s is not a card number: %s', (number) => {
  expect(isPaymentCardNumber(number)).toBe(false)
})
