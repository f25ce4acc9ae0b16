/** Rules of rollouts: rings, who gets a release, and when the next ring begins. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  chooseRelease,
  DEFAULT_RINGS,
  findRelease,
  findRing,
  judgeRollout,
  keepWellSince,
  type KioskFacts,
  type ProgressState,
} from '../../server/central/rollouts/rules.ts'

const NOW = 1_000_000_000
const HOUR = 3_600_000
const RELEASES = [{ version: '1.2.0', architecture: 'amd64', minimumFrom: '1.0.0' }]
const ROLLOUT = {
  rings: DEFAULT_RINGS,
  ring: 0,
  soakMs: HOUR,
  maxFailedPercent: 10,
  judgedFrom: NOW - 10 * HOUR,
}

const reports = (more: Partial<NonNullable<KioskFacts['updates']>> = {}) => ({
  enabled: true,
  version: '1.1.0',
  architecture: 'amd64',
  ...more,
})
const kiosk = (more: Partial<KioskFacts> = {}): KioskFacts => ({
  kioskId: randomUUID(),
  ring: 0,
  seenAt: NOW,
  updates: reports(),
  isWell: true,
  progress: null,
  ...more,
})
/** @param hours since when it is well; null: it is not */
const installed = (hours: number | null, more: Partial<KioskFacts> = {}): KioskFacts =>
  kiosk({
    updates: reports({ version: '1.2.0' }),
    progress: { state: 'INSTALLED', at: NOW, wellSince: hours === null ? null : NOW - hours * HOUR },
    ...more,
  })
const ended = (state: ProgressState, more: Partial<KioskFacts> = {}): KioskFacts =>
  kiosk({ progress: { state, at: NOW - HOUR, wellSince: null }, ...more })
const judge = (kiosks: readonly KioskFacts[], more: Partial<typeof ROLLOUT> = {}) =>
  judgeRollout({ ...ROLLOUT, ...more }, RELEASES, kiosks, { now: NOW, onlineMs: HOUR })

describe('the ring of a kiosk', () => {
  test('stays the same, follows the shares, and is the one that an operator names', () => {
    const ids = Array.from({ length: 2_000 }, () => randomUUID())
    const rings = ids.map((id) => findRing(DEFAULT_RINGS, id, null))
    expect(ids.map((id) => findRing(DEFAULT_RINGS, id, null))).toEqual(rings)
    const counts = [0, 1, 2].map((ring) => rings.filter((one) => one === ring).length)
    for (const [ring, expected] of [100, 400, 1_500].entries())
      expect(Math.abs((counts[ring] ?? 0) - expected)).toBeLessThan(100)
    const [id = ''] = ids
    expect(['canary', 'all', 'gone'].map((name) => findRing(DEFAULT_RINGS, id, name))).toEqual([
      0,
      2,
      rings[0],
    ])
    expect(
      findRing(
        [
          { name: 'pilot', share: 0 },
          { name: 'all', share: 100 },
        ],
        id,
        null,
      ),
    ).toBe(1)
  })
})

describe('a kiosk is offered a release', () => {
  test.each([
    ['of its architecture and above its version', {}, RELEASES[0]],
    ['not if its version reports no updates', { updates: null }, 'UNKNOWN'],
    ['not if it was not installed from a package', { updates: reports({ version: null }) }, 'UNKNOWN'],
    ['not if its updates are disabled', { updates: reports({ enabled: false }) }, 'DISABLED'],
    ['not of another architecture', { updates: reports({ architecture: 'arm64' }) }, 'ARCHITECTURE'],
    ['not if it has this version', { updates: reports({ version: '1.2.0' }) }, 'CURRENT'],
    ['not if it has a newer one', { updates: reports({ version: '1.10.0' }) }, 'CURRENT'],
    ['not below the minimum version', { updates: reports({ version: '1.0.0~rc1' }) }, 'TOO_OLD'],
    ['at the minimum version', { updates: reports({ version: '1.0.0' }) }, RELEASES[0]],
  ])('%s', (_, more, expected) => {
    expect(findRelease(RELEASES, kiosk(more))).toEqual(expected)
  })

  test.each([
    ['while its rollout runs', { state: 'RUNNING' }, {}, true],
    ['when it was offline until the rollout was done', { state: 'DONE' }, {}, true],
    ['not before the start', { state: 'PLANNED' }, {}, false],
    ['not while the rollout is paused', { state: 'PAUSED' }, {}, false],
    ['not after the rollout was stopped', { state: 'STOPPED' }, {}, false],
    ['not before its ring', {}, { ring: 1 }, false],
    ['again until it answers', {}, ended('OFFERED'), true],
    ['not again after it was rolled back', {}, ended('ROLLED_BACK'), false],
    ['not again after an installation that another one replaced', {}, ended('INSTALLED'), false],
  ] as const)('%s', (_, rollout, more, isOffered) => {
    const chosen = chooseRelease({ state: 'RUNNING', ring: 0, ...rollout }, RELEASES, kiosk(more))
    expect(chosen).toEqual(isOffered ? RELEASES[0] : null)
  })
})

