/** The pages of the head office have a sentence for each code that the central service may send, in every language. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFormats } from '../../../renderer/counter/formats.ts'
import type { FleetTexts } from '../../../renderer/fleet/text.ts'
import {
  ALARM_KINDS as LISTED_KINDS,
  alarmFacts,
  alarmSentence,
  bundleWords,
  healthWords,
  newestBundleWords,
  otherReasons,
  listReasons,
  ringWords,
  updateWords,
} from '../../../renderer/fleet/words.ts'
import { FLEET } from '../../../renderer/locales/fleet.ts'
import { englishTexts, LANGUAGES, getLanguage } from '../../../renderer/locales/index.ts'
import { KIOSK_REASONS, type Alarm, type Kiosk } from '../../../server/central/head-office/contract.ts'
import { ALARM_KINDS } from '../../../server/central/kiosks/alarms.ts'

const t = englishTexts(FLEET)
const texts: FleetTexts = {
  t,
  known: (key, otherwise, slots) => {
    const text = (t as (key: string, slots?: object) => string)(key, slots)
    return text === key ? otherwise : text
  },
  language: getLanguage('en'),
  formats: createFormats('en', t),
  chooseLanguage: () => undefined,
  suggestLanguage: () => undefined,
  forgetChoice: () => undefined,
}

const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS - 1_000).toISOString()
const aKiosk = (changes: Partial<Kiosk> = {}): Kiosk => ({
  kioskId: '01990000-0000-7000-8000-000000000001',
  name: 'Harbour',
  state: 'OK',
  reasons: [],
  enrolledAt: ago(48),
  revokedAt: null,
  lastSeenAt: ago(5),
  productVersion: '0.1.0',
  backlog: 0,
  oldestPendingAt: null,
  lastSequence: 7,
  frozen: [],
  health: { camera: 'UP' },
  freeDiskBytes: null,
  bundleVersion: 0,
  newestBundleVersion: 0,
  bundleProblems: [],
  alarmsOpen: 0,
  alarmKinds: [],
  otherLines: 0,
  updates: null,
  ...changes,
})
const anAlarm = (changes: Partial<Alarm> = {}): Alarm => ({
  alarmId: '01990000-0000-7000-8000-000000000002',
  kioskId: '01990000-0000-7000-8000-000000000001',
  kioskName: 'Harbour',
  kind: 'GAP',
  subject: '',
  details: {},
  raisedAt: ago(3),
  seenAt: ago(3),
  times: 1,
  resolvedAt: null,
  resolvedBy: null,
  resolution: null,
  acknowledgedAt: null,
  ...changes,
})

describe('a reason', () => {
  test.each(KIOSK_REASONS)('%s is a sentence without an empty place', (reason) => {
    const [sentence] = listReasons(aKiosk({ reasons: [reason], revokedAt: ago(1) }), texts)
    expect(sentence).toMatch(/^[A-Z]/)
    expect(sentence).not.toMatch(/[{}]|undefined|NaN/)
  })

  test('says how long, which part and why', () => {
    const kiosk = aKiosk({
      reasons: ['not_seen', 'backlog_old', 'frozen', 'health_down'],
      oldestPendingAt: ago(30),
      frozen: ['DISK_LOW', 'KEYS_LOST'],
      health: { camera: 'DOWN', printer: 'UP', disk: 'DOWN' },
    })
    expect(listReasons(kiosk, texts)).toEqual([
      'Silent for 5 h 0 min',
      'A proof waits there for 1 d 6 h',
      'Takes no new proofings: disk low, keys lost',
      'Not working: camera, disk',
    ])
  })

  test('that another column shows is not repeated in the column of the state', () => {
    const reasons = ['health_down', 'bundle_behind', 'alarm_open', 'newest_is_test'] as const
    expect(otherReasons(aKiosk({ reasons: [...reasons] }), texts)).toEqual([t('reason.newest_is_test')])
  })

  test('is given for a kiosk that has joined and sent nothing yet', () => {
    expect(otherReasons(aKiosk({ lastSeenAt: null }), texts)).toEqual(['Joined 2 days ago, no report yet'])
  })
})

describe('an alarm', () => {
  test('is of a kind that the page lets the reader choose', () => {
    expect(LISTED_KINDS).toEqual(ALARM_KINDS)
  })

  test.each(ALARM_KINDS)('%s is a sentence', (kind) => {
    expect(alarmSentence(anAlarm({ kind }), texts)).toMatch(/ .+\.$/)
  })

  test('of a kind that this page does not know stays a code', () => {
    expect(alarmSentence(anAlarm({ kind: 'NEWER' }), texts)).toBe('NEWER')
  })

  test('says its numbers, its codes, how often and when', () => {
    const details = { ranges: ['7', '9-12'], problems: ['hash_mismatch'] }
    expect(alarmFacts(anAlarm({ details }), texts)).toBe('number \u20667, 9-12\u2069 · hash mismatch')
    expect(alarmFacts(anAlarm({ details: { sequence: 4 } }), texts)).toBe('number \u20664\u2069')
    const update = { version: '1.2.0', state: 'ROLLED_BACK', reason: 'START_FAILED', ring: 2, paused: true }
    expect(alarmFacts(anAlarm({ details: update }), texts)).toBe(
      '\u20661.2.0\u2069 · \u2066rolled back\u2069 · \u2066start failed\u2069',
    )
  })
})

test('a ring is named with the numbers of kiosks that matter', () => {
  const ring = {
    name: 'canary',
    share: 5,
    isReached: true,
    kiosks: 3,
    unable: 1,
    obstacles: ['UNKNOWN' as const],
    offered: 0,
    installed: 1,
    failed: 1,
  }
  expect(ringWords(ring, texts)).toBe(
    '\u2068canary\u2069: kiosks: 3, installed: 1, failed: 1, cannot take it: 1 (not installed from a package)',
  )
  const later = { ...ring, isReached: false, kiosks: null, unable: null, installed: 0, failed: 0 }
  expect(ringWords(later, texts)).toBe('\u2068canary\u2069: not begun')
})

test('the updates of a kiosk are what it reports of them', () => {
  expect(updateWords(aKiosk(), texts)).toEqual(['The version of the kiosk reports none.'])
  const updates = { enabled: false, version: null, architecture: null, result: null, problem: null }
  expect(updateWords(aKiosk({ updates }), texts)).toEqual(['Disabled at the kiosk'])
  const result = { state: 'REFUSED', reason: 'KEY_UNKNOWN', to: null, at: ago(1) } as const
  const waiting = { enabled: true, version: '1.1.0', architecture: 'amd64', result, problem: 'OUTSIDE_HOURS' }
  expect(updateWords(aKiosk({ updates: waiting }), texts)).toEqual([
    'Enabled',
    'Package 1.1.0',
    'The offered release waits: outside hours',
    'Last result: refused: key unknown',
  ])
})

test.each([
  [{}, '–'],
  [{ camera: 'UP' }, 'Good'],
  [{ camera: 'DEGRADED', disk: 'UP' }, 'Weak: camera'],
  [{ camera: 'DEGRADED', disk: 'DOWN' }, 'Down: disk'],
] as const)('the health %j is "%s"', (health, words) =>
  expect(healthWords(aKiosk({ health }), texts)).toBe(words),
)

test.each([
  [null, 0, '–', 'none published'],
  [0, 0, 'none', 'none published'],
  [0, 2, 'none of 2', 'none (newest: 2)'],
  [1, 2, '1 of 2', '1 (newest: 2)'],
  [2, 2, '2', '2 (newest: 2)'],
])('bundle %s where the newest is %d', (bundleVersion, newestBundleVersion, inTable, inDetails) => {
  const kiosk = aKiosk({ bundleVersion, newestBundleVersion })
  expect([bundleWords(kiosk, texts), newestBundleWords(kiosk, texts)]).toEqual([inTable, inDetails])
})

test.each(LANGUAGES.map(({ tag }) => tag))('%s has no sentence left in English', (tag) => {
  const read = (name: string) =>
    (
      JSON.parse(
        readFileSync(join(import.meta.dirname, `../../../renderer/locales/${name}.json`), 'utf8'),
      ) as { fleet: Record<string, string> }
    ).fleet
  const [own, english] = [read(tag), read('en')]
  const same = Object.keys(english).filter((key) => own[key] === english[key] && / .* /.test(own[key] ?? ''))
  expect(tag === 'en' ? [] : same.filter((key) => !key.startsWith('span.'))).toEqual([])
})
