import { describe, expect, test } from 'vitest'
import { canonicalBytes, type JsonValue } from '../../../server/proof/verify/canonical-json.ts'
import { verifyDeletionReceipt } from '../../../server/proof/verify/deletion-receipt.ts'
import { createKeySigner, generateSigningKeyPem } from '../../../server/proof/sign.ts'
import { toJwks } from '../../support/jwks.ts'

const signer = createKeySigner(await generateSigningKeyPem())
const stranger = createKeySigner(await generateSigningKeyPem())
const jwks = await toJwks([signer])

const RECEIPT = {
  type: 'counterproof-deletion-receipt',
  version: '1',
  receiptId: '01990000-0000-7000-8000-000000000001',
  applianceId: '01990000-0000-7000-8000-000000000002',
  tenantId: 'default',
  identityId: '01990000-0000-7000-8000-000000000003',
  reason: 'DELETE',
  begunAt: '2026-03-01T10:00:00.000',
  erasedAt: '2026-03-01T10:00:00.120',
  time: {
    source: 'SYSTEM',
    uncertaintyMs: null,
    earliest: '2026-03-01T10:00:00.120',
    latest: '2026-03-01T10:00:00.120',
  },
  destroyed: { dataKey: true, rows: { identities: 1, evidences: 2 }, files: 3 },
  audit: { seq: 17, hash: 'a'.repeat(64) },
}
const sign = (receipt: JsonValue, by = signer) => by.sign(canonicalBytes(receipt))
const problemsOf = (jws: string, keys: unknown = jwks) =>
  verifyDeletionReceipt(jws, { jwks: keys }).problems.map(({ code }) => code)
/** A part of the JWS with one character of its text changed. */
const withPart = (jws: string, index: number, change: (part: string) => string) =>
  jws
    .split('.')
    .map((part, at) => (at === index ? change(part) : part))
    .join('.')
const reworded = (part: string, from: string, to: string) =>
  Buffer.from(Buffer.from(part, 'base64url').toString('utf8').replace(from, to)).toString('base64url')

test('a receipt holds by the key that signed it, which is named', async () => {
  const report = verifyDeletionReceipt(await sign(RECEIPT), { jwks })
  expect(report).toEqual({ valid: true, receipt: RECEIPT, signedBy: signer.keyId, problems: [] })
})

test('it holds by any of several keys, as after a rotation', async () => {
  expect(problemsOf(await sign(RECEIPT), await toJwks([stranger, signer]))).toEqual([])
})

