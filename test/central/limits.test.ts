/** Places for slow work, and memory for bodies that arrive. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../server/errors.ts'
import { ArrivalBudget } from '../../server/http/arrivals.ts'
import { ByteBlocks } from '../../server/http/byte-blocks.ts'
import { createLimiter } from '../../server/central/limiter.ts'
import { createVerificationPlaces } from '../../server/central/verification/places.ts'

describe('places for slow work', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  /** Work that says when it begins, and ends when the test says so. */
  function bench(places: number) {
    const limiter = createLimiter(places)
    const begun: string[] = []
    const ends = new Map<string, PromiseWithResolvers<void>>()
    /** @param caller of a tenant of its own, or `tenant/caller` */
    const ask = (caller: string, name: string, signal?: AbortSignal) => {
      const [tenant = ''] = caller.split('/')
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      const work = async () => {
        begun.push(name)
        await end.promise
        return name
      }
      return limiter({ tenant, id: caller }, work, signal)
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

  test('are shared by tenants, however many callers of a tenant wait', async () => {
    const { ask, begun, end } = bench(2)
    const flood = Array.from({ length: 50 }, (_, index) => ask(`a/${index}`, `a${index}`))
    const others = [ask('b/0', 'b0'), ask('b/1', 'b1'), ask('c/0', 'c0')]
    await turn()
    expect(begun).toEqual(['a0', 'a1'])
    await end('a0')
    expect(begun.at(-1)).toBe('b0')
    await end('a1')
    // A tenant that has no work in progress comes first, even if another one has waited longer.
    expect(begun.at(-1)).toBe('c0')
    await end('c0')
    expect(begun.at(-1)).toBe('a2')
    await end('b0')
    expect(begun.at(-1)).toBe('b1')
    await end('b1')
    for (let index = 2; index < 50; index++) await end(`a${index}`)
    expect((await Promise.all([...flood, ...others])).length).toBe(53)
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

describe('places for the verification of packets', () => {
  test('are taken by two large packets at most', async () => {
    const places = createVerificationPlaces(4)
    let running = 0
    const most = { large: 0, all: 0 }
    const verify = (index: number, bytes: number) =>
      places({ tenant: `tenant ${index}`, id: `kiosk ${index}` }, bytes, async () => {
        const kind = bytes > 200_000 ? 'large' : 'all'
        most[kind] = Math.max(most[kind], ++running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running--
      })
    await Promise.all(Array.from({ length: 6 }, (_, index) => verify(index, 512 * 1024 * 1024)))
    await Promise.all(Array.from({ length: 6 }, (_, index) => verify(index, 200_000)))
    expect(most).toEqual({ large: 2, all: 4 })
  })
})

describe('bytes that arrive in pieces', () => {
  const KIB = 1024

  test('stay in their order over blocks that grow up to a mebibyte', () => {
    const body = new ByteBlocks()
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 251)
    for (let at = 0; at < bytes.length; at += 70_001) body.append(bytes.subarray(at, at + 70_001))
    expect(body.size).toBe(3_000_000)
    const blocks = body.blocks()
    expect(Buffer.compare(Buffer.concat(blocks), bytes)).toBe(0)
    // 16, then as much as there is each time: 16, 32, 64 … 1024 KiB.
    expect(blocks.slice(0, -1).map(({ length }) => length / KIB)).toEqual([
      16, 16, 32, 64, 128, 256, 512, 1024,
    ])
  })

  test('cost no more than they are, one by one, and can be joined', async () => {
    const body = new ByteBlocks()
    for (const byte of Buffer.from('grüße')) body.append(Uint8Array.of(byte))
    body.append(new Uint8Array())
    expect(body.size).toBe(7)
    expect(Buffer.concat(body.blocks()).toString()).toBe('grüße')
    expect((await body.join()).toString()).toBe('grüße')
    expect(await new ByteBlocks().join()).toHaveLength(0)
  })
})

/** A body that arrives at the budget in as many bytes as the test says. */
function openBody(budget: ArrivalBudget, caller: string, mostBytes: number) {
  const arrival = budget.open(caller, mostBytes)
  const watch = arrival.watchArrival()
  let received = 0
  return {
    ...arrival,
    add: (bytes: number) => {
      received += bytes
      watch.note(received)
    },
    complete: () => watch.stop(),
  }
}

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
    const body = openBody(budget, 'a', 30)
    body.add(30)
    expect(codeOf(body)).toBeNull()
    body.add(1)
    expect(codeOf(body)).toBe('upload_too_large')
    expect((body.signal.reason as AppError).details).toEqual({ limitBytes: 30 })
  })

  test('takes two bodies of a caller at a time, and a third when one of them is gone', () => {
    const budget = new ArrivalBudget(LIMITS)
    const first = openBody(budget, 'a', 50)
    openBody(budget, 'a', 50)
    expect(() => openBody(budget, 'a', 50)).toThrow('rate_limited')
    openBody(budget, 'b', 50)
    first.release()
    first.release()
    openBody(budget, 'a', 50)
    expect(() => openBody(budget, 'a', 50)).toThrow('rate_limited')
  })

  test('ends the body with which a caller exceeds its bytes', () => {
    const budget = new ArrivalBudget(LIMITS)
    const [first, second] = [openBody(budget, 'a', 50), openBody(budget, 'a', 50)]
    first.add(40)
    second.add(20)
    expect([codeOf(first), codeOf(second)]).toEqual([null, null])
    second.add(1)
    expect([codeOf(first), codeOf(second)]).toEqual([null, 'rate_limited'])
    // Its former bytes no longer count.
    const third = openBody(budget, 'a', 50)
    third.add(20)
    expect(codeOf(third)).toBeNull()
  })

  test('ends the newest body of the caller that holds the most bytes if the total is too large', () => {
    const budget = new ArrivalBudget(LIMITS)
    const older = openBody(budget, 'large', 60)
    const newer = openBody(budget, 'large', 60)
    const small = openBody(budget, 'small', 60)
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
    const older = openBody(budget, 'large', 60)
    const newer = openBody(budget, 'large', 60)
    const small = openBody(budget, 'small', 60)
    older.add(30)
    newer.add(25)
    newer.pin()
    small.add(46)
    expect([older, newer, small].map(codeOf)).toEqual(['rate_limited', null, null])
    const another = openBody(budget, 'another', 60)
    newer.add(25)
    small.pin()
    another.add(5)
    expect([newer, small, another].map(codeOf)).toEqual([null, null, 'rate_limited'])
  })

  test('ends what grows too slowly after a whole window, and leaves what is complete or quick enough', () => {
    const budget = new ArrivalBudget(LIMITS)
    vi.advanceTimersByTime(0)
    const [slow, whole] = [openBody(budget, 'a', 50), openBody(budget, 'a', 50)]
    const quick = openBody(budget, 'b', 50)
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
      const body = openBody(budget, 'a', 60)
      body.add(60)
      expect(codeOf(body)).toBeNull()
      if (round % 2 === 0) body.abort(new AppError('request_timeout'))
      body.release()
    }
  })

  test('looks for slow bodies only while there are any', () => {
    const budget = new ArrivalBudget(LIMITS)
    expect(vi.getTimerCount()).toBe(0)
    const [first, second] = [openBody(budget, 'a', 50), openBody(budget, 'b', 50)]
    expect(vi.getTimerCount()).toBe(1)
    first.release()
    expect(vi.getTimerCount()).toBe(1)
    second.abort(new AppError('malformed_body'))
    expect(codeOf(second)).toBe('malformed_body')
    expect(vi.getTimerCount()).toBe(0)
    const third = openBody(budget, 'a', 50)
    expect(vi.getTimerCount()).toBe(1)
    third.release()
    // Bytes of a finished body do not count.
    third.add(1_000)
    expect(codeOf(third)).toBeNull()
  })
})
