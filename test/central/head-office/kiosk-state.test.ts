/** The states of a kiosk, as a table. */
import { expect, test } from 'vitest'
import { judgeKiosk, type KioskFacts } from '../../../server/central/head-office/kiosk-state.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const GOOD: KioskFacts = {
  revokedAt: null,
  seenAt: minutesAgo(1),
  status: {},
  newestBundle: 0,
  alarmsOpen: 0,
  alarmKinds: [],
  newestIsTest: false,
}
const LIMITS = { notSeenAfterMinutes: 30, backlogLateAfterHours: 24 }

test.each<[string, Partial<KioskFacts>, string, readonly string[]]>([
  ['has said all is well', {}, 'OK', []],
  ['has just joined', { status: null }, 'OK', []],
  ['has joined and was never heard of', { status: null, seenAt: minutesAgo(31) }, 'LATE', ['not_seen']],
  ['is silent just so long', { seenAt: minutesAgo(30) }, 'OK', []],
  [
    'has an old backlog',
    { status: { oldestPendingAt: minutesAgo(1441).getTime() } },
    'LATE',
    ['backlog_old'],
  ],
  ['has a young backlog', { status: { backlog: 5, oldestPendingAt: minutesAgo(10).getTime() } }, 'OK', []],
  ['takes nothing new', { status: { frozen: ['DISK'] } }, 'FROZEN', ['frozen']],
  [
    'is frozen and silent',
    { seenAt: minutesAgo(99), status: { frozen: ['DISK'] } },
    'FROZEN',
    ['frozen', 'not_seen'],
  ],
  ['has a broken part', { status: { health: { camera: 'DOWN', disk: 'UP' } } }, 'ATTENTION', ['health_down']],
  ['has an older bundle', { status: { bundleVersion: 1 }, newestBundle: 2 }, 'OK', ['bundle_behind']],
  ['has an open alarm', { alarmsOpen: 1, alarmKinds: ['GAP'] }, 'ATTENTION', ['alarm_open']],
  ['has an alarm that was acknowledged', { alarmKinds: ['GAP'] }, 'OK', []],
  ...['CLONE', 'CONFLICT', 'CHAIN_BROKEN', 'AUDIT_ROLLBACK'].map(
    (kind): [string, Partial<KioskFacts>, string, readonly string[]] => [
      `may not be what it says it is (${kind})`,
      { alarmsOpen: 1, alarmKinds: [kind, 'GAP'], status: { frozen: ['DISK'] } },
      'ALARM',
      ['frozen', 'alarm_integrity', 'alarm_open'],
    ],
  ),
  [
    'is in doubt although the alarm was acknowledged',
    { alarmKinds: ['CLONE'] },
    'ALARM',
    ['alarm_integrity'],
  ],
  ['sealed a test last', { newestIsTest: true }, 'OK', ['newest_is_test']],
  [
    'was revoked, whatever else',
    { revokedAt: NOW, seenAt: minutesAgo(99), alarmsOpen: 3, alarmKinds: ['CLONE'] },
    'REVOKED',
    ['revoked'],
  ],
])('a kiosk that %s', (_, facts, state, reasons) => {
  expect(judgeKiosk({ ...GOOD, ...facts }, NOW, LIMITS)).toEqual({ state, reasons })
})
