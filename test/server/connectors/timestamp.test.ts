/** The client of a time-stamping authority, against a real one (openssl) and against what only claims to be one. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openTimestamper } from '../../../server/connectors/timestamp/http-timestamper.ts'
import { readTimeStamp } from '../../../server/proof/verify/time-stamp.ts'
import { startTimestampAuthority, type TimestampAuthority } from '../../support/timestamp-authority.ts'

const SIGNATURE = Buffer.from('a signature of a proof')
const DIGEST = createHash('sha256').update(SIGNATURE).digest()
const TYPE = { 'content-type': 'application/timestamp-reply' }

let tsa: TimestampAuthority
beforeAll(async () => {
  tsa = await startTimestampAuthority()
})
afterAll(() => tsa.close())
afterEach(() => tsa.answer(undefined))

const open = (changes: Partial<Parameters<typeof openTimestamper>[0]> = {}) =>
  openTimestamper({ url: tsa.url, token: null, timeoutMs: 5000, required: false, ...changes })

/** Why no token came. */
async function refusal(changes: Parameters<typeof open>[0] = {}): Promise<unknown> {
  const error: unknown = await open(changes)
    .stamp(SIGNATURE)
    .then(
      () => 'stamped',
      (thrown: unknown) => thrown,
    )
  expect(error).toMatchObject({ code: 'timestamp_unavailable' })
  return (error as { details: unknown }).details
}

describe('a time stamp', () => {
  test('is asked for with a nonce and the certificate, and is over the SHA-256 of the bytes', async () => {
    const before = Date.now()
    const token = await open().stamp(SIGNATURE)
    const { headers, query } = tsa.requests.at(-1)!
    expect(headers['content-type']).toBe('application/timestamp-query')
    expect(headers.authorization).toBeUndefined()
    expect(query.includes(DIGEST)).toBe(true)
    const stamp = readTimeStamp(token, DIGEST)
    expect(stamp.nonce).toBeGreaterThan(2n ** 32n)
    expect(Math.abs(stamp.time.getTime() - before)).toBeLessThan(10_000)
    expect(stamp.authority).toBe('O=Counterproof tests, CN=Time Stamps 1')
  })

  test('is asked for with another nonce every time, and with the bearer token where there is one', async () => {
    await open({ token: 'the secret' }).stamp(SIGNATURE)
    await open({ token: 'the secret' }).stamp(SIGNATURE)
    const [one, other] = tsa.requests.slice(-2)
    expect(one.query.equals(other.query)).toBe(false)
    expect(one.headers.authorization).toBe('Bearer the secret')
  })
})

describe('an authority that cannot be relied on gets no token into a proof', () => {
  test('whose answer is for another request', async () => {
    const earlier = await tsa.reply(tsa.requests[0].query)
    tsa.answer((_, response) => void response.writeHead(200, TYPE).end(earlier))
    expect(await refusal()).toEqual({ reason: 'wrong-nonce' })
  })

  test('whose answer is for other bytes', async () => {
    tsa.answer(async (query, response) => {
      const other = Buffer.from(query)
      randomBytes(32).copy(other, other.indexOf(DIGEST))
      response.writeHead(200, TYPE).end(await tsa.reply(other))
    })
    expect(await refusal()).toEqual({ reason: 'token-refused' })
  })

  test('whose token has one byte changed', async () => {
    tsa.answer(async (query, response) => {
      const reply = await tsa.reply(query)
      reply[reply.length - 5] ^= 1
      response.writeHead(200, TYPE).end(reply)
    })
    expect(await refusal()).toEqual({ reason: 'token-refused' })
  })

  test('that says no', async () => {
    tsa.answer(async (query, response) => {
      const unknownHash = Buffer.from(query)
      // 2.16.840.1.101.3.4.2.1 becomes .3.4.2.9, an algorithm that it does not offer.
      unknownHash[unknownHash.indexOf(DIGEST) - 5] = 9
      response.writeHead(200, TYPE).end(await tsa.reply(unknownHash))
    })
    expect(await refusal()).toEqual({ reason: 'rejected' })
  })

  test.each([
    [
      'a page',
      200,
      'text/html',
      '<html>Please log in</html>',
      { reason: 'unexpected-answer', httpStatus: 200 },
    ],
    [
      'a page that calls itself a reply',
      200,
      TYPE['content-type'],
      '<html></html>',
      { reason: 'unreadable' },
    ],
    ['nothing', 200, TYPE['content-type'], '', { reason: 'unreadable' }],
  ])('that answers %s', async (_, status, type, body, expected) => {
    tsa.answer((_query, response) => void response.writeHead(status, { 'content-type': type }).end(body))
    expect(await refusal()).toEqual(expected)
  })

  test('that sends the request elsewhere, token and all', async () => {
    const { length } = tsa.requests
    tsa.answer((_, response) => void response.writeHead(307, { location: tsa.url }).end())
    expect(await refusal({ token: 'the secret' })).toEqual({ reason: 'unexpected-answer', httpStatus: 307 })
    expect(tsa.requests.length).toBe(length + 1)
  })

  test('that sends ten megabytes: reading stops long before', async () => {
    let written = 0
    tsa.answer(async (_, response) => {
      response.writeHead(200, TYPE)
      while (written < 10 * 1024 * 1024 && !response.destroyed) {
        written += 65_536
        response.write(randomBytes(65_536))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      response.end()
    })
    expect(await refusal()).toEqual({ reason: 'too-large' })
    expect(written).toBeLessThan(9 * 1024 * 1024)
  })

  test('that stops in the middle of its answer', async () => {
    tsa.answer((_, response) => void response.writeHead(200, TYPE).write('x'))
    expect(await refusal({ timeoutMs: 200 })).toEqual({ reason: 'timeout' })
  })
})
