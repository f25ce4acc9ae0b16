/** The rules of the doctor on facts that no test machine has, and on facts that could not be measured. */
import { expect, test } from 'vitest'
import type { MachineFacts } from '../../../server/doctor/facts.ts'
import { findWorstState, type CheckName } from '../../../server/doctor/report.ts'
import { judgeMachine } from '../../../server/doctor/rules.ts'

const UNMEASURED = { kind: 'unmeasured', reason: 'It could not be measured.' } as const

const NOTHING_MEASURED: MachineFacts = {
  at: new Date('2026-11-30T12:00:00Z'),
  settingProblems: [],
  health: UNMEASURED,
  effects: UNMEASURED,
  permissions: UNMEASURED,
  keys: UNMEASURED,
  models: UNMEASURED,
  disks: UNMEASURED,
  clock: UNMEASURED,
  cameras: UNMEASURED,
  readers: UNMEASURED,
  peers: UNMEASURED,
  certificates: UNMEASURED,
  sandbox: UNMEASURED,
  speech: UNMEASURED,
  printer: UNMEASURED,
  power: UNMEASURED,
}

const measured = <T>(value: T) => ({ kind: 'measured', value }) as const

const judge = (check: CheckName, facts: Partial<MachineFacts>) => {
  const found = judgeMachine({ ...NOTHING_MEASURED, ...facts }).find((result) => result.check === check)
  return { state: found?.state, what: found?.findings.map(({ what }) => what) }
}

test('a check that could not run is never OK and says why', () => {
  const results = judgeMachine(NOTHING_MEASURED).filter(({ check }) => check !== 'configuration')
  expect(results).toHaveLength(14)
  for (const { state, findings } of results) {
    expect(state).toBe('NOT_CHECKED')
    expect(findings[0]?.what).toBe('It could not be measured.')
  }
})

test('the state of a report is that of its worst check, and something unchecked is worse than OK', () => {
  expect(findWorstState(['OK', 'NOT_CHECKED'])).toBe('NOT_CHECKED')
  expect(findWorstState(['NOT_CHECKED', 'WARNING', 'OK'])).toBe('WARNING')
  expect(findWorstState(['WARNING', 'WRONG'])).toBe('WRONG')
})

const MAINS = { name: 'AC', kind: 'MAINS', chargePercent: null, isDischarging: false } as const
const BATTERY = { name: 'BAT0', kind: 'BATTERY', isOnline: null, isDischarging: true } as const
test.each([
  [
    'mains power',
    [
      { ...MAINS, isOnline: true },
      { ...BATTERY, chargePercent: 90 },
    ],
    'OK',
  ],
  [
    'a charged battery',
    [
      { ...MAINS, isOnline: false },
      { ...BATTERY, chargePercent: 90 },
    ],
    'WARNING',
  ],
  [
    'an empty battery',
    [
      { ...MAINS, isOnline: false },
      { ...BATTERY, chargePercent: 7 },
    ],
    'WRONG',
  ],
  ['an unknown supply', [], 'NOT_CHECKED'],
] as const)('a machine on %s', (_, power, state) => {
  expect(judge('power', { power: measured(power) }).state).toBe(state)
})

test.each([
  ['2026-11-30T11:59:59Z', 'WRONG'],
  ['2026-12-29T12:00:00Z', 'WARNING'],
  ['2027-01-30T12:00:00Z', 'OK'],
] as const)('a certificate that ends at %s', (end, state) => {
  const certificate = {
    use: 'signing',
    name: 'the signing key a',
    validFrom: new Date(0),
    validTo: new Date(end),
  } as const
  expect(judge('certificates', { certificates: measured([certificate]) }).state).toBe(state)
})

test('a reader without its service, a stopped printer and a missing voice each say what is wrong', () => {
  const facts = {
    readers: measured({ kind: 'unavailable', fault: 'no_daemon' } as const),
    printer: measured({ name: 'receipts', isEnabled: false }),
    speech: measured({ isInstalled: true, modules: [] }),
  }
  expect(judge('reader', facts)).toEqual({ state: 'WRONG', what: ['pcscd does not run.'] })
  expect(judge('printer', facts)).toEqual({ state: 'WARNING', what: ['The printer receipts is stopped.'] })
  expect(judge('speech', facts)).toEqual({ state: 'WARNING', what: ['Speech Dispatcher has no voice.'] })
})

test('a part that the running appliance reports as faulty is not hidden by a machine that looks well', () => {
  const health = measured({
    version: '1',
    components: { sms: { status: 'DEGRADED', detail: 'the last message failed' }, jobs: { status: 'UP' } },
  } as const)
  expect(judge('network', { health, peers: measured([]) })).toEqual({
    state: 'WARNING',
    what: [
      'config.json names no service outside; a running appliance reports its central service.',
      'The appliance reports sms as DEGRADED: the last message failed.',
    ],
  })
})

test('backups on the disk of the data are a warning', () => {
  const disk = {
    use: 'backups',
    path: '/b',
    freeBytes: 5e9,
    freeFiles: null,
    isOfData: true,
    freezeBytes: 0,
  } as const
  expect(judge('disk', { disks: measured([disk]) }).state).toBe('WARNING')
})
