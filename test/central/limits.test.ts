/** Places for slow work, memory for bodies that arrive, calls of a minute, and the address that limits count by. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../server/errors.ts'
import { ArrivalBudget } from '../../server/central/http/arrivals.ts'
import { ByteBlocks } from '../../server/central/http/byte-blocks.ts'
import { CallWindow } from '../../server/central/http/call-window.ts'
import { limitKeyOf } from '../../server/central/http/caller-address.ts'
import { createLimiter } from '../../server/central/limiter.ts'

describe('the address that a limit counts by', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    // One connection has a whole /64: the last four groups do not count.
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
    ['2001:0DB8:0000:0001:ffff::', '2001:db8:0:1'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1::2:3:4:5', '2001:db8:1:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['1::', '1:0:0:0'],
    ['1:2:3:4:5:6:7::', '1:2:3:4'],
    ['::2:3:4:5:6:7:8', '0:2:3:4'],
    ['fe80::1:2:3:4%eth0', 'fe80:0:0:0'],
    ['', 'unknown'],
    ['somewhere', 'unknown'],
    ['192.0.2.7.8', 'unknown'],
  ])('of %j is %j', (address, key) => {
    expect(limitKeyOf(address)).toBe(key)
  })
})

describe('a window of calls', () => {
  const NOW = Date.UTC(2026, 10, 21, 12)

  test('lets as many calls through as the limit within a minute, and says when the next one may come', () => {
    const calls = new CallWindow(2)
    expect(calls.limit).toBe(2)
    expect(calls.hit('a', NOW)).toEqual({ isRefused: false, remaining: 1, resetSeconds: 60 })
    expect(calls.hit('a', NOW + 10_500)).toEqual({ isRefused: false, remaining: 0, resetSeconds: 50 })
    expect(calls.hit('a', NOW + 20_000)).toEqual({ isRefused: true, remaining: 0, resetSeconds: 40 })
    expect(calls.hit('a', NOW + 59_999)).toEqual({ isRefused: true, remaining: 0, resetSeconds: 1 })
    // A refused call does not count: a minute after the first one there is room again.
    expect(calls.hit('a', NOW + 60_000)).toEqual({ isRefused: false, remaining: 0, resetSeconds: 11 })
  })

  test('counts each caller for itself', () => {
    const calls = new CallWindow(1)
    expect(calls.hit('a', NOW).isRefused).toBe(false)
    expect(calls.hit('b', NOW).isRefused).toBe(false)
    expect(calls.hit('a', NOW).isRefused).toBe(true)
  })

  test('keeps what still counts when it forgets the others, once a minute', () => {
    const calls = new CallWindow(1)
    const later = Date.now() + 60_000
    calls.hit('old', later - 60_000)
    calls.hit('new', later - 1)
    // The look of this minute takes place with this call.
    expect(calls.hit('other', later).isRefused).toBe(false)
    expect(calls.hit('new', later).isRefused).toBe(true)
    expect(calls.hit('old', later).isRefused).toBe(false)
  })

  test('forgets the caller it has not seen for the longest time when there are a hundred thousand', () => {
    const calls = new CallWindow(1)
    for (let count = 0; count < 100_000; count++) calls.hit(`caller ${count}`, NOW)
    // Seen again, though refused: now caller 1 is the one not seen for the longest time.
    expect(calls.hit('caller 0', NOW).isRefused).toBe(true)
    calls.hit('one more', NOW)
    expect(calls.hit('caller 0', NOW).isRefused).toBe(true)
    expect(calls.hit('caller 2', NOW).isRefused).toBe(true)
    expect(calls.hit('caller 1', NOW).isRefused).toBe(false)
  })
})

describe('places for slow work', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  /** Work that says when it begins, and ends when the test says so. */
  function bench(places: number) {
    const limiter = createLimiter(places)
    const begun: string[] = []
    const ends = new Map<string, PromiseWithResolvers<void>>()
    const ask = (caller: string, name: string, signal?: AbortSignal) => {
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      const work = async () => {
        begun.push(name)
        await end.promise
        return name
      }
      return limiter(caller, work, signal)
    }
    const end = async (name: string) => {
      ends.get(name)?.resolve()
      await turn()
    }
    return { ask, begun, end, ends }
  }

  test('are given to as many as there are, each caller one at a time, in turns', async () => {
    const { ask, begun, end } = bench(2)
    const all = [
      ask('a', 'a1'),
      ask('a', 'a2'),
      ask('a', 'a3'),
      ask('b', 'b1'),
      ask('c', 'c1'),
      ask('b', 'b2'),
    ]
    await turn()
    expect(begun).toEqual(['a1', 'b1'])
    await end('a1')
    // Not the next of the same caller: c has had no turn yet.
    expect(begun).toEqual(['a1', 'b1', 'c1'])
    await end('b1')
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
    await end('c1')
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2'])
    await end('b2')
    expect(begun).toHaveLength(5)
    await end('a2')
    await end('a3')
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
  })

  test('are given back by work that fails', async () => {
    const { ask, begun, end, ends } = bench(1)
    const failing = ask('a', 'a1').catch((error: Error) => error.message)
    const next = ask('b', 'b1')
    await turn()
    ends.get('a1')?.reject(new Error('failed'))
    expect(await failing).toBe('failed')
    await turn()
    expect(begun).toEqual(['a1', 'b1'])
    await end('b1')
    expect(await next).toBe('b1')
  })

  test('are not given to work that was called off while it waited, and those behind it move up', async () => {
    const { ask, begun, end } = bench(1)
    const first = ask('a', 'a1')
    const off = new AbortController()
    const called = ask('b', 'b1', off.signal).catch((error: Error) => error.message)
    const second = ask('b', 'b2')
    off.abort(new Error('hung up'))
    expect(await called).toBe('hung up')
    await end('a1')
    await turn()
    expect(begun).toEqual(['a1', 'b2'])
    await end('b2')
    expect(await Promise.all([first, second])).toEqual(['a1', 'b2'])
  })

  test('are not asked for by work that was called off before, and kept by work that is called off while it runs', async () => {
    const { ask, begun, end } = bench(1)
    const off = new AbortController()
    const running = ask('a', 'a1', off.signal)
    off.abort(new Error('hung up'))
    await expect(ask('b', 'b1', off.signal)).rejects.toThrow('hung up')
    await end('a1')
    expect(await running).toBe('a1')
    expect(begun).toEqual(['a1'])
  })
})

