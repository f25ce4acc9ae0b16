import { expect, test } from 'vitest'
import { checkBarcodeDates, checkBarcodeIssuer } from '../../../../server/proofing/licences/barcode-checks.ts'

test.each([
  ['in their order', '1986-06-16', '2019-06-06', '2031-12-10', 'passed'],
  ['issued on the day of birth', '2019-06-06', '2019-06-06', '2031-12-10', 'passed'],
  ['issued before birth', '2019-06-07', '2019-06-06', '2031-12-10', 'failed'],
  ['expiring on the day of issue', '1986-06-16', '2019-06-06', '2019-06-06', 'failed'],
  ['without an issue', '1986-06-16', null, '2031-12-10', 'inconclusive'],
  ['without an issue, expiring before birth', '1986-06-16', null, '1985-12-10', 'failed'],
  ['without an issue, expiring on the day of birth', '1986-06-16', null, '1986-06-16', 'failed'],
  ['without an expiry', '1986-06-16', '2019-06-06', null, 'inconclusive'],
  ['without an expiry, issued before birth', '2019-06-07', '2019-06-06', null, 'failed'],
  ['without a birth', null, '2019-06-06', '2031-12-10', 'inconclusive'],
  ['without a birth, expiring before the issue', null, '2019-06-06', '2018-12-10', 'failed'],
  ['that are all missing', null, null, null, 'inconclusive'],
] as const)('dates %s', (_, birthDate, issueDate, expiryDate, outcome) => {
  expect(checkBarcodeDates({ birthDate, issueDate, expiryDate })).toBe(outcome)
})

test.each([
  ['at home', [], 'passed'],
  ['elsewhere', ['ADDRESS_OUTSIDE_JURISDICTION'], 'failed'],
  ['with an issuer that no list names', ['ISSUER_UNKNOWN'], 'inconclusive'],
  ['without a header alone', ['HEADER_MISSING'], 'inconclusive'],
  ['without a header', ['HEADER_MISSING', 'ISSUER_UNKNOWN'], 'inconclusive'],
] as const)('an address %s', (_, deviations, outcome) => {
  expect(checkBarcodeIssuer({ deviations })).toBe(outcome)
})
