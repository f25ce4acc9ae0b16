/** The rules of the doctor on facts that no test machine has, and on facts that could not be measured. */
import { expect, test } from 'vitest'
import type { MachineFacts, Updates } from '../../../server/doctor/facts.ts'
import { findWorstState, type CheckName, type CheckState } from '../../../server/doctor/report.ts'
import { judgeMachine } from '../../../server/doctor/rules.ts'
import { REASONS, type UpdateResult } from '../../../server/updates/rules.ts'

const UNMEASURED = { kind: 'unmeasured', reason: 'It could not be measured.' } as const

const NOTHING_MEASURED: MachineFacts = {
  at: new Date('2026-11-30T12:00:00Z'),
  settingProblems: [],
  health: UNMEASURED,
  effects: UNMEASURED,
  permissions: UNMEASURED,
  keys: UNMEASURED,
  database: UNMEASURED,
  time: UNMEASURED,
  sync: UNMEASURED,
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
  updates: UNMEASURED,
}

const measured = <T>(value: T) => ({ kind: 'measured', value }) as const

const judge = (check: CheckName, facts: Partial<MachineFacts>) => {
  const found = judgeMachine({ ...NOTHING_MEASURED, ...facts }).find((result) => result.check === check)
  return { state: found?.state, what: found?.findings.map(({ what }) => what) }
}

