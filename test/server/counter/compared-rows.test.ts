/** Typed values are compared with their own document: a licence's number does not contradict a passport's. */
import { expect, test } from 'vitest'
import { comparedRows } from '../../../server/counter/compared-rows.ts'
import type { Evidence } from '../../../server/proofing/evidence.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const named = (surname: string) => ({
  givenNames: [{ value: 'Anna', verified: false }],
  surname: { value: surname, verified: false },
})
const evidence = (over: object): Evidence =>
  ({ family: 'IDDOCUMENT', type: 'PASSPORT', deletedAt: null, content: {}, ...over }) as unknown as Evidence
const document = (number: string, surname: string, more: object = {}) => ({
  ...more,
  document: { idDocumentNumber: number, issuingCountry: 'UTO', personalAttributes: named(surname) },
})

const passport = evidence({ content: document('L898902C3', 'Eriksson') })
const rowOf = (typed: Evidence, field: string) =>
  comparedRows(passport, [passport, typed], NOW).find((row) => row.field === field)

test('a typed document of the same type is compared number by number', () => {
  const typed = evidence({
    content: document('L898902C4', 'Eriksson', { submittedAsText: true }),
  })
  expect(rowOf(typed, 'documentNumber')).toMatchObject({ typed: 'L898902C4', comparison: 'DIFFERENT' })
})

test('of a typed document of another type only the person is compared', () => {
  const typed = evidence({
    type: 'DRIVING_LICENSE',
    content: document('UT-4471', 'Erikson', { submittedAsText: true }),
  })
  expect(rowOf(typed, 'documentNumber')).toMatchObject({ typed: null, comparison: 'ONE_ONLY' })
  expect(rowOf(typed, 'familyName')).toMatchObject({ typed: 'Erikson', comparison: 'DIFFERENT' })
})

test('values that were typed alone are compared, those that were withdrawn are not', () => {
  const typed = evidence({
    family: 'ATTRIBUTES',
    content: { attributes: named('ERIKSSON') },
  })
  expect(rowOf(typed, 'familyName')).toMatchObject({ typed: 'ERIKSSON', comparison: 'SAME' })
  expect(rowOf({ ...typed, deletedAt: NOW }, 'familyName')).toMatchObject({ typed: null })
})

test('a face has no rows', () => {
  expect(comparedRows({ ...passport, family: 'PORTRAIT' }, [passport], NOW)).toEqual([])
})
