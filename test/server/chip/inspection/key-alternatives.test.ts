import { expect, test } from 'vitest'
import { listMrzKeys, MAX_KEYS } from '../../../../server/chip/inspection/key-alternatives.ts'
import { findMrzFault } from '../../../../server/chip/inspection/mrz-rules.ts'

const DATES = { dateOfBirth: { text: '960812', digit: '2' }, dateOfExpiry: { text: '231031', digit: '4' } }
const listNumbers = (text: string, digit: string) =>
  listMrzKeys({ ...DATES, documentNumber: { text, digit } }).map(({ documentNumber }) => documentNumber)

test('a number whose check digit holds is tried first', () => {
  expect(listNumbers('C11T002JM', '4')[0]).toBe('C11T002JM')
})

test('a number whose check digit does not hold is tried after the readings whose digit holds', () => {
  const numbers = listNumbers('C11TO02JM', '4')
  expect(numbers[0]).toBe('C11T002JM')
  expect(numbers.at(-1)).toBe('C11TO02JM')
})

test('there are never more than eight keys, also for a number that consists of doubted letters', () => {
  expect(listNumbers('O0O0O0O0O', '0').length).toBeLessThanOrEqual(MAX_KEYS)
})

test('letters in dates and check digits are read as digits', () => {
  const [key] = listMrzKeys({
    documentNumber: { text: 'C11T002JM', digit: '4' },
    dateOfBirth: { text: '96O8I2', digit: 'Z' },
    dateOfExpiry: { text: '23IO31', digit: '4' },
  })
  expect(key).toMatchObject({ dateOfBirth: '960812', dateOfExpiry: '231031' })
})

test('a field with a character that no MRZ has gives no key', () => {
  expect(listNumbers('C11T002J?', '4')).toEqual([])
  const dateOfBirth = { text: '96A812', digit: '2' }
  expect(listMrzKeys({ ...DATES, dateOfBirth, documentNumber: { text: 'C11T002JM', digit: '4' } })).toEqual(
    [],
  )
})

const UPPER = 'P<D<<MUSTERMANN<<ERIKA'.padEnd(44, '<')
const LOWER = 'C11T002JM4D<<9608122F2310314<<<<<<<<<<<<<<<4'

test.each([
  [UPPER, LOWER, null],
  [UPPER, 'C11T002JM5D<<9608122F2310314<<<<<<<<<<<<<<<4', 'mrz_check_digit_wrong'],
  [UPPER, LOWER.replace('F', 'Q'), 'mrz_letter_wrong'],
  ['P<D<<'.padEnd(44, '<'), LOWER, 'mrz_name_missing'],
  ['P<XQZMUSTERMANN<<ERIKA'.padEnd(44, '<'), LOWER, 'mrz_state_unknown'],
  ['P<D<<', LOWER, 'mrz_layout_unknown'],
])('the lines %s and %s break the rule: %s', (upper, lower, fault) => {
  expect(findMrzFault([upper, lower])).toBe(fault)
})
