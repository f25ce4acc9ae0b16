import { describe, expect, test } from 'vitest'
import { decideRetention, graceEnd, type RetentionFacts } from '../../../server/proofing/retention.ts'

const at = (hours: number): Date => new Date(Date.UTC(2026, 2, 1) + hours * 3_600_000)
const POLICY = { afterProof: 'erase', abandonedHours: 168 } as const
const OPEN: RetentionFacts = {
  status: 'EXPECTING_INPUT',
  lastChangeAt: at(0),
  graceEndsAt: null,
  hold: null,
  unacknowledged: false,
  awaited: false,
}
const SEALED: RetentionFacts = { ...OPEN, status: 'CLOSED', graceEndsAt: at(24) }
const erased = (reason: string) => ({ action: 'erase', reason })
const again = (hours: number) => ({ action: 'look-again', at: at(hours) })
const KEEP = { action: 'keep' }

describe('an identity whose proof was sealed', () => {
  test.each([
    ['in its grace window stays until the window ends', SEALED, 23.9, again(24)],
    ['is erased when its grace window has ended', SEALED, 24, erased('RETENTION')],
    ['whose proof was not fetched is not erased', { ...SEALED, graceEndsAt: null }, 500, again(501)],
    [
      'waits for the acknowledgement of the central service',
      { ...SEALED, unacknowledged: true },
      30,
      again(31),
    ],
    ['under a hold stays', { ...SEALED, hold: { until: null } }, 500, KEEP],
    ['under a hold with an end is looked at then', { ...SEALED, hold: { until: at(900) } }, 500, again(900)],
    [
      'is erased while other evidence of it is in doubt',
      { ...SEALED, awaited: true },
      24,
      erased('RETENTION'),
    ],
  ])('%s', (_, facts, now, expected) => {
    expect(decideRetention(facts, POLICY, at(now))).toEqual(expected)
  })

  test('stays for good where the tenant keeps what was proofed', () => {
    expect(decideRetention(SEALED, { ...POLICY, afterProof: 'keep' }, at(500))).toEqual(KEEP)
  })
})

describe('an open identity', () => {
  test.each([
    ['is not abandoned before its time', OPEN, 167.9, again(168)],
    ['that nothing happened to is abandoned', OPEN, 168, erased('ABANDONED')],
    [
      'that something happened to has its whole time again',
      { ...OPEN, lastChangeAt: at(100) },
      168,
      again(268),
    ],
    ['that is paused waits to be resumed', { ...OPEN, status: 'PAUSED' as const }, 168, again(336)],
    ['whose evidence is being decided waits', { ...OPEN, awaited: true }, 168, again(336)],
    [
      'whose earlier proof the central service has not, waits',
      { ...OPEN, unacknowledged: true },
      168,
      again(336),
    ],
    ['under a hold stays', { ...OPEN, hold: { until: null } }, 500, KEEP],
  ])('%s', (_, facts, now, expected) => {
    expect(decideRetention(facts, POLICY, at(now))).toEqual(expected)
  })

  test('is never abandoned where the tenant says so', () => {
    expect(decideRetention(OPEN, { ...POLICY, abandonedHours: 0 }, at(9000))).toEqual(KEEP)
  })
})

describe('the grace window', () => {
  const sealed = { expiresAt: at(24), retrievedAt: null, acknowledged: false }
  test.each([
    ['does not end before the proof was fetched', sealed, null],
    ['ends as set when the central service has it', { ...sealed, acknowledged: true }, at(24)],
    ['ends as set when it was fetched at once', { ...sealed, retrievedAt: at(0) }, at(24)],
    ['is whole after a late first fetch', { ...sealed, retrievedAt: at(100), acknowledged: true }, at(124)],
  ])('%s', (_, handedOver, expected) => {
    expect(graceEnd(handedOver, 24)).toEqual(expected)
  })
})
