import { expect, test } from 'vitest'
import {
  buildCardQuestion,
  isPaymentCardNumber,
  judgeCard,
  keepClaimedCard,
  type CardAnswer,
} from '../../../server/proofing/payment-card.ts'

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

const CALL = { connector: 'card-ownership', values: [], trouble: null, tries: 1, durationMs: 1 } as const
const NAMED = { surname: 'MATCH', givenNames: 'MATCH' } as const

test.each<[CardAnswer, string]>([
  [{ account: 'OPEN', matches: NAMED }, 'passed'],
  [{ account: 'OPEN', matches: { ...NAMED, givenNames: 'SIMILAR' } }, 'passed'],
  [{ account: 'OPEN', matches: { ...NAMED, surname: 'SIMILAR' } }, 'inconclusive'],
  [{ account: 'OPEN', matches: { surname: 'MATCH' } }, 'inconclusive'],
  [{ account: 'OPEN', matches: {} }, 'inconclusive'],
  [{ account: 'OPEN', matches: { ...NAMED, surname: 'NO_MATCH' } }, 'failed'],
  [{ account: 'OPEN', matches: { ...NAMED, givenNames: 'NO_MATCH' } }, 'failed'],
  [{ account: 'NOT_OPEN', matches: NAMED }, 'failed'],
  [{ account: 'NOT_SUPPORTED', matches: NAMED }, 'inconclusive'],
])('the answer %o: PAYMENT_CARD_OWNER is %s', (answer, expected) => {
  const card = keepClaimedCard('4111 1111 1111 1111', () => 'hash', { call: CALL, answer })
  expect(judgeCard(card).at(1)?.outcome).toBe(expected)
  expect([card.verified, card.lastFour, JSON.stringify(card).includes('41111')]).toEqual([
    expected === 'passed',
    '1111',
    false,
  ])
})

test('a question needs a well-formed number and a full name', () => {
  const value = (text: string) => ({ value: text, verified: false })
  const names = { givenNames: [value('Anna'), value('Maria')], surname: value('Eriksson') }
  expect(buildCardQuestion('4111 1111 1111 1111', names)).toEqual({
    paymentCardNumber: '4111111111111111',
    givenNames: 'Anna Maria',
    surname: 'Eriksson',
  })
  expect(buildCardQuestion('4111 1111 1111 1112', names)).toEqual({ unasked: 'NEED' })
  const nameless = { unasked: 'VALUES' }
  expect(buildCardQuestion('4111111111111111', { surname: names.surname })).toEqual(nameless)
  expect(buildCardQuestion('4111111111111111', { givenNames: names.givenNames })).toEqual(nameless)
})
