/** The shape of the JSON files of a proof, and the one form in which JSON is signed. */
import { describe, expect, test } from 'vitest'
import { canonicalJson, type JsonValue } from '../../../server/proof/verify/canonical-json.ts'
import { containerSize } from '../../../server/proof/verify/container.ts'
import {
  DetailsSchema,
  findUndetailed,
  IdentityDetailsSchema,
  LongTermSchema,
  ProofSchema,
  type Details,
  type IdentityDetails,
} from '../../../server/proof/verify/document.ts'

const TIME = '2026-11-20T10:00:00.000'
const HASH = 'a'.repeat(64)
const PROOF = {
  version: '1',
  proofId: 'proof',
  identityId: 'identity',
  tenantId: 'tenant',
  tenantRole: 'RELYING_SERVICE',
  startDateTime: TIME,
  endDateTime: TIME,
  componentVersion: 'Counterproof',
  hashes: { identityDetails: HASH, verificationAndEvaluationDetails: HASH },
  signature: 'a.b.c',
}
const isProof = (over: object = {}) => ProofSchema.safeParse({ ...PROOF, ...over }).success

describe('proof.json', () => {
  test('has the members of the spec, and may have others beside them', () => {
    expect(isProof()).toBe(true)
    expect(isProof({ more: 1 })).toBe(true)
  })

  test.each(Object.keys(PROOF))('is none without %s', (name) => {
    expect(isProof({ [name]: undefined })).toBe(false)
  })

  test.each([
    'version',
    'proofId',
    'identityId',
    'tenantId',
    'componentVersion',
    'signature',
    'tenantUsed',
    'transactionId',
    'previousProofId',
    'correlationId',
  ])('says something in %s, and a text', (name) => {
    expect(isProof({ [name]: 'x' })).toBe(true)
    expect([isProof({ [name]: '' }), isProof({ [name]: 1 })]).toEqual([false, false])
  })

  test.each([
    ['2026-11-20T10:00:00', true],
    ['2026-11-20T10:00:00.1', true],
    ['2026-11-20T10:00:00.1234567', true],
    ['2026-11-20T10:00:00.12345678', false],
    ['2026-11-20T10:00:00.', false],
    ['2026-11-20T10:00:00Z', false],
    ['x2026-11-20T10:00:00', false],
    ['2026-11-20T10:00:00.1 or so', false],
    ['2026-11-20 10:00:00', false],
    ['2026-13-20T10:00:00', false],
    ['2026-11-20T25:00:00', false],
  ])('is of the moment %s: %s', (moment, isOne) => {
    expect(isProof({ startDateTime: moment })).toBe(isOne)
    expect(isProof({ endDateTime: moment })).toBe(isOne)
  })

  test.each([
    ['a'.repeat(64), true],
    ['A'.repeat(64), false],
    ['a'.repeat(63), false],
    ['a'.repeat(65), false],
    [`${'a'.repeat(64)}\n`, false],
  ])('names files by the hash %j: %s', (hash, isOne) => {
    expect(isProof({ hashes: { ...PROOF.hashes, identityDetails: hash } })).toBe(isOne)
    for (const folder of ['images', 'videos', 'additionalFiles']) {
      expect(isProof({ hashes: { ...PROOF.hashes, [folder]: [{ id: 'a', path: 'p', hash }] } })).toBe(isOne)
    }
  })

  test.each<[string, unknown, boolean]>([
    ['tenantRole', 'USER_AGENT', true],
    ['tenantRole', 'SOMEBODY', false],
    ['test', true, true],
    ['test', 'yes', false],
    ['ips', ['127.0.0.1'], true],
    ['ips', [''], false],
    ['evaluation', {}, true],
    ['evaluation', null, false],
    ['evaluation', 'x', false],
    ['time', { source: 'CENTRE', uncertaintyMs: 0, earliest: TIME, latest: TIME }, true],
    ['time', { source: 'SYSTEM', uncertaintyMs: null, earliest: TIME, latest: TIME }, true],
    ['time', { source: 'UNSURE', uncertaintyMs: null, earliest: TIME, latest: TIME }, true],
    ['time', { source: 'GUESS', uncertaintyMs: 0, earliest: TIME, latest: TIME }, false],
    ['time', { source: 'CENTRE', uncertaintyMs: -1, earliest: TIME, latest: TIME }, false],
    ['time', { source: 'CENTRE', uncertaintyMs: 0, earliest: 'x', latest: TIME }, false],
    ['audit', { applianceId: 'a', seq: 0, hash: HASH }, true],
    ['audit', { applianceId: 'a', seq: -1, hash: HASH }, false],
    ['audit', { applianceId: 'a', seq: 0, hash: 'x' }, false],
  ])('may have the %s %j: %s', (name, value, isOne) => {
    expect(isProof({ [name]: value })).toBe(isOne)
  })
})

describe('the file beside the signature', () => {
  const is = (value: unknown) => LongTermSchema.safeParse(value).success

  test('has one to ten certificates, a token or both, and nothing else', () => {
    expect(is({ certificateChain: ['AAAA'] })).toBe(true)
    expect(is({ timestampToken: 'AAAA' })).toBe(true)
    expect(is({ certificateChain: Array(10).fill('AAAA'), timestampToken: 'AAAA' })).toBe(true)
    for (const odd of [{}, { certificateChain: [] }, { certificateChain: Array(11).fill('AAAA') }]) {
      expect(is(odd)).toBe(false)
    }
    expect(is({ timestampToken: 'AAAA', more: 1 })).toBe(false)
  })

  test.each(['', 'AAA', 'AA-_', 'AAAA\n', 'AAB='])('has no base64 like %j', (text) => {
    expect(is({ timestampToken: text })).toBe(false)
  })
})

