/** The central service's parsing of untrusted bytes, nonces and keys, and its refusals. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  CommitUnknown,
  classifyFault,
  explainFault,
  isDuplicate,
  isPassing,
  isRefusal,
} from '../../server/central/db/faults.ts'
import type { ErrorCode, FieldProblem } from '../../server/errors.ts'
import { readBearerKey, requireScope, type Holder } from '../../server/central/head-office/guard.ts'
import { decodeJson, isStorable } from '../../server/central/json.ts'
import { createNonces } from '../../server/central/kiosk-api/nonces.ts'
import { needsFreshNonce } from '../../server/central/kiosks/freshness.ts'
import { unwrap, wrap } from '../../server/central/master-key.ts'
import { CENTRAL_PROBLEMS, getHttpStatus } from '../../server/central/problems.ts'
import { createSecrets } from '../../server/central/secrets.ts'
import { problemDocument } from '../../server/http/problem-response.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const after = (ms: number) => new Date(NOW.getTime() + ms)

describe('JSON of strangers', () => {
  const decode = (text: string) => decodeJson(Buffer.from(text))

  test('is what it says', () => {
    expect(decode('{"a":[1,"zwei",null,true,{"b":{}}]}')).toEqual({ a: [1, 'zwei', null, true, { b: {} }] })
    expect(decode('"\\ud83d\\ude00"')).toBe('😀')
  })

  test('may be nested a hundred deep, and brackets in text do not count', () => {
    const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
    expect(decode(nested('[', ']', 100))).toBeInstanceOf(Array)
    expect(() => decode(nested('[', ']', 101))).toThrow('malformed_body')
    expect(() => decode(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`)).toThrow('malformed_body')
    expect(decode(JSON.stringify('[{'.repeat(200)))).toHaveLength(400)
    expect(decode(JSON.stringify('"[{\\'.repeat(200)))).toHaveLength(800)
    // Side by side is not one in the other.
    expect(decode(`[${Array(200).fill('[{}]').join()}]`)).toHaveLength(200)
  })

  test.each([
    ['no JSON', Buffer.from('{"a":')],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['half a pair of surrogates', Buffer.from('"\\ud800"')],
    ['U+0000 in a text', Buffer.from('"a\\u0000"')],
    ['U+0000 in the name of a member', Buffer.from('{"a\\u0000":1}')],
    ['U+0000 deep inside', Buffer.from('[{"a":["\\u0000"]}]')],
  ])('is refused when it is %s', (_, bytes) => {
    expect(() => decodeJson(bytes)).toThrow('malformed_body')
  })

  test.each([
    [1, true],
    [null, true],
    [['a', 'b\0'], false],
    [{ a: 'b', c: { d: '\udc00' } }, false],
    [{ a: 'b', c: ['d'] }, true],
  ])('is kept by the database: %j %s', (value, isKept) => {
    expect(isStorable(value)).toBe(isKept)
  })
})

describe('a nonce for the signatures of a kiosk', () => {
  const secrets = createSecrets(randomBytes(32))
  const nonces = createNonces(secrets)
  const nonce = nonces.issue('kiosk 1', NOW)

  test('is good for five minutes, and for a minute before it by the clock of another instance', () => {
    expect(nonce).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(nonces.read('kiosk 1', nonce, NOW)).toEqual(NOW)
    expect(nonces.read('kiosk 1', nonce, after(300_000))).toEqual(NOW)
    expect(nonces.read('kiosk 1', nonce, after(300_001))).toBeNull()
    expect(nonces.read('kiosk 1', nonce, after(-60_000))).toEqual(NOW)
    expect(nonces.read('kiosk 1', nonce, after(-60_001))).toBeNull()
  })

  test('is good for its own kiosk alone, and under the same master key', () => {
    expect(nonces.read('kiosk 2', nonce, NOW)).toBeNull()
    expect(createNonces(createSecrets(randomBytes(32))).read('kiosk 1', nonce, NOW)).toBeNull()
    expect(nonces.read('kiosk 1', 'made-up', NOW)).toBeNull()
    expect(nonces.read('kiosk 1', '', NOW)).toBeNull()
  })
})

describe('a request that may have been recorded', () => {
  const MINUTES = 60_000
  const asks = (nonce: 'fresh' | 'stale' | 'none', isReading: boolean, noncesSince: Date | null, offMs = 0) =>
    needsFreshNonce({ nonce, isReading, at: NOW.getTime() + offMs }, { noncesSince }, NOW)

  test('is repeated unless its nonce is fresh, once a kiosk has used nonces', () => {
    for (const isReading of [true, false]) {
      expect(asks('fresh', isReading, NOW, 60 * MINUTES)).toBe(false)
      expect(asks('stale', isReading, NOW)).toBe(true)
      expect(asks('stale', isReading, null)).toBe(true)
      expect(asks('none', isReading, NOW)).toBe(true)
    }
  })

  test('of a kiosk that knows no nonces may send at any time, and read while its clock is within ten minutes', () => {
    expect(asks('none', false, null, 60 * MINUTES)).toBe(false)
    for (const direction of [1, -1]) {
      expect(asks('none', true, null, direction * 10 * MINUTES)).toBe(false)
      expect(asks('none', true, null, direction * (10 * MINUTES + 1))).toBe(true)
    }
  })
})

describe('a complaint of the database', () => {
  const error = (code: string, message = 'x', more: object = {}) =>
    Object.assign(new Error(message), { code, ...more })

  test.each([
    '40001',
    '40P01',
    '55P03',
    '57014',
    '57P01',
    '57P02',
    '57P03',
    '57P05',
    '25P03',
    '53100',
    '53200',
    '53300',
    '58030',
    '25006',
    '08000',
    '08006',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOENT',
    'EHOSTUNREACH',
    'EAI_AGAIN',
  ])('of the code %s passes by itself', (code) => {
    expect(isPassing(error(code))).toBe(true)
    expect(classifyFault(error(code))).toBe('again')
  })

  test.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Query read timeout',
  ])('without a code passes by its words: %s', (message) => {
    expect(isPassing(new Error(message))).toBe(true)
    expect(isPassing(new Error(`not so: ${message}`))).toBe(false)
    expect(isPassing({ message })).toBe(false)
  })

  test.each(['23505', '42P01', '22P02', '', 'EACCES'])('of the code %j is a fault of ours', (code) => {
    expect(classifyFault(error(code))).toBeNull()
  })

  test('of several addresses passes when each one does', () => {
    const both = (...codes: string[]) => new AggregateError(codes.map((code) => error(code)))
    expect(isPassing(both('ECONNREFUSED', 'ETIMEDOUT'))).toBe(true)
    expect(isPassing(both('ECONNREFUSED', 'EACCES'))).toBe(false)
  })

  test('that leaves the result of a commit open is classified as an unknown outcome', () => {
    expect(classifyFault(new CommitUnknown())).toBe('unknown-outcome')
  })

  test.each([
    ['23505', true],
    ['42P01', true],
    ['40001', true],
    ['08006', false],
    ['57P01', false],
    ['ECONNRESET', false],
    ['2350', false],
    ['235055', false],
  ])('of the code %s is a no of a database in order: %s', (code, isNo) => {
    expect(isRefusal(error(code))).toBe(isNo)
    expect(isRefusal({ code })).toBe(false)
  })

  test('about a value that is there already is told from others, by its constraint', () => {
    const duplicate = error('23505', 'x', { constraint: 'kiosks_pkey' })
    expect(isDuplicate(duplicate)).toBe(true)
    expect(isDuplicate(duplicate, 'kiosks_pkey')).toBe(true)
    expect(isDuplicate(duplicate, 'proofs_pkey')).toBe(false)
    expect(isDuplicate(error('23505'), 'kiosks_pkey')).toBe(false)
    expect(isDuplicate(error('23503'))).toBe(false)
    expect(isDuplicate({ code: '23505' })).toBe(false)
    expect(isDuplicate(new Error('23505'))).toBe(false)
  })
})

describe('what the master key has wrapped', () => {
  const key = randomBytes(32)
  const plain = Buffer.from('a statement key')

  test('opens for its own row alone, and only as it was written', () => {
    const wrapped = wrap(key, plain, 'row 1')
    // A version, a nonce of 12 bytes and a tag of 16 around it.
    expect(wrapped).toHaveLength(1 + 12 + plain.length + 16)
    expect(wrapped[0]).toBe(1)
    expect(unwrap(key, wrapped, 'row 1')).toEqual(plain)
    expect(() => unwrap(key, wrapped, 'row 2')).toThrow('key_unavailable')
    expect(() => unwrap(randomBytes(32), wrapped, 'row 1')).toThrow('key_unavailable')
    for (const at of [1, 13, wrapped.length - 1]) {
      const altered = Buffer.from(wrapped)
      altered[at] ^= 1
      expect(() => unwrap(key, altered, 'row 1')).toThrow(
        expect.objectContaining({
          code: 'key_unavailable',
          details: {
            source: 'centre key file',
            reason: 'the key file does not belong to this database',
          },
        }),
      )
    }
    expect(wrap(key, plain, 'row 1').equals(wrapped)).toBe(false)
  })

  test('is damaged storage to the other parts, and no key that cannot be used', () => {
    const secrets = createSecrets(key)
    const sealed = secrets.seal('row 1', plain)
    expect(Buffer.from(secrets.open('row 1', sealed))).toEqual(plain)
    expect(() => secrets.open('row 2', sealed)).toThrow('storage_damaged')
  })
})

describe('the status that a kiosk reads', () => {
  // The kiosk's next act depends on it: server/sync/transport.ts.
  test.each([
    ['validation_failed', 400],
    ['malformed_body', 400],
    ['malformed_request', 400],
    ['unauthorized', 401],
    ['nonce_required', 401],
    ['enrolment_refused', 403],
    ['not_found', 404],
    ['method_not_allowed', 405],
    ['revision_conflict', 409],
    ['announcement_stale', 409],
    ['upload_too_large', 413],
    ['rate_limited', 429],
    ['too_many_uploads', 429],
    ['centre_unavailable', 503],
    ['shutting_down', 503],
    ['storage_damaged', 500],
  ] as const)('of %s is %i', (code, status) => {
    expect(getHttpStatus(code)).toBe(status)
  })
})

describe('the key of a head-office system', () => {
  test.each([
    ['Bearer cph_abc', 'cph_abc'],
    ['bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
    [`Bearer ${'k'.repeat(200)}`, 'k'.repeat(200)],
    [`Bearer ${'k'.repeat(201)}`, null],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearer  abc', null],
    ['Bearer a b', null],
    ['Bearer a,b', null],
    ['x Bearer abc', null],
    ['Basic abc', null],
    ['', null],
    [undefined, null],
  ])('in the header %j is %j', (header, key) => {
    expect(readBearerKey(header)).toBe(key)
  })

  test('opens what its scopes name, and what asks for none', () => {
    const holder = { scopes: ['proofs:read'] } as unknown as Holder
    expect(() => requireScope(holder, 'proofs:read')).not.toThrow()
    expect(() => requireScope(holder, null)).not.toThrow()
    expect(() => requireScope(holder, 'fleet:write')).toThrow('forbidden')
  })
})

function describeProblem(code: ErrorCode, problems: readonly FieldProblem[] = []): Record<string, unknown> {
  const failure = { code, problems, correlationId: 'correlation 1' }
  return JSON.parse(problemDocument(failure, CENTRAL_PROBLEMS)) as Record<string, unknown>
}

describe('a refusal to a head-office system', () => {
  test.each([
    ['validation_failed', 400, null],
    ['malformed_body', 400, null],
    ['malformed_request', 400, null],
    ['unauthorized', 401, null],
    ['forbidden', 403, null],
    ['not_found', 404, null],
    ['proof_not_found', 404, null],
    ['method_not_allowed', 405, null],
    ['request_timeout', 408, null],
    ['revision_conflict', 409, null],
    ['transition_refused', 409, null],
    ['upload_too_large', 413, null],
    ['verification_stopped', 422, null],
    ['rate_limited', 429, 5],
    ['status_not_stored', 503, 5],
    ['centre_unavailable', 503, 5],
    ['shutting_down', 503, 5],
    ['internal', 500, null],
  ] as const)('for %s has the status %i and asks to wait %s seconds', (code, status, seconds) => {
    expect(CENTRAL_PROBLEMS[code].retryAfterSeconds ?? null).toBe(seconds)
    const document = describeProblem(code)
    expect(document).toMatchObject({
      type: `urn:counterproof:problem:${code}`,
      status,
      errors: [{ code, message: document.title }],
      correlationId: 'correlation 1',
    })
    // Words for a person: a title, and one sentence or more that says what to do.
    expect(document.title).toMatch(/^[A-Z][A-Za-z ]+$/)
    expect(document.detail).toMatch(/^[A-Z].+\.$/)
  })

  test('names the fields that are wrong', () => {
    const problem = { code: 'too_small', field: 'limit', message: 'at least 1' }
    expect(describeProblem('validation_failed', [problem])).toMatchObject({
      errors: [problem],
    })
  })
})

test('a pooler that refuses the connection after a failure of PostgreSQL is named with the advice to wait and to try again', () => {
  const refusal = Object.assign(new Error('server login has been failing'), { code: '08P01' })
  expect(explainFault(refusal)).toMatch(/wait a minute and try again/)
})
