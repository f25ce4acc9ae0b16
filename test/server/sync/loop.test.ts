/** Something that is done again and again: after a while or when woken, never twice at once. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startLoop } from '../../../server/sync/loop.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Rounds that end when the test says so. */
function heldRounds(everyMs = 1_000) {
  const ends: PromiseWithResolvers<void>[] = []
  const failures: unknown[] = []
  const loop = startLoop(
    everyMs,
    () => {
      const end = Promise.withResolvers<void>()
      ends.push(end)
      return end.promise
    },
    (error) => failures.push(error),
  )
  return { loop, ends, failures }
}
const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('the first round begins at once, and the next one a pause after its end', async () => {
  const { loop, ends } = heldRounds()
  expect(ends).toHaveLength(1)
  await passed(5_000)
  expect(ends).toHaveLength(1)
  ends[0].resolve()
  await passed(999)
  expect(ends).toHaveLength(1)
  await passed(1)
  expect(ends).toHaveLength(2)
  ends[1].resolve()
  await loop.close()
})

test('a loop that is woken in its pause continues at once, and keeps the whole pause after that', async () => {
  const { loop, ends } = heldRounds()
  ends[0].resolve()
  await passed(900)
  loop.wake()
  await passed(0)
  expect(ends).toHaveLength(2)
  ends[1].resolve()
  // The timer of the pause that was cut short is gone: only the new one counts.
  await passed(999)
  expect(ends).toHaveLength(2)
  await passed(1)
  expect(ends).toHaveLength(3)
  ends[2].resolve()
  await loop.close()
})

test('a loop that is woken while a round runs has one more round straight after it, and not two at once', async () => {
  const { loop, ends } = heldRounds()
  loop.wake()
  loop.wake()
  await passed(0)
  expect(ends).toHaveLength(1)
  ends[0].resolve()
  await passed(0)
  expect(ends).toHaveLength(2)
  ends[1].resolve()
  await passed(999)
  expect(ends).toHaveLength(2)
  await passed(1)
  expect(ends).toHaveLength(3)
  ends[2].resolve()
  await loop.close()
})

test('a failed round is reported, and the next one still comes', async () => {
  const { loop, ends, failures } = heldRounds()
  const fault = new Error('disk full')
  ends[0].reject(fault)
  await passed(1_000)
  expect(failures).toEqual([fault])
  expect(ends).toHaveLength(2)
  ends[1].resolve()
  await loop.close()
})

test('a loop is closed when the round that is under way has ended, and none follows', async () => {
  const { loop, ends } = heldRounds()
  let closed = false
  const closing = loop.close().then(() => (closed = true))
  await passed(5_000)
  expect(closed).toBe(false)
  ends[0].resolve()
  await closing
  await passed(5_000)
  expect(ends).toHaveLength(1)
})

test('a loop that is closed in its pause is closed at once', async () => {
  const { loop, ends } = heldRounds()
  ends[0].resolve()
  await passed(10)
  await loop.close()
  await passed(5_000)
  expect(ends).toHaveLength(1)
})