describe('a ring', () => {
  test.each([
    ['waits for the installation', [installed(2), ended('OFFERED')], 'INSTALL'],
    [
      'waits for a kiosk that is online and was not offered the release yet',
      [installed(2), kiosk()],
      'INSTALL',
    ],
    ['waits until the soak time is over', [installed(2), installed(0.9)], 'SOAK'],
    ['waits for a kiosk that is not well', [installed(2), installed(null)], 'UNWELL'],
    [
      'waits for a kiosk that went silent after the installation',
      [installed(2), installed(9, { seenAt: NOW - 2 * HOUR })],
      'UNWELL',
    ],
    [
      'waits for a kiosk that went silent after the offer',
      [installed(2), ended('OFFERED', { seenAt: null })],
      'INSTALL',
    ],
    [
      'waits while all its kiosks are offline',
      [kiosk({ seenAt: null }), kiosk({ seenAt: NOW - 2 * HOUR })],
      'OFFLINE',
    ],
    ['waits if it has no kiosk', [], 'NO_KIOSK'],
    [
      'waits if none of its kiosks can take the release',
      [kiosk({ updates: null }), kiosk({ updates: reports({ version: '0.9' }) })],
      'NO_KIOSK',
    ],
    [
      'waits if every kiosk failed before the rollout was continued',
      [ended('FAILED', { progress: { state: 'FAILED', at: NOW - 11 * HOUR, wellSince: null } })],
      'NO_KIOSK',
    ],
  ] as const)('%s', (_, kiosks, waits) => {
    expect(judge(kiosks)).toEqual({ act: 'WAIT', waits })
  })

  test.each([
    ['is complete after the soak time', [installed(1)], {}, 'ADVANCE'],
    [
      'does not wait for a kiosk that was offline before the offer',
      [installed(2), kiosk({ seenAt: null })],
      {},
      'ADVANCE',
    ],
    ['does not wait for kiosks of later rings', [installed(2), kiosk({ ring: 1 })], {}, 'ADVANCE'],
    ['without a kiosk follows one that showed the release works', [installed(2)], { ring: 1 }, 'ADVANCE'],
    [
      'that is the last one ends the rollout',
      [installed(2), installed(2, { ring: 2 })],
      { ring: 2 },
      'FINISH',
    ],
  ] as const)('%s', (_, kiosks, rollout, act) => {
    expect(judge(kiosks, rollout)).toEqual({ act })
  })

  test.each(['ROLLED_BACK', 'REFUSED', 'FAILED'] as const)(
    'with a share of %s at the limit pauses the rollout',
    (state) => {
      const failed = ended(state)
      const others = Array.from({ length: 9 }, () => installed(2))
      expect(judge([failed, ...others])).toEqual({ act: 'PAUSE', failed: [failed.kioskId] })
      // One of eleven is below 10 %.
      expect(judge([failed, ...others, installed(2)])).toEqual({ act: 'ADVANCE' })
      expect(judge([failed, ...others], { judgedFrom: NOW })).toEqual({ act: 'ADVANCE' })
      // A later failure in a ring that was complete counts as well.
      expect(judge([failed, installed(2, { ring: 1 })], { ring: 1 })).toMatchObject({ act: 'PAUSE' })
    },
  )
})

test('the soak time begins again when a kiosk was not well, or silent for too long', () => {
  const keep = (wellSince: number | null, seenAt: number | null, isWell = true) =>
    keepWellSince({ wellSince, seenAt }, isWell, NOW, HOUR)
  expect([
    keep(NOW - 5 * HOUR, NOW - HOUR),
    keep(NOW - 5 * HOUR, NOW - HOUR - 1),
    keep(NOW - 5 * HOUR, null),
    keep(null, NOW - 1),
    keep(NOW - 5 * HOUR, NOW - 1, false),
  ]).toEqual([NOW - 5 * HOUR, NOW, NOW, NOW, null])
})
