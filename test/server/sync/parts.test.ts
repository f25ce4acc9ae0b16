/** The pure parts: how long to wait, how much to send at once, which address is a central service's. */
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_PAUSE_MS, pauseAfter } from '../../../server/sync/back-off.ts'
import { createChunkSize } from '../../../server/sync/chunk-size.ts'
import { createLine } from '../../../server/sync/line.ts'
import { createTokenBucket } from '../../../server/sync/token-bucket.ts'
import { CentralTroubleError, checkCentralUrl } from '../../../server/sync/transport.ts'

describe('the pause after a failure', () => {
  test.each([
    [1, 1_000, 2_000],
    [2, 1_000, 4_000],
    [5, 1_000, 32_000],
    [10, 1_000, MAX_PAUSE_MS],
    [1_000_000, 1_000, MAX_PAUSE_MS],
  ])('number %i is between %i and %i ms', (failures, least, most) => {
    expect(pauseAfter(failures, 0)).toBe(least)
    expect(pauseAfter(failures, 0.999999999)).toBeLessThanOrEqual(most)
    expect(pauseAfter(failures, 0.999999999)).toBeGreaterThan(0.99 * most)
  })

  test('never ends, is never shorter than a second nor longer than a quarter of an hour', () => {
    const failures = fc.integer({ min: 0, max: 1_000_000_000 })
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(failures, random, (count, chance) => {
        const pause = pauseAfter(count, chance)
        return pause >= 1_000 && pause <= MAX_PAUSE_MS
      }),
    )
  })
})

describe('the line', () => {
  const lineAt = () => {
    const time = { ms: 0 }
    return {
      time,
      line: createLine(
        () => time.ms,
        () => 0.5,
      ),
    }
  }
  const trouble = (retryAfterMs: number | null = null) =>
    new CentralTroubleError('line', 'not_reachable', { retryAfterMs })

  test('is left alone for longer after each failure, and at once tried again after a success', () => {
    const { time, line } = lineAt()
    const pauses: number[] = []
    for (let failure = 0; failure < 4; failure++) {
      line.failed(trouble())
      pauses.push(line.pauseMs())
      time.ms += line.pauseMs()
    }
    expect(pauses).toEqual([1_500, 2_500, 4_500, 8_500])
    line.worked()
    expect(line.pauseMs()).toBe(0)
    line.failed(trouble())
    expect(line.pauseMs()).toBe(1_500)
  })

  test('counts requests that failed together once', () => {
    const { line } = lineAt()
    for (let request = 0; request < 5; request++) line.failed(trouble())
    expect(line.pauseMs()).toBe(1_500)
  })

  test('keeps its own pause where the central service asks for a shorter one, and then restarts its count of failures', () => {
    const { time, line } = lineAt()
    line.failed(trouble(100))
    expect(line.pauseMs()).toBe(1_500)
    time.ms = 1_500
    expect(line.pauseMs()).toBe(0)
    line.failed(trouble())
    expect(line.pauseMs()).toBe(2_500)
    time.ms = 10_000
    expect(line.pauseMs()).toBe(0)
  })

  test('waits as long as the central service asks for, and not at all for an operator', () => {
    const { line } = lineAt()
    line.failed(trouble(60_000))
    expect(line.pauseMs()).toBe(60_000)
    line.tryNow()
    expect(line.pauseMs()).toBe(0)
  })
})

