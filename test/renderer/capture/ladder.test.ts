/** Help grows with time and tries, and a good picture sets the time back. */
import { expect, test } from 'vitest'
import {
  countAutomaticFailure,
  keepsBestTry,
  ladderDetail,
  manualBelowQuality,
  noteGoodPicture,
  startLadder,
} from '../../../renderer/capture/document/ladder.ts'
import { CAPTURE_LIMITS } from '../../../renderer/capture/limits.ts'

const { ladder: LIMITS } = CAPTURE_LIMITS
const start = startLadder('FRONT', 1_000)
const rungAt = (nowMs: number, ladder = start) => ladderDetail(ladder, nowMs, LIMITS).rung

test('the manual shutter is highlighted after 12 s, and tips are shown after 25 s', () => {
  expect([12_999, 13_000, 25_999, 26_000].map((nowMs) => rungAt(nowMs))).toEqual([0, 1, 1, 2])
  expect(ladderDetail(start, 13_000, LIMITS)).toMatchObject({ manualHighlighted: true, showTips: false })
  expect(ladderDetail(start, 26_000, LIMITS)).toMatchObject({ manualHighlighted: true, showTips: true })
})

test('a good picture sets the clock back', () => {
  expect(rungAt(14_000, noteGoodPicture(start, 13_500))).toBe(0)
})

test('after three automatic tries that came to nothing the manual shutter comes first', () => {
  const twice = countAutomaticFailure(countAutomaticFailure(start))
  expect(ladderDetail(twice, 2_000, LIMITS).manualFirst).toBe(false)
  expect(ladderDetail(countAutomaticFailure(twice), 2_000, LIMITS)).toMatchObject({
    rung: 3,
    manualFirst: true,
  })
})

test('tries of an earlier session count', () => {
  expect(rungAt(1_000, startLadder('FRONT', 1_000, 3))).toBe(3)
})

test('the second manual try below quality is the last', () => {
  const once = manualBelowQuality(start)
  expect([keepsBestTry(once, LIMITS), keepsBestTry(manualBelowQuality(once), LIMITS)]).toEqual([false, true])
})