describe('the details', () => {
  const ENTRY = {
    identityOperation: { name: 'PORTRAIT_CAPTURE', type: 'ADD' },
    participantContextId: 'portrait',
    progress: 'DONE',
    startDateTime: TIME,
  }
  const is = (over: object) => DetailsSchema.safeParse([{ ...ENTRY, ...over }]).success

  test.each<[object, boolean]>([
    [{}, true],
    [{ progress: 'STARTING' }, true],
    [{ progress: 'PAUSE' }, true],
    [{ progress: 'LATER' }, false],
    [{ identityOperation: { name: 'X', type: 'DELETE' } }, true],
    [{ identityOperation: { name: 'X', type: 'CHANGE' } }, false],
    [{ participantContextId: '' }, false],
    [{ startDateTime: 'x' }, false],
    [{ processingDetails: { startDateTime: TIME, endDateTime: TIME, method: 'PUT', uri: '/x' } }, true],
    [{ processingDetails: { startDateTime: TIME, endDateTime: TIME, method: 'GET', uri: '/x' } }, false],
    [{ verificationDetails: [{ startDateTime: TIME, endDateTime: TIME, sessionCreationTime: TIME }] }, true],
    [{ verificationDetails: [{ startDateTime: TIME, endDateTime: TIME }] }, false],
    [{ evaluationDetails: { evaluationDateTime: TIME, evidences: [{ id: 'a' }] } }, true],
    [{ evaluationDetails: { evaluationDateTime: TIME, evidences: [{}] } }, false],
  ])('with %j are such: %s', (over, isOne) => {
    expect(is(over)).toBe(isOne)
  })

  test('speak of every piece of evidence and every consent, by any of the three names', () => {
    const evidence = (evidenceId: string) => ({ evidenceId })
    const identity: IdentityDetails = {
      globalStatus: { id: 'identity', levelOfAssurance: 'LOA1' },
      consents: [{ consentId: 'c1' }, { consentId: 'c2' }],
      attributes: [evidence('a')],
      addresses: [evidence('b')],
      idDocuments: [evidence('d')],
      portrait: evidence('p'),
      trustedIdClaim: evidence('t'),
      claim: evidence('k'),
    }
    expect(IdentityDetailsSchema.parse(identity)).toEqual(identity)
    expect(findUndetailed(identity, [])).toEqual(['c1', 'c2', 'a', 'b', 'd', 'p', 't', 'k'])
    const entries = [
      { participantContextId: 'a' },
      { participantContextId: 'x', evidenceDetails: { id: 'b' } },
      { participantContextId: 'y', consentsDetails: { consents: [{ consentId: 'c1' }, {}] } },
    ] as unknown as Details
    expect(findUndetailed(identity, entries)).toEqual(['c2', 'd', 'p', 't', 'k'])
    expect(findUndetailed({ globalStatus: identity.globalStatus }, [])).toEqual([])
  })
})

describe('the canonical form of JSON', () => {
  test('has its members sorted, no space, and none that are not there', () => {
    const value = { b: [1, 'zwei', null, true], a: { d: undefined, c: -0.5 }, B: '"ä\n' }
    expect(canonicalJson(value)).toBe('{"B":"\\"ä\\n","a":{"c":-0.5},"b":[1,"zwei",null,true]}')
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }) as JsonValue)).toBe('{"a":1}')
  })

  test.each([Number.NaN, Infinity, new Date(0), () => 1, Symbol('a'), 1n, undefined])(
    'cannot hold %s',
    (value) => {
      expect(() => canonicalJson(value as never)).toThrow(TypeError)
      expect(() => canonicalJson([value as never])).toThrow(TypeError)
    },
  )

  test('is a hundred levels deep at most', () => {
    const nested = (depth: number): JsonValue => (depth === 0 ? 1 : [nested(depth - 1)])
    expect(canonicalJson(nested(100))).toHaveLength(201)
    expect(() => canonicalJson(nested(101))).toThrow(TypeError)
  })
})

describe('a container', () => {
  const sizeOf = (...sizes: number[]) =>
    containerSize(sizes.map((size, index) => ({ path: `r/${index}`, size, crc32: 0 })))
  // For each file 30 and 46 bytes with its name twice, and 22 at the end.
  const AROUND = 30 + 46 + 2 * 3 + 22

  test('is as large as a zip without the 64-bit extension can be: content, directory and all', () => {
    expect(sizeOf(0)).toBe(AROUND)
    const most = 0xfffffffe - (30 + 3) - (46 + 3)
    expect(sizeOf(most)).toBe(most + AROUND)
    for (const size of [most + 1, 0xfffffffe - 33, 0xfffffffe - 32, 0xfffffffe, 0xffffffff]) {
      expect(() => sizeOf(size)).toThrow('too many bytes for a proof archive')
    }
  })

  test('holds 65534 files, and not one more', () => {
    const files = Array.from({ length: 0xffff }, (_, index) => ({ path: `${index}`, size: 0, crc32: 0 }))
    expect(() => containerSize(files)).toThrow('too many files for a proof archive')
    expect(containerSize(files.slice(1))).toBeGreaterThan(0)
  })
})
