/** The rule on signs of a display. */
import { expect, test } from 'vitest'
import { judgeScreen } from '../../../../server/proofing/liveness/screen.ts'

const limits = { failFromMoved: 0.45, failFromEdge: 0.92 }

test.each([
  ['a scene that stands still passes', 0, 0, 'passed', null],
  ['a person who passes behind passes', 0.44, 0, 'passed', null],
  ['a scene that moves with a hand fails', 0.45, 0, 'failed', 'SCREEN_SCENE_MOVES'],
  ['an edge in front of the person fails', 0, 0.92, 'failed', 'SCREEN_EDGE_IN_FRONT'],
  ['an edge in front of a plain wall fails', null, 0.92, 'failed', 'SCREEN_EDGE_IN_FRONT'],
  ['a plain wall proves nothing', null, 0, 'inconclusive', 'SCREEN_NOT_MEASURED'],
  ['a face that leaves no place for an edge is judged by the scene', 0, null, 'passed', null],
  ['nothing measured proves nothing', null, null, 'inconclusive', 'SCREEN_NOT_MEASURED'],
  ['a measure that is no number proves nothing', NaN, NaN, 'inconclusive', 'SCREEN_NOT_MEASURED'],
])('%s', (_, sceneMoved, frontEdge, outcome, reason) => {
  expect(judgeScreen({ sceneMoved, frontEdge }, limits)).toEqual({ outcome, reason })
})
