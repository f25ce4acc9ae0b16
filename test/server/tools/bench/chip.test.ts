/** The bench of chips judges by the table of cases: what it has not mapped, and what fails elsewhere, never passes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../../../server/tools/bench/chip.ts'
import type { SpeedResult } from '../../../../server/tools/bench/chip/speed.ts'
import { parsePlan } from '../../../../server/tools/bench/chip/plan.ts'
import { runCase, type CaseTable } from '../../../../server/tools/bench/chip/run-case.ts'
import { findMissingPackages } from '../../../../server/tools/simulator/chip/pcscd.ts'
import { collectOutput } from '../../../support/output.ts'

const HEAD = 'id\tunit\tscope\ttitle\tconfig\texpected\tremark'
const row = (id: string, scope: string, expected: string, basis = 'PLAN') =>
  [id, 'UNIT', scope, 'Title', 'CFG', expected, `BASIS=${basis}; profile`].join('\t')
const plan = (...rows: readonly string[]) => parsePlan([HEAD, ...rows, ''].join('\n'))

const folder = mkdtempSync(join(tmpdir(), 'bench-chip-'))
afterAll(() => rmSync(folder, { recursive: true }))

let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a case', () => {
  const judge = async (expected: string, table: CaseTable) => {
    const [planned] = plan(row('A_01', 'icao', expected))
    if (planned === undefined) throw new TypeError('no case')
    const { outcome, reason } = await runCase(planned, table)
    return [outcome, reason]
  }
  const denied = { card: { faults: { selectApplication: 0x6a82 } } }

  test('without a profile is failed', async () => {
    expect(await judge('success', {})).toEqual(['failed', 'no profile is mapped'])
  })

  test('that expects a success is failed after any other end', async () => {
    expect(await judge('success', { A_01: () => [{ profile: 'plain' }] })).toEqual(['passed', null])
    expect(await judge('success', { A_01: () => [{ profile: 'plain', changes: denied }] })).toEqual([
      'failed',
      'expected a success, found failed',
    ])
  })

  test('that expects a failure is failed if the failure is in another step', async () => {
    const table = (...failsAt: ('application' | 'dg1')[]) => ({
      A_01: () => [{ profile: 'plain' as const, changes: denied, failsAt }],
    })
    expect(await judge('failure', table('application'))).toEqual(['passed', null])
    expect(await judge('failure', table('dg1'))).toEqual([
      'failed',
      'the failure is at application (status_refused)',
    ])
    const other = { failsAt: ['application'], failsFor: 'malformed_reply' } as const
    expect(await judge('failure', { A_01: () => [{ profile: 'plain', changes: denied, ...other }] })).toEqual(
      ['failed', 'the failure is at application (status_refused)'],
    )
    expect(await judge('failure', { A_01: () => [{ profile: 'plain' }] })).toEqual([
      'failed',
      'expected a failure, found successful',
    ])
  })
})

test('the table gives scope, outcome and basis; removed cases and terminal authentication do not apply', () => {
  const rows = [
    row('A_01', 'icao', 'success', 'TITLE'),
    row('A_02', 'icao', 'deleted'),
    row('A_03', 'eac', 'success, iris not shown'),
    row('A_04', 'icao', 'not stated'),
  ]
  expect(plan(...rows).map(({ expected, basis, notApplicable }) => [expected, basis, notApplicable])).toEqual(
    [
      ['success', 'title', null],
      ['either', 'plan', 'the plan has removed the case'],
      ['success', 'plan', 'terminal authentication is out of scope'],
      ['success', 'plan', null],
    ],
  )
})

test('the bench counts the cases in scope and writes a file for each case', async () => {
  const file = join(folder, 'plan.tsv')
  const rows = [
    row('ISO7816_A_01', 'icao', 'success'),
    row('X_01', 'icao', 'failure', 'TITLE'),
    row('X_02', 'eac', 'success'),
  ]
  writeFileSync(file, [HEAD, ...rows, ''].join('\n'))
  const out = join(folder, 'out')
  expect(await run(['--plan', file, '--out', out, '--json'])).toBe(1)
  expect(JSON.parse(output.text)).toMatchObject({
    cases: 2,
    passed: 1,
    failed: 1,
    notApplicable: 0,
    plan: { cases: 1, passed: 1 },
    title: { cases: 1, failed: 1 },
    outOfScope: 1,
  })
  const written = JSON.parse(readFileSync(join(out, 'ISO7816_A_01.json'), 'utf8')) as unknown
  expect(written).toMatchObject({ outcome: 'passed', runs: [{ verdict: 'successful' }] })
})

const missing = findMissingPackages()
test.skipIf(missing.length > 0)(
  `the bench runs cases through a real pcscd${missing.length > 0 ? ` (install ${missing.join(', ')})` : ''}`,
  async () => {
    const file = join(folder, 'over.tsv')
    const rows = [
      row('ISO7816_A_01', 'icao', 'success'),
      row('ISO7816_B_01', 'icao', 'failure'),
      row('LDS_B_01', 'icao', 'success', 'TITLE'),
      row('X_01', 'icao', 'failure', 'TITLE'),
    ]
    writeFileSync(file, [HEAD, ...rows, ''].join('\n'))
    expect(await run(['--over', 'pcscd', '--plan', file, '--json'])).toBe(1)
    expect(JSON.parse(output.text)).toMatchObject({
      cases: 4,
      passed: 3,
      failed: 1,
      over: 'pcscd',
      processPeakBytes: expect.any(Number) as number,
    })
  },
)

// @clause TR-03135/reading-time
test('the bench measures a passport on the clock of its model', async () => {
  expect(await run(['--speed', '106', '--json'])).toBe(0)
  const { results } = JSON.parse(output.text) as { results: readonly SpeedResult[] }
  expect(results.map(({ extendedLength, portraitBytes }) => [extendedLength, portraitBytes])).toEqual([
    [false, 15_000],
    [false, 20_000],
    [true, 15_000],
    [true, 20_000],
  ])
  for (const { seconds, parts, verdict } of results) {
    expect(verdict).toBe('successful')
    // 15 000 bytes with nine bits each take 1.27 s at 105.9 kbit/s, without anything else.
    expect(parts.find(({ name }) => name === 'DG2')?.seconds).toBeGreaterThan(1.27)
    expect(Math.abs(seconds - parts.reduce((sum, part) => sum + part.seconds, 0))).toBeLessThan(0.1)
  }
})

test('the bench says that it was skipped where there is no table', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
  expect(await run(['--json'])).toBe(0)
  expect(output.text).toBe('skipped: shared data not found\n')
})
