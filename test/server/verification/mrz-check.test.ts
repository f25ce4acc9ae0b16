import { expect, test } from 'vitest'
import { mrzCheck } from '../../../server/verification/steps/mrz-check.ts'
import type { DocumentSubject, StepTools } from '../../../server/verification/subject.ts'
import type { MrzReading } from '../../../server/vision/protocol.ts'
import { SWISS_LICENCE, VALID_VECTORS } from '../../vectors/mrz.ts'

const PASSPORT = VALID_VECTORS[0].lines
const replaced = (lines: readonly string[], from: string, to: string) =>
  lines.map((line) => line.replace(from, to))

async function findingsOn(format: MrzReading['format'], lines: readonly string[], rawLines = lines) {
  const mrz = { format, lines, rawLines } as MrzReading
  const tools = { sides: async () => [{ mrz }], now: new Date('2026-11-21') } as unknown as StepTools
  const subject = { family: 'IDDOCUMENT', declaredType: null } as DocumentSubject
  return (await mrzCheck.run(subject, tools)).findings
}

async function checkDigits(...of: Parameters<typeof findingsOn>) {
  return (await findingsOn(...of)).find(({ check }) => check === 'MRZ_CHECK_DIGITS')?.outcome
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

test('what departs from the standard is named, and nothing that it says', async () => {
  const deviation = async (lines: readonly string[]) =>
    (await findingsOn('TD3', lines)).find(({ check }) => check === 'MRZ_DEVIATION')
  expect(await deviation(PASSPORT)).toEqual({ check: 'MRZ_DEVIATION', outcome: 'passed' })
  expect(await deviation(replaced(PASSPORT, '7408122F', '7408122X'))).toEqual({
    check: 'MRZ_DEVIATION',
    outcome: 'failed',
    measured: { deviations: 'SIGN_OUTSIDE_ALPHABET' },
  })
})
