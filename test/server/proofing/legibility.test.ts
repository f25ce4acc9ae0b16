/** Whether a document can be read on the pictures of its sides. */
import { expect, test } from 'vitest'
import { legibleSides } from '../../../server/proofing/legibility.ts'
import type { PageField, PageFieldName } from '../../../server/proofing/visual-zone/page-facts.ts'

const NOTHING = { hasSureMrz: false, hasUnreadMrz: false, hasBarcode: false }
const field = (name: PageFieldName, captureIndex = 0): PageField => ({
  field: name,
  value: 'X',
  confidence: 0.9,
  captureIndex,
  foundBy: 'label',
})
const legible = (fields: readonly PageField[], sides = [NOTHING]) => legibleSides(sides, { fields })

test('a side with a sure MRZ or with its barcode is legible', () => {
  expect(legible([], [{ ...NOTHING, hasSureMrz: true }, NOTHING])).toEqual([true, false])
  expect(legible([], [NOTHING, { ...NOTHING, hasBarcode: true }])).toEqual([false, true])
})

test('three telling values make a side legible, two do not', () => {
  const three = [field('surname'), field('birthDate'), field('documentNumber')]
  expect(legible(three)).toEqual([true])
  expect(legible(three.slice(1))).toEqual([false])
})

test('values of one reader alone, or beside lines that could not be read, make no side legible', () => {
  const three = [field('surname'), field('birthDate'), field('documentNumber')]
  expect(legible(three.map((value) => ({ ...value, confidence: 0.84 })))).toEqual([false])
  expect(legible(three, [{ ...NOTHING, hasUnreadMrz: true }])).toEqual([false])
})

test('values that any page may show do not make a side legible', () => {
  expect(legible([field('surname'), field('sex'), field('authority'), field('address')])).toEqual([false])
})

test('the values of one side say nothing about the other', () => {
  const fields = [field('surname'), field('birthDate', 1), field('documentNumber', 1), field('expiryDate', 1)]
  expect(legible(fields, [NOTHING, NOTHING])).toEqual([false, true])
})
