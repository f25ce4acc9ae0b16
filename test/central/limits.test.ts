/** Places for slow work, memory for bodies that arrive, and the address that limits count by. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ArrivalBudget, type ArrivalLimits } from '../../server/central/http/arrivals.ts'
import { ByteBlocks } from '../../server/central/http/byte-blocks.ts'
import { limitKeyOf } from '../../server/central/http/caller-address.ts'
import { createLimiter } from '../../server/central/limiter.ts'
import { AppError } from '../../server/errors.ts'

describe('places for slow work', () => {
  test('go round the callers: who queues a hundred pieces delays another caller by one', async () => {
    const limit = createLimiter(1)
    const order: string[] = []
    const work = (caller: string) =>
      limit(caller, async () => {
        await sleep(1)
        order.push(caller)
      })
    const all = Array.from({ length: 100 }, () => work('greedy'))
    await Promise.all([...all, work('modest')])
    expect(order.indexOf('modest')).toBe(1)
    expect(order).toHaveLength(101)
  })

  test('are never all held by one caller', async () => {
    const limit = createLimiter(2)
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await sleep(2)
      running--
    }
    await Promise.all(Array.from({ length: 6 }, () => limit('one', work)))
    expect(most).toBe(1)
    await Promise.all(['a', 'b', 'c', 'd'].map((caller) => limit(caller, work)))
    expect(most).toBe(2)
  })

  test('are left by a caller that hangs up while it waits, and by work that fails', async () => {
    const limit = createLimiter(1)
    const failed = limit('a', () => Promise.reject(new Error('broken')))
    const controller = new AbortController()
    const gone = limit('b', () => Promise.resolve('never'), controller.signal)
    controller.abort(new AppError('request_timeout'))
    await expect(gone).rejects.toMatchObject({ code: 'request_timeout' })
    await expect(failed).rejects.toThrow('broken')
    expect(await limit('c', () => Promise.resolve('done'))).toBe('done')
  })
})

describe('the budget for bodies that arrive', () => {
  const LIMITS = { totalBytes: 100, callerBytes: 60, callerBodies: 2, windowMs: 60_000, windowBytes: 1 }
  const open = (limits: Partial<ArrivalLimits> = {}) => new ArrivalBudget({ ...LIMITS, ...limits })
  const codeOf = ({ signal }: { signal: AbortSignal }) =>
    signal.aborted ? (signal.reason as AppError).code : null

  test('refuses a body that is larger than it may be, and more bodies than a caller may send', () => {
    const budget = open()
    const body = budget.open('a', 10)
    body.add(11)
    expect(codeOf(body)).toBe('upload_too_large')
    budget.open('a', 10)
    budget.open('a', 10)
    expect(() => budget.open('a', 10)).toThrow(AppError)
    expect(codeOf(budget.open('b', 10))).toBeNull()
  })

  test('lets the caller that holds most give way, by its newest body, and never by one that is worked on', () => {
    const budget = open()
    const [first, second] = [budget.open('greedy', 60), budget.open('greedy', 60)]
    const other = budget.open('other', 60)
    first.add(30)
    second.add(30)
    other.add(40)
    const late = budget.open('late', 60)
    late.add(5)
    expect([first, second, other, late].map(codeOf)).toEqual([null, 'rate_limited', null, null])
    first.pin()
    other.pin()
    late.add(30)
    expect([first, other, late].map(codeOf)).toEqual([null, null, 'rate_limited'])
  })

  test('has room again when a body is released, however it ended', () => {
    const budget = open()
    for (let round = 0; round < 10; round++) {
      const body = budget.open('a', 60)
      body.add(60)
      expect(codeOf(body)).toBeNull()
      if (round % 2 === 0) body.abort(new AppError('request_timeout'))
      body.release()
    }
  })

  test('cuts off a body that comes too slowly, and none that is whole', async () => {
    const budget = open({ windowMs: 20, windowBytes: 5 })
    const [slow, quick, whole] = [budget.open('slow', 60), budget.open('quick', 60), budget.open('whole', 60)]
    whole.add(1)
    whole.complete()
    for (let round = 0; round < 10; round++) {
      quick.add(5)
      await sleep(10)
    }
    expect([slow, quick, whole].map(codeOf)).toEqual(['request_timeout', null, null])
  })
})

test('bytes that come one by one cost no more than twice their number', () => {
  const blocks = new ByteBlocks()
  for (let index = 0; index < 100_000; index++) blocks.append(Buffer.from([index % 251]))
  const held = new Set(blocks.blocks().map(({ buffer }) => buffer))
  expect([...held].reduce((sum, buffer) => sum + buffer.byteLength, 0)).toBeLessThan(200_000)
  const bytes = Buffer.concat(blocks.blocks())
  expect(bytes.length).toBe(100_000)
  expect(bytes.every((byte, index) => byte === index % 251)).toBe(true)
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:1:2::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['no address', 'unknown'],
])('the limit of %s counts for %s', (address, key) => {
  expect(limitKeyOf(address)).toBe(key)
})
