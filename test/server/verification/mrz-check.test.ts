import { expect, test } from 'vitest'
import { mrzCheck } from '../../../server/verification/steps/mrz-check.ts'
import type { DocumentSubject, StepTools } from '../../../server/verification/subject.ts'
import type { MrzReading } from '../../../server/vision/protocol.ts'
import { SWISS_LICENCE, VALID_VECTORS } from '../../vectors/mrz.ts'

const PASSPORT = VALID_VECTORS[0].lines
const replaced = (lines: readonly string[], from: string, to: string) =>
  lines.map((line) => line.replace(from, to))

async function checkDigits(format: MrzReading['format'], lines: readonly string[], rawLines = lines) {
  const mrz = { format, lines, rawLines } as MrzReading
  const tools = { sides: async () => [{ mrz }], now: new Date('2026-11-21') } as unknown as StepTools
  const subject = { family: 'IDDOCUMENT', declaredType: null } as DocumentSubject
  const { findings } = await mrzCheck.run(subject, tools)
  return findings.find(({ check }) => check === 'MRZ_CHECK_DIGITS')?.outcome
}

test('check digits pass on what was read as it is printed', async () => {
  expect(await checkDigits('TD3', PASSPORT)).toBe('passed')
})

test('a wrong check digit in print fails', async () => {
  expect(await checkDigits('TD3', replaced(PASSPORT, '7408122', '7408123'))).toBe('failed')
})

test('a wrong digit that a repair made fit is not passed', async () => {
  expect(await checkDigits('TD3', PASSPORT, replaced(PASSPORT, '7408122', '7408123'))).toBe('inconclusive')
})

test('a zone without check digits passes none', async () => {
  expect(await checkDigits('CHE_DL', SWISS_LICENCE.lines)).toBe('inconclusive')
})
