/** One message at a time, readable, never flickering. */
import { describe, expect, test } from 'vitest'
import { nextMessage, noMessage, showNow } from '../../../renderer/capture/guidance-timing.ts'

const LIMITS = { appearsAfterMs: 400, staysMs: 1500 }
type Code = 'DARK' | 'FAR' | 'READY'

/** Returns the shown message after each time. */
function shownOver(truths: readonly (readonly [atMs: number, truth: Code | null])[]) {
  let timing = noMessage<Code>()
  return truths.map(([atMs, truth]) => {
    timing = nextMessage(timing, truth, atMs, LIMITS)
    return timing.shown
  })
}

describe('a message', () => {
  test('appears once it was true for 400 ms', () => {
    expect(shownOver([[0, 'DARK'], [399, 'DARK'], [400, 'DARK']])).toEqual([null, null, 'DARK']) // oxfmt-ignore
  })
  test('does not appear when something else was true in between', () => {
    expect(shownOver([[0, 'DARK'], [300, 'FAR'], [500, 'DARK'], [700, 'DARK']])).toEqual([null, null, null, null]) // oxfmt-ignore
  })
  test('stays 1.5 s, however long something else has been true', () => {
    expect(
      shownOver([
        [0, 'DARK'],
        [400, 'DARK'],
        [500, 'FAR'],
        [1899, 'FAR'],
        [1900, 'FAR'],
      ]),
    ).toEqual(
      [null, 'DARK', 'DARK', 'DARK', 'FAR'], // oxfmt-ignore
    )
  })
  test('stays while nothing is known', () => {
    expect(shownOver([[0, 'DARK'], [400, 'DARK'], [5000, null], [9000, null]])).toEqual([null, 'DARK', 'DARK', 'DARK']) // oxfmt-ignore
  })
  test('about what the person did is shown at once, and stays as long as any', () => {
    const said = showNow<Code>('READY', 0)
    expect(said.shown).toBe('READY')
    const early = nextMessage(nextMessage(said, 'DARK', 100, LIMITS), 'DARK', 1499, LIMITS)
    expect(early.shown).toBe('READY')
    expect(nextMessage(early, 'DARK', 1500, LIMITS).shown).toBe('DARK')
  })
})
