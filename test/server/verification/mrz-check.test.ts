import { describe, expect, test } from 'vitest'
import { mrzCheck } from '../../../server/verification/steps/mrz-check.ts'
import type { DocumentSubject, StepTools } from '../../../server/verification/subject.ts'
import type { MrzReading } from '../../../server/vision/protocol.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { HOLDER } from '../app/scripted-vision.ts'
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

test('the check digits of a correct reading pass', async () => {
  expect(await checkDigits('TD3', PASSPORT)).toBe('passed')
})

test('a wrong check digit in print fails', async () => {
  expect(await checkDigits('TD3', replaced(PASSPORT, '7408122', '7408123'))).toBe('failed')
})

test('a wrong digit that a repair made fit is not passed', async () => {
  expect(await checkDigits('TD3', PASSPORT, replaced(PASSPORT, '7408122', '7408123'))).toBe('inconclusive')
})

test('an MRZ without check digits passes none', async () => {
  expect(await checkDigits('CHE_DL', SWISS_LICENCE.lines)).toBe('inconclusive')
})

test('a deviation from the standard is named without its value', async () => {
  const deviation = async (lines: readonly string[]) =>
    (await findingsOn('TD3', lines)).find(({ check }) => check === 'MRZ_DEVIATION')
  expect(await deviation(PASSPORT)).toEqual({ check: 'MRZ_DEVIATION', outcome: 'passed' })
  expect(await deviation(replaced(PASSPORT, '7408122F', '7408122X'))).toEqual({
    check: 'MRZ_DEVIATION',
    outcome: 'failed',
    measured: { deviations: 'SIGN_OUTSIDE_ALPHABET' },
  })
})

describe('an MRZ whose check digits are right', () => {
  const formOf = async (holder: Partial<typeof HOLDER>) => {
    const findings = await findingsOn('TD3', buildTd3({ ...HOLDER, ...holder }))
    expect(findings.find(({ check }) => check === 'MRZ_CHECK_DIGITS')?.outcome).toBe('passed')
    return findings.find(({ check }) => check === 'MRZ_FORMAT')
  }

  test.each([
    ['a birth on a day that exists', { birthDate: '760229' }],
    ['a birth on an unknown day', { birthDate: '7408<<' }],
    ['a birth of which the year alone is known', { birthDate: '74<<<<' }],
    ['an expiry on a day that exists', { expiryDate: '280229' }],
    ['no given name', { givenNames: [] }],
  ])('may say %s', async (_, holder) => {
    expect(await formOf(holder)).toEqual({
      check: 'MRZ_FORMAT',
      outcome: 'passed',
      measured: { format: 'TD3' },
    })
  })

  test.each([
    ['a birth on 30 February', { birthDate: '740230' }],
    ['a birth on 29 February of a year that had none', { birthDate: '750229' }],
    ['a birth on 31 April', { birthDate: '740431' }],
    ['an expiry on 30 February', { expiryDate: '390230' }],
    ['an expiry on 29 February of a year that has none', { expiryDate: '390229' }],
    ['an expiry in a month that there is not', { expiryDate: '391331' }],
    ['no surname', { surname: '' }],
    ['a code of no kind of document', { documentCode: 'X' }],
  ])('says nothing plausible with %s', async (_, holder) => {
    expect((await formOf(holder))?.outcome).toBe('failed')
  })
})

describe('the declared type', () => {
  const typeMatch = async (declaredType: DocumentSubject['declaredType'], lines = [...buildTd3(HOLDER)]) => {
    const mrz = { format: 'TD3', lines, rawLines: lines } as unknown as MrzReading
    const tools = {
      sides: async () => [{ mrz: null }, { mrz }],
      now: new Date('2026-11-21'),
    } as unknown as StepTools
    const { findings } = await mrzCheck.run({ family: 'IDDOCUMENT', declaredType } as DocumentSubject, tools)
    return findings.find(({ check }) => check === 'DOCUMENT_TYPE_MATCH')?.outcome ?? null
  }

  test('is compared with what the MRZ says, on whichever side it stands', async () => {
    expect(await typeMatch('PASSPORT')).toBe('passed')
    expect(await typeMatch('IDENTITY_CARD')).toBe('failed')
    expect(await typeMatch(null)).toBeNull()
    expect(await typeMatch('PASSPORT', buildTd3({ ...HOLDER, documentCode: 'X' }))).toBe('inconclusive')
  })
})

test('a document without an MRZ gets no finding from the MRZ check', async () => {
  const tools = { sides: async () => [{ mrz: null }] } as unknown as StepTools
  const subject = { family: 'IDDOCUMENT', declaredType: 'PASSPORT' } as DocumentSubject
  expect(await mrzCheck.run(subject, tools)).toEqual({ findings: [], models: [] })
})

test('a wrong check digit is told with its code, and how many there are', async () => {
  const [finding] = await findingsOn('TD3', replaced(PASSPORT, '7408122', '7408123'))
  expect(finding).toMatchObject({
    check: 'MRZ_CHECK_DIGITS',
    measured: { checks: expect.any(Number) as unknown, failed: 2 },
    errors: [{ code: '1543' }],
  })
  const [right] = await findingsOn('TD3', PASSPORT)
  expect(right).not.toHaveProperty('errors')
})
