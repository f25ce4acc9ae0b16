import { describe, expect, test } from 'vitest'
import { matchZone } from '../../../server/proofing/match-zone.ts'

describe.each([
  ['a similarity', 'fused-z', { decision: 3, review: 2 }, [3.5, 3, 2.999, 2, 1.999, -1]],
  ['a distance', 'euclidean-distance', { decision: 0.5, review: 0.6 }, [0.1, 0.5, 0.501, 0.6, 0.601, 2]],
] as const)('%s', (_name, measure, thresholds, scores) => {
  test('on a threshold belongs to its match side', () => {
    const zones = scores.map((score) => matchZone({ score, measure, ...thresholds }))
    expect(zones).toEqual(['match', 'match', 'review', 'review', 'no-match', 'no-match'])
  })

  test('short of a match is no match without a threshold for review', () => {
    const zones = scores.map((score) => matchZone({ score, measure, ...thresholds, review: null }))
    expect(zones).toEqual(['match', 'match', 'no-match', 'no-match', 'no-match', 'no-match'])
  })

  test('that is no number is no match', () => {
    expect(matchZone({ score: NaN, measure, ...thresholds })).toBe('no-match')
  })
})