describe('bytes that arrive in pieces', () => {
  const KIB = 1024

  test('stay in their order over blocks that grow up to a mebibyte', () => {
    const body = new ByteBlocks()
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 251)
    for (let at = 0; at < bytes.length; at += 70_001) body.append(bytes.subarray(at, at + 70_001))
    expect(body.length).toBe(3_000_000)
    const blocks = body.blocks()
    expect(Buffer.compare(Buffer.concat(blocks), bytes)).toBe(0)
    // 16, then as much as there is each time: 16, 32, 64 … 1024 KiB.
    expect(blocks.slice(0, -1).map(({ length }) => length / KIB)).toEqual([
      16, 16, 32, 64, 128, 256, 512, 1024,
    ])
  })

  test('cost no more than they are, one by one, and are text at the end', () => {
    const body = new ByteBlocks()
    for (const byte of Buffer.from('grüße')) body.append(Uint8Array.of(byte))
    body.append(new Uint8Array())
    expect(body.length).toBe(7)
    expect(body.text()).toBe('grüße')
    body.append(Uint8Array.of(0xff))
    expect(body.text()).toBe('grüße\ufffd')
    expect(new ByteBlocks().text()).toBe('')
  })
})

describe('a budget for bodies', () => {
  const LIMITS = { totalBytes: 100, callerBytes: 60, callerBodies: 2, windowMs: 1_000, windowBytes: 10 }
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const codeOf = ({ signal }: { signal: AbortSignal }) =>
    signal.aborted ? (signal.reason as AppError).code : null

  test('ends a body that is larger than it may be, and not one that is as large', () => {
    const budget = new ArrivalBudget(LIMITS)
    const body = budget.open('a', 30)
    body.add(30)
    expect(codeOf(body)).toBeNull()
    body.add(1)
    expect(codeOf(body)).toBe('upload_too_large')
    expect((body.signal.reason as AppError).details).toEqual({ limitBytes: 30 })
  })

  test('takes two bodies of a caller at a time, and a third when one of them is gone', () => {
    const budget = new ArrivalBudget(LIMITS)
    const first = budget.open('a', 50)
    budget.open('a', 50)
    expect(() => budget.open('a', 50)).toThrow('rate_limited')
    budget.open('b', 50)
    first.release()
    first.release()
    budget.open('a', 50)
    expect(() => budget.open('a', 50)).toThrow('rate_limited')
  })

  test('ends the body with which a caller exceeds its bytes', () => {
    const budget = new ArrivalBudget(LIMITS)
    const [first, second] = [budget.open('a', 50), budget.open('a', 50)]
    first.add(40)
    second.add(20)
    expect([codeOf(first), codeOf(second)]).toEqual([null, null])
    second.add(1)
    expect([codeOf(first), codeOf(second)]).toEqual([null, 'rate_limited'])
    // What it had counts no more.
    const third = budget.open('a', 50)
    third.add(20)
    expect(codeOf(third)).toBeNull()
  })

  test('takes the newest body from whoever holds most, when all together are too many', () => {
    const budget = new ArrivalBudget(LIMITS)
    const older = budget.open('large', 60)
    const newer = budget.open('large', 60)
    const small = budget.open('small', 60)
    older.add(30)
    newer.add(25)
    small.add(45)
    expect([older, newer, small].map(codeOf)).toEqual([null, null, null])
    small.add(1)
    expect([older, newer, small].map(codeOf)).toEqual([null, 'rate_limited', null])
    small.add(10)
    expect(codeOf(small)).toBeNull()
  })

  test('takes no body that is being worked on: an older one gives way, or the one that arrives', () => {
    const budget = new ArrivalBudget(LIMITS)
    const older = budget.open('large', 60)
    const newer = budget.open('large', 60)
    const small = budget.open('small', 60)
    older.add(30)
    newer.add(25)
    newer.pin()
    small.add(46)
    expect([older, newer, small].map(codeOf)).toEqual(['rate_limited', null, null])
    const another = budget.open('another', 60)
    newer.add(25)
    small.pin()
    another.add(5)
    expect([newer, small, another].map(codeOf)).toEqual([null, null, 'rate_limited'])
  })

  test('ends what grows too slowly after a whole window, and leaves what is complete or quick enough', () => {
    const budget = new ArrivalBudget(LIMITS)
    vi.advanceTimersByTime(0)
    const [slow, whole] = [budget.open('a', 50), budget.open('a', 50)]
    const quick = budget.open('b', 50)
    whole.add(1)
    whole.complete()
    // The window in which a body began does not count.
    vi.advanceTimersByTime(1_000)
    expect([slow, whole, quick].map(codeOf)).toEqual([null, null, null])
    slow.add(9)
    quick.add(10)
    vi.advanceTimersByTime(1_000)
    expect([slow, whole, quick].map(codeOf)).toEqual(['request_timeout', null, null])
    vi.advanceTimersByTime(1_000)
    expect([whole, quick].map(codeOf)).toEqual([null, 'request_timeout'])
  })

  test('has room again when a body is gone, however it ended', () => {
    const budget = new ArrivalBudget(LIMITS)
    for (let round = 0; round < 10; round++) {
      const body = budget.open('a', 60)
      body.add(60)
      expect(codeOf(body)).toBeNull()
      if (round % 2 === 0) body.abort(new AppError('request_timeout'))
      body.release()
    }
  })

  test('looks for slow bodies only while there are any', () => {
    const budget = new ArrivalBudget(LIMITS)
    expect(vi.getTimerCount()).toBe(0)
    const [first, second] = [budget.open('a', 50), budget.open('b', 50)]
    expect(vi.getTimerCount()).toBe(1)
    first.release()
    expect(vi.getTimerCount()).toBe(1)
    second.abort(new AppError('malformed_body'))
    expect(codeOf(second)).toBe('malformed_body')
    expect(vi.getTimerCount()).toBe(0)
    const third = budget.open('a', 50)
    expect(vi.getTimerCount()).toBe(1)
    third.release()
    // Bytes of a body that is gone count for nobody.
    third.add(1_000)
    expect(codeOf(third)).toBeNull()
  })
})
