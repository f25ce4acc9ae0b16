import { expect, test } from 'vitest'
import { portraitCoding } from '../../../server/proofing/portrait-coding.ts'
import type { VerificationRecord } from '../../../server/proofing/verification-record.ts'

const record = (...measurements: readonly object[]) => [{ measurements }] as unknown as VerificationRecord[]
const cutOut = (widthPx: unknown, over: object = {}) => ({
  check: 'DOCUMENT_PORTRAIT',
  outcome: 'passed',
  measured: { widthPx },
  ...over,
})

test.each([
  [1, 1],
  [50, 1],
  [51, 2],
  [100, 2],
  [200, 4],
  [201, 5],
  [250, 5],
  [1000, 5],
])('a portrait cut out %i pixels wide has step %i', (widthPx, step) => {
  expect(portraitCoding(record(cutOut(widthPx)))).toBe(step)
})

test('nothing is known of a portrait that was not cut out, or without a width', () => {
  expect(portraitCoding([])).toBe(0)
  expect(portraitCoding(record(cutOut(250, { outcome: 'failed' })))).toBe(0)
  expect(portraitCoding(record(cutOut(250, { check: 'DOCUMENT_OUTLINE' })))).toBe(0)
  expect(portraitCoding(record(cutOut(0)))).toBe(0)
  expect(portraitCoding(record(cutOut(-5)))).toBe(0)
  expect(portraitCoding(record(cutOut('250')))).toBe(0)
  expect(portraitCoding(record(cutOut(undefined)))).toBe(0)
})

test('the portrait is found among whatever else was measured', () => {
  expect(portraitCoding(record({ check: 'A', outcome: 'passed', measured: {} }, cutOut(250)))).toBe(5)
})
