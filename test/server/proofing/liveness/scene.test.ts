/** The empty scene's rule. */
import { expect, test } from 'vitest'
import { judgeScene } from '../../../../server/proofing/liveness/scene.ts'

const limits = { mostChange: 0.3, failFromChange: 0.45 }

test.each([
  ['the same place passes', 0, 'passed', null],
  ['a passer-by in the background passes', 0.3, 'passed', null],
  ['much that is another place proves nothing', 0.31, 'inconclusive', 'SCENE_PARTLY_OTHER'],
  ['another place fails', 0.45, 'failed', 'SCENE_OTHER'],
  ['an unknown place proves nothing', null, 'inconclusive', 'SCENE_NOT_KNOWN'],
])('%s', (_, change, outcome, reason) => {
  expect(judgeScene(change, limits)).toEqual({ outcome, reason })
})

test('a change that is no number never passes', () => {
  expect(judgeScene(NaN, limits).outcome).not.toBe('passed')
})