describe('the size of a chunk', () => {
  test('grows on a quick line up to the configured size', () => {
    const size = createChunkSize(256 * 1024, 30_000, 0)
    const sizes = [1, 2, 3, 4].map(() => {
      const next = size.next()
      size.went(next, 10)
      return next
    })
    expect(sizes).toEqual([16_384, 65_536, 262_144, 262_144])
  })

  test('shrinks after failures, but never to nothing, and grows again', () => {
    const size = createChunkSize(256 * 1024, 30_000, 0)
    for (let failure = 0; failure < 10; failure++) size.failed()
    expect(size.next()).toBe(1024)
    size.went(1024, 100)
    expect(size.next()).toBe(4096)
    size.went(4096, 20_000)
    expect(size.next()).toBe(2048)
  })

  test('stays as it is on a line that is neither quick nor slow, and after a chunk that was not a full one', () => {
    const size = createChunkSize(256 * 1024, 32_000, 0)
    // A sixteenth of the time limit is not quick any more, and half of it is not slow yet.
    size.went(16_384, 2_000)
    size.went(16_384, 16_000)
    size.went(16_383, 10)
    expect(size.next()).toBe(16_384)
    size.went(16_384, 16_001)
    expect(size.next()).toBe(8_192)
    size.went(8_192, 1_999)
    expect(size.next()).toBe(32_768)
  })

  test('is never below 1024 bytes on a slow line, and always a whole number', () => {
    const size = createChunkSize(5_001, 1_000, 0)
    expect(size.next()).toBe(5_001)
    size.went(5_001, 900)
    expect(size.next()).toBe(2_500)
    for (let count = 0; count < 5; count++) size.went(2_500, 900)
    expect(size.next()).toBe(1_024)
  })

  test('takes two seconds of the cap at most', () => {
    expect(createChunkSize(256 * 1024, 30_000, 4_000).next()).toBe(8_000)
    expect(createChunkSize(256 * 1024, 30_000, 1).next()).toBe(1_024)
  })
})

describe('the cap on what is sent', () => {
  test('holds over all that is sent together', async () => {
    const bucket = createTokenBucket(20_000)
    const began = performance.now()
    const all = Promise.all([1, 2, 3, 4, 5].map(() => bucket.take(10_000))).then(() => 'all sent')
    // 50 000 bytes at 20 000 a second, the first second's worth at once. Which of two timers comes first is no matter of load.
    expect(await Promise.race([all, wait(2_000, 'too late')])).toBe('all sent')
    expect(performance.now() - began).toBeGreaterThan(1_400)
  })

  test('lets a second’s worth through at once, also after a long rest, and then counts by the clock', async () => {
    const time = { ms: 0 }
    const bucket = createTokenBucket(1_000, () => time.ms)
    const isHeld = async (bytes: number) => {
      const given = new AbortController()
      const taking = bucket.take(bytes, given.signal).then(
        () => false,
        () => true,
      )
      given.abort()
      return taking
    }
    time.ms = 60_000
    expect(await isHeld(1_000)).toBe(false)
    expect(await isHeld(1)).toBe(true)
    // One byte is owed; 500 ms pay for 500.
    time.ms += 500
    expect(await isHeld(499)).toBe(false)
    expect(await isHeld(1)).toBe(true)
  })

  test('is none where it is 0, and a wait ends with the signal', async () => {
    await createTokenBucket(0).take(1e12)
    const bucket = createTokenBucket(1)
    const waiting = bucket.take(1_000_000, AbortSignal.timeout(20))
    await expect(waiting).rejects.toThrow()
  })
})

describe('the address of a central service', () => {
  test.each([
    ['https://centre.example', 'https://centre.example'],
    ['https://centre.example:8443/', 'https://centre.example:8443'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
    ['http://localhost:9000', 'http://localhost:9000'],
    ['http://[::1]:9000', 'http://[::1]:9000'],
  ])('%s is one', (given, origin) => {
    expect(checkCentralUrl(given, false)).toBe(origin)
  })

  test.each([
    'http://centre.example',
    'http://127.0.0.1.example',
    'ftp://centre.example',
    'file:///etc/passwd',
    'https://centre.example/kiosk',
    'https://centre.example/?a=b',
    'https://user:secret@centre.example',
    'centre.example',
    '',
  ])('%s is none', (given) => {
    expect(() => checkCentralUrl(given, false)).toThrow('validation_failed')
  })

  test('plain http to another machine has to be allowed', () => {
    expect(checkCentralUrl('http://10.0.0.7:9000', true)).toBe('http://10.0.0.7:9000')
  })
})