test('a check that could not run is never OK and says why', () => {
  const results = judgeMachine(NOTHING_MEASURED).filter(({ check }) => check !== 'configuration')
  expect(results).toHaveLength(16)
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
  expect(judge('network', { health, peers: measured([]), sync: measured(null) })).toEqual({
    state: 'WARNING',
    what: [
      'config.json names no service outside, and no central service was joined.',
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

const UPDATED: Updates = {
  isInstalled: true,
  isOffered: true,
  keys: [
    { path: '/etc/counterproof', kind: 'FOLDER', isSafe: true },
    { path: '/etc/counterproof/release-keys', kind: 'FOLDER', isSafe: true },
    { path: '/etc/counterproof/release-keys/vendor.pem', kind: 'KEY', isSafe: true },
  ],
  last: {
    id: 'rollout-1',
    state: 'INSTALLED',
    reason: null,
    from: '0.1.0',
    to: '0.2.0',
    at: '2026-11-29T02:00:00Z',
  },
  requestAgeMs: null,
  underWayAgeMs: null,
}
const [parent, folder, key] = UPDATED.keys
const notInstalled = (state: UpdateResult['state'], reason: UpdateResult['reason']): UpdateResult => ({
  ...(UPDATED.last as UpdateResult),
  state,
  reason,
})
const MINUTE_MS = 60_000
test.each<[string, Partial<Updates>, CheckState]>([
  ['that was updated', {}, 'OK'],
  ['that was never updated', { last: null }, 'OK'],
  ['without the package', { isInstalled: false, keys: [] }, 'NOT_CHECKED'],
  ['whose keys another user may change', { keys: [parent, folder, { ...key, isSafe: false }] }, 'WRONG'],
  [
    'whose folder of settings another user may change',
    { keys: [{ ...parent, isSafe: false }, folder, key] },
    'WRONG',
  ],
  [
    'whose key the appliance cannot read',
    { keys: [parent, folder, { ...key, kind: 'UNREADABLE' }] },
    'WARNING',
  ],
  [
    'with another file beside the keys',
    { keys: [parent, folder, key, { ...key, kind: 'NO_KEY' }] },
    'WARNING',
  ],
  ['that gets releases and has no key', { keys: [parent, folder] }, 'WRONG'],
  ['that gets no releases and has no key', { keys: [], isOffered: false }, 'WARNING'],
  ['whose update was rolled back', { last: notInstalled('ROLLED_BACK', 'START_FAILED') }, 'WARNING'],
  ['whose update was refused', { last: notInstalled('REFUSED', 'KEY_UNKNOWN') }, 'WARNING'],
  ['whose version before did not start', { last: notInstalled('FAILED', 'ROLLBACK_FAILED') }, 'WRONG'],
  ['whose last result is damaged', { last: 'UNREADABLE' }, 'WARNING'],
  ['with a new request', { requestAgeMs: MINUTE_MS }, 'OK'],
  ['with a request that nothing takes', { requestAgeMs: 11 * MINUTE_MS }, 'WARNING'],
  ['with a request during an update', { requestAgeMs: 11 * MINUTE_MS, underWayAgeMs: 20 * MINUTE_MS }, 'OK'],
  ['with an update that does not end', { underWayAgeMs: 61 * MINUTE_MS }, 'WRONG'],
])('updates: a machine %s', (_, facts, state) => {
  expect(judge('updates', { updates: measured({ ...UPDATED, ...facts }) }).state).toBe(state)
})

test('updates: the finding says what the reason of the last update asks for', () => {
  const updates = measured({ ...UPDATED, last: notInstalled('REFUSED', 'NO_SPACE') })
  const [, finding] = judgeMachine({ ...NOTHING_MEASURED, updates }).at(-1)?.findings ?? []
  expect(finding?.what).toContain('0.2.0 on 2026-11-29, was not installed (REFUSED, NO_SPACE)')
  expect(finding?.remedy).toBe(REASONS.NO_SPACE)
})

const JOINED = {
  isJoined: true,
  lastContactAt: Date.parse('2026-11-30T11:59:00Z'),
  failingSince: null,
  lastError: null,
  stop: null,
  frozen: [],
} as const

test('network: a revoked kiosk is WRONG and is to be enrolled again', () => {
  const sync = measured({ ...JOINED, stop: { since: 0, reason: 'REVOKED' } } as const)
  const [finding] =
    judgeMachine({ ...NOTHING_MEASURED, sync }).find(({ check }) => check === 'network')?.findings ?? []
  expect(finding).toMatchObject({
    state: 'WRONG',
    cost: 'Nothing new may begin, and proofings under way are not sealed.',
    remedy: expect.stringContaining('Enrol it again') as string,
  })
})

test('network: a central service that does not answer is a warning with the cause, also without a running appliance', () => {
  const sync = measured({ ...JOINED, failingSince: 0, lastError: 'connection_refused' })
  const { state, what } = judge('network', { sync, health: measured(null), peers: measured([]) })
  expect([state, what?.[0]]).toEqual(['WARNING', expect.stringContaining('(connection_refused)')])
  expect(judge('network', { sync: measured(JOINED), peers: measured([]) }).state).toBe('OK')
})

test('appliance: a reason why nothing new may begin is WRONG', () => {
  const sync = measured({ ...JOINED, frozen: ['backlog_full'] } as const)
  const health = measured({ version: '1', components: {} })
  expect(judge('appliance', { sync, health }).what).toContain('Nothing new may begin: backlog_full.')
})

test.each([
  ['2026-11-30T10:00:00Z', 'WRONG', 'The clock of the machine is 120 minutes behind the time that'],
  ['2026-11-30T12:00:20Z', 'OK', 'The clock of the machine agrees with the time that'],
] as const)('clock: %s beside the time that the central service confirmed', (wall, state, words) => {
  const at = NOTHING_MEASURED.at
  const statement = { source: 'CENTRE', earliest: at, latest: at, uncertaintyMs: 0, steps: 0 } as const
  const found = judge('clock', {
    clock: measured({ isSynchronised: null, newestFileAt: null }),
    time: measured({ statement, wall: new Date(wall) }),
  })
  expect(found).toEqual({ state, what: [expect.stringContaining(words)] })
})

test('cameras: a machine without any camera is a warning', () => {
  expect(judge('cameras', { cameras: measured({ named: [], present: 0 }) }).state).toBe('WARNING')
  expect(judge('cameras', { cameras: measured({ named: [], present: 1 }) }).state).toBe('NOT_CHECKED')
})

test('models: the cost of several missing models is said once', () => {
  const file = { pack: 'core', path: '/m', state: 'missing' } as const
  const models = measured({
    files: [
      { ...file, id: 'a' },
      { ...file, id: 'b' },
    ],
    abilities: [{ name: 'face-liveness', state: 'NOT_INSTALLED' } as const],
    wantsExtended: false,
  })
  const effect = { indicator: 'X', families: ['PORTRAIT'], policy: 'p', highest: 'LOA0' } as const
  const effects = measured(
    new Map(
      (['FACE_MODELS_MISSING', 'LIVENESS_MODELS_MISSING', 'READING_MODELS_MISSING'] as const).map((f) => [
        f,
        effect,
      ]),
    ),
  )
  const { findings } =
    judgeMachine({ ...NOTHING_MEASURED, models, effects }).find(({ check }) => check === 'models') ?? {}
  expect(findings?.map(({ cost }) => cost !== null)).toEqual([true, false])
})

test('keys that the user of the doctor may not read are WRONG, and no master key is called missing', () => {
  const masterKey = { place: 'keys/kek.key', isThere: false, problem: null }
  const keys = {
    source: 'key-file',
    hasDatabase: true,
    masterKey,
    files: [],
    closed: ['/data/keys'],
  } as const
  expect(judge('keys', { keys: measured(keys) })).toEqual({
    state: 'WRONG',
    what: ['This user may not read /data/keys.'],
  })
})