describe('what is refused, and by which code', () => {
  test('what is no receipt says why', () => {
    const first = (jws: string) => verifyDeletionReceipt(jws, { jwks }).problems[0]
    expect(first('a.b')).toMatchObject({
      code: 'receipt_unreadable',
      message: 'The text is not a compact JWS of three parts.',
    })
    expect(first('e30.e30.AAAA')).toMatchObject({
      code: 'receipt_header_refused',
      message: 'The header of the signature is not exactly {"alg":"RS256"}.',
    })
    expect(first('eyJhbGciOiJSUzI1NiJ9.e30.AAB')).toMatchObject({
      code: 'receipt_unreadable',
      message: 'The receipt is not written in plain base64url.',
    })
    expect(first('eyJhbGciOiJSUzI1NiJ9.W10.AAAA')).toMatchObject({
      code: 'receipt_unreadable',
      message: 'What was signed is not a JSON object.',
    })
  })

  test.each([
    ['no time', { time: null }],
    ['a time that is a word', { time: 'SYSTEM' }],
    ['a time in a list', { time: ['SYSTEM'] }],
    ['a time without its source', { time: { ...RECEIPT.time, source: 7 } }],
    ['a source in small letters', { time: { ...RECEIPT.time, source: 'system' } }],
    ['no earliest moment', { time: { ...RECEIPT.time, earliest: '' } }],
    ['no latest moment', { time: { ...RECEIPT.time, latest: 'x2026-03-01T10:00:00.120' } }],
    ['nothing destroyed', { destroyed: null }],
    ['the key kept', { destroyed: { ...RECEIPT.destroyed, dataKey: false } }],
    ['files below nothing', { destroyed: { ...RECEIPT.destroyed, files: -1 } }],
    ['half a row', { destroyed: { ...RECEIPT.destroyed, rows: { identities: 0.5 } } }],
    ['no place in the audit log', { audit: { hash: 'a'.repeat(64) } }],
    ['no hash of the audit log', { audit: { seq: 17, hash: 'A'.repeat(64) } }],
  ])('a signed receipt with %s', async (_, change) => {
    expect(problemsOf(await sign({ ...RECEIPT, ...change }))).toEqual(['receipt_field_wrong'])
  })

  test('the signature of a stranger', async () => {
    expect(problemsOf(await sign(RECEIPT, stranger))).toEqual(['receipt_signature_invalid'])
  })

  test.each([
    ['another identity', '0003"', '0004"'],
    ['another moment', '10:00:00.120', '11:00:00.120'],
    ['more rows', '"evidences":2', '"evidences":9'],
    ['another reason', 'DELETE', 'RETENTION'],
  ])('the words changed to %s', async (_, from, to) => {
    const jws = withPart(await sign(RECEIPT), 1, (part) => reworded(part, from, to))
    expect(problemsOf(jws)).toContain('receipt_signature_invalid')
  })

  test('every single byte of the signature', async () => {
    const jws = await sign(RECEIPT)
    const [head = '', body = '', signature = ''] = jws.split('.')
    const raw = Buffer.from(signature, 'base64url')
    for (let at = 0; at < raw.length; at += 17) {
      const changed = Buffer.from(raw)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(problemsOf([head, body, changed.toString('base64url')].join('.'))).toEqual([
        'receipt_signature_invalid',
      ])
    }
  })

  test.each([
    ['no signature at all', (jws: string) => withPart(jws, 2, () => ''), 'receipt_unreadable'],
    ['two parts', (jws: string) => jws.split('.').slice(0, 2).join('.'), 'receipt_unreadable'],
    ['an empty text', () => '', 'receipt_unreadable'],
    ['spare bits in the signature', (jws: string) => `${jws}=`, 'receipt_unreadable'],
    [
      'the algorithm none',
      (jws: string) => withPart(jws, 0, () => Buffer.from('{"alg":"none"}').toString('base64url')),
      'receipt_header_refused',
    ],
    [
      'a key of its own in the header',
      (jws: string) => withPart(jws, 0, () => Buffer.from('{"alg":"RS256","jwk":{}}').toString('base64url')),
      'receipt_header_refused',
    ],
  ])('%s', async (_, change, code) => {
    expect(problemsOf(change(await sign(RECEIPT)))).toEqual([code])
  })

  test.each([
    [
      'a proof, or anything else that the same key signed',
      { ...RECEIPT, type: 'proof' },
      'receipt_type_unknown',
    ],
    ['a version to come', { ...RECEIPT, version: '2' }, 'receipt_type_unknown'],
    ['a reason that is none', { ...RECEIPT, reason: 'BORED' }, 'receipt_field_wrong'],
    [
      'a data key that was not destroyed',
      { ...RECEIPT, destroyed: { ...RECEIPT.destroyed, dataKey: false } },
      'receipt_field_wrong',
    ],
    [
      'an end before the beginning',
      { ...RECEIPT, erasedAt: '2026-02-01T10:00:00.000' },
      'receipt_field_wrong',
    ],
    ['no identity', { ...RECEIPT, identityId: undefined }, 'receipt_field_wrong'],
    ['a hash that is none', { ...RECEIPT, audit: { seq: 1, hash: 'x' } }, 'receipt_field_wrong'],
    ['a list', [RECEIPT], 'receipt_unreadable'],
  ])('%s, well signed', async (_, receipt, code) => {
    expect(problemsOf(await sign(receipt as JsonValue))).toEqual([code])
  })

  test('the same members in another order', async () => {
    const { version, ...rest } = RECEIPT
    const jws = await signer.sign(Buffer.from(JSON.stringify({ version, ...rest })))
    expect(problemsOf(jws)).toEqual(['receipt_not_canonical'])
  })

  test('returns no receipt with an invalid signature', async () => {
    expect(verifyDeletionReceipt(await sign(RECEIPT, stranger), { jwks }).receipt).toBeNull()
  })

  test.each([
    ['no key', { keys: [] }],
    ['a shared secret', { keys: [{ kty: 'oct', k: 'AA' }] }],
  ])('is not even tried with %s', async (_, keys) => {
    const jws = await sign(RECEIPT)
    expect(() => verifyDeletionReceipt(jws, { jwks: keys })).toThrow(/no RSA public key/)
  })
})
