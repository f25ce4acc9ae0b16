import { describe, expect, test } from 'vitest'
import {
  freezeReasons,
  type FreezeFacts,
  type FreezeLimits,
  type FreezeReason,
} from '../../../server/proofing/freeze.ts'

const HOUR_MS = 3_600_000
const LIMITS: FreezeLimits = {
  backlog: 100,
  ageHours: 10,
  parked: 10,
  freeMegabytes: 500,
  clockUncertaintyMinutes: 60,
}
const WELL = { backlog: 0, oldestAgeMs: null, parked: 0, restoredUnheardOf: false }
const facts = (over: Partial<FreezeFacts> = {}): FreezeFacts => ({
  isBeingUpdated: false,
  freeBytes: 5e9,
  clockUncertaintyMs: 0,
  stop: null,
  waiting: WELL,
  ...over,
})
const waiting = (over: Partial<NonNullable<FreezeFacts['waiting']>>) =>
  facts({ waiting: { ...WELL, ...over } })

/** At its limit, within the air beyond it, and well again. */
const RULES: readonly (readonly [FreezeReason, FreezeFacts, FreezeFacts, FreezeFacts])[] = [
  ['disk_low', facts({ freeBytes: 499e6 }), facts({ freeBytes: 540e6 }), facts({ freeBytes: 551e6 })],
  [
    'clock_unsure',
    facts({ clockUncertaintyMs: HOUR_MS + 1 }),
    facts({ clockUncertaintyMs: 0.95 * HOUR_MS }),
    facts({ clockUncertaintyMs: 0.9 * HOUR_MS }),
  ],
  ['backlog_full', waiting({ backlog: 100 }), waiting({ backlog: 90 }), waiting({ backlog: 89 })],
  [
    'oldest_too_old',
    waiting({ backlog: 1, oldestAgeMs: 10 * HOUR_MS + 1 }),
    waiting({ backlog: 1, oldestAgeMs: 9.5 * HOUR_MS }),
    waiting({ backlog: 1, oldestAgeMs: 9 * HOUR_MS }),
  ],
  ['proofs_parked', waiting({ parked: 10 }), waiting({ parked: 9 }), waiting({ parked: 8 })],
]

describe('a freeze', () => {
  test.each(RULES)(
    '%s begins at its limit and ends only when there is air again',
    (reason, beyond, near, well) => {
      expect(freezeReasons(beyond, LIMITS, [])).toEqual([reason])
      expect(freezeReasons(near, LIMITS, [])).toEqual([])
      expect(freezeReasons(near, LIMITS, [reason])).toEqual([reason])
      expect(freezeReasons(well, LIMITS, [reason])).toEqual([])
    },
  )

  test('a kiosk that the head office has revoked is frozen, whatever else holds', () => {
    expect(freezeReasons(facts({ stop: 'REVOKED', waiting: null }), LIMITS, [])).toEqual(['kiosk_revoked'])
    expect(freezeReasons(facts(), LIMITS, ['kiosk_revoked'])).toEqual([])
    expect(freezeReasons(facts({ stop: 'CLONE' }), LIMITS, [])).toEqual(['kiosk_cloned'])
  })

  test('a disk that does not say how full it is counts as full', () => {
    expect(freezeReasons(facts({ freeBytes: null }), LIMITS, [])).toEqual(['disk_low'])
  })

  test('without a central service the disk and the clock still count', () => {
    const alone = facts({ waiting: null, freeBytes: 1, clockUncertaintyMs: 1e12 })
    expect(freezeReasons(alone, LIMITS, [])).toEqual(['disk_low', 'clock_unsure'])
    expect(freezeReasons(facts({ waiting: null }), LIMITS, ['backlog_full', 'proofs_parked'])).toEqual([])
  })

  test('after a backup was restored, until the central service has said which numbers are taken', () => {
    expect(freezeReasons(waiting({ restoredUnheardOf: true }), LIMITS, [])).toEqual(['restore_not_settled'])
  })

  test('tells every reason there is', () => {
    const all = facts({
      isBeingUpdated: true,
      freeBytes: 0,
      clockUncertaintyMs: 1e12,
      waiting: { backlog: 1e6, oldestAgeMs: 1e12, parked: 1e6, restoredUnheardOf: true },
    })
    expect(freezeReasons(all, LIMITS, [])).toEqual([
      'being_updated',
      'disk_low',
      'clock_unsure',
      'restore_not_settled',
      'backlog_full',
      'oldest_too_old',
      'proofs_parked',
    ])
  })
})
