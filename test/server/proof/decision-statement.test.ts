import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createKeySigner, generateSigningKeyPem, type KeySigner } from '../../../server/proof/sign.ts'
import {
  DECISION_TYPE,
  listDifferences,
  hashOfReading,
  hashOfRecords,
  verifyDecision,
  type DecisionStatement,
} from '../../../server/proof/verify/decision-statement.ts'
import { canonicalBytes, type JsonObject } from '../../../server/proof/verify/canonical-json.ts'

const id = (last: number) => `01890a5d-ac96-774b-bcce-b302099a80${String(last).padStart(2, '0')}`
const RECORD = {
  startDateTime: '2026-03-01T10:00:00.000',
  endDateTime: '2026-03-01T10:00:01.000',
  participantType: 'BIOMETRIC_MATCHING',
  participantState: 'ADJUDICATION',
  errors: [],
  raisedIndicators: ['BIOMETRIC_MATCHING_CHECK_UNVERIFIED'],
  measurements: [{ check: 'BIOMETRIC_MATCHING_CHECK', outcome: 'inconclusive', measured: { score: 0.4 } }],
  models: [],
}
const IMAGES = { [id(5)]: 'a'.repeat(64), [id(6)]: 'b'.repeat(64) }

let signer: KeySigner
let statement: DecisionStatement
let jwks: { keys: object[] }
const signed = (value: object) => signer.sign(canonicalBytes(value as JsonObject))
beforeAll(async () => {
  signer = createKeySigner(await generateSigningKeyPem())
  jwks = { keys: [await signer.publicJwk()] }
  statement = {
    type: DECISION_TYPE,
    version: '1',
    applianceId: id(0),
    keyId: signer.keyId,
    decisionId: id(1),
    adjudicationId: id(2),
    identityId: id(3),
    evidenceId: id(4),
    referenceId: id(7),
    decision: 'ACCEPTED',
    reason: 'SAME_PERSON',
    adjudicator: { id: 'anna', kind: 'STAFF' },
    decidedAt: '2026-03-01T10:05:00.000',
    images: IMAGES,
    verificationSha256: hashOfRecords([RECORD]),
  }
})

describe('a signed decision', () => {
  test('is verified by the public key of the appliance alone', async () => {
    expect(verifyDecision(await signed(statement), { jwks })).toEqual({
      valid: true,
      statement,
      signedBy: signer.keyId,
      problems: [],
    })
    const stranger = createKeySigner(await generateSigningKeyPem())
    const other = { jwks: { keys: [await stranger.publicJwk()] } }
    expect(verifyDecision(await signed(statement), other)).toMatchObject({ valid: false, statement: null })
  })

  test('is found out wherever a character of it was changed', async () => {
    const jws = await signed(statement)
    for (let at = 0; at < jws.length; at++) {
      const changed = jws.slice(0, at) + (jws[at] === 'A' ? 'B' : 'A') + jws.slice(at + 1)
      const { valid, statement: told } = verifyDecision(changed, { jwks })
      expect([at, valid, told]).toEqual([at, false, null])
    }
  })

  test.each([
    ['a moment with something before it', { decidedAt: 'x2026-03-01T10:05:00.000' }],
    ['a moment with something behind it', { decidedAt: '2026-03-01T10:05:00.000Z' }],
    ['an examination that is none', { examination: 'YES' }],
    ['an examination without its time', { examination: { features: [] } }],
    ['an examination of half a second', { examination: { features: [], viewedSeconds: 0.5 } }],
    ['features that are no list', { examination: { features: 'EYES', viewedSeconds: 3 } }],
    ['a feature that is a sentence', { examination: { features: ['TWO EYES'], viewedSeconds: 3 } }],
    ['an unknown question', { examination: { features: [], viewedSeconds: 3, isTall: 'YES' } }],
    ['an answer that is none', { examination: { features: [], viewedSeconds: 3, samePerson: 'MAYBE' } }],
    ['an image without its hash', { images: { [id(5)]: 'a' } }],
    ['images that are a list', { images: ['a'.repeat(64)] }],
    ['a member beside its own', { note: 'x' }],
    ['a member that every object inherits', { constructor: 'x' }],
    ['an adjudicator of a kind with more behind it', { adjudicator: { id: 'anna', kind: 'STAFFROOM' } }],
    ['an adjudicator of a kind with more before it', { adjudicator: { id: 'anna', kind: 'A SERVICE' } }],
    ['a reason with a small letter behind it', { reason: 'SAME_PERSONx' }],
  ])('is not what was signed with %s', async (_, change) => {
    expect(verifyDecision(await signed({ ...statement, ...change }), { jwks })).toMatchObject({
      valid: false,
      statement: null,
    })
  })

  test('may say what the person looked at and answered', async () => {
    const examination = {
      features: ['EYES', 'NOSE'],
      viewedSeconds: 42,
      samePerson: 'YES',
      dataAgree: 'CANNOT_TELL',
    }
    expect(verifyDecision(await signed({ ...statement, examination }), { jwks }).valid).toBe(true)
    const nothing = { features: [], viewedSeconds: 0 }
    expect(verifyDecision(await signed({ ...statement, examination: nothing }), { jwks }).valid).toBe(true)
  })

  test('says by a salted hash what the person read off the picture: nothing of it can be changed, and nothing of it is told', async () => {
    const reading = { salt: 'c2FsdC1vZi1zaXh0ZWVuIQ', values: { idDocumentNumber: 'L898902C3' } }
    const read = { ...statement, version: '2', readingSha256: hashOfReading(reading) } as const
    const jws = await signed(read)
    expect(verifyDecision(jws, { jwks })).toMatchObject({ valid: true, statement: read })
    expect(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()).not.toContain('L898902C3')
    const shown = { images: new Map(Object.entries(IMAGES)), records: [RECORD] }
    expect(listDifferences(read, { ...shown, reading })).toEqual([])
    const changed = { ...reading, values: { idDocumentNumber: 'L898902C8' } }
    expect(listDifferences(read, { ...shown, reading: changed })).toEqual(['reading'])
    expect(listDifferences(read, { ...shown, reading: { ...reading, salt: 'other' } })).toEqual(['reading'])
    expect(listDifferences(read, shown)).toEqual(['reading'])
    expect(listDifferences(statement, { ...shown, reading })).toEqual(['reading'])
  })

  test('spelled in another base64url of the same bytes is refused as such', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const short = createKeySigner(privateKey)
    const keys = { jwks: { keys: [await short.publicJwk()] } }
    const jws = await short.sign(canonicalBytes(statement))
    expect(verifyDecision(jws, keys).valid).toBe(true)
    const [header, payload, signature] = jws.split('.')
    // The last letter of 256 bytes carries four bits that mean nothing.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = letters[letters.indexOf(signature.at(-1) ?? '') + 1]
    const respelled = signature.slice(0, -1) + last
    for (const other of [`${header}.${payload}.${respelled}`, `${header}.${payload}=.${signature}`]) {
      expect(verifyDecision(other, keys).problems).toEqual(['It is not written in plain base64url.'])
    }
  })

  test.each(['', 'a', 'a.b', 'a.b.c.d', 'eyJhbGciOiJub25lIn0.e30.'])('is not %j', (jws) => {
    expect(verifyDecision(jws, { jwks }).valid).toBe(false)
  })

  test.each<readonly [string, (value: DecisionStatement) => object]>([
    ['without what was looked at', ({ images: _, ...rest }) => rest],
    ['of another type', (value) => ({ ...value, type: 'counterproof-deletion-receipt' })],
    ['of a later version', (value) => ({ ...value, version: '3' })],
    ['of the version with a reading, without one', (value) => ({ ...value, version: '2' })],
    ['with a reading in the version without one', (value) => ({ ...value, readingSha256: 'c'.repeat(64) })],
    ['with a reading in clear', (value) => ({ ...value, version: '2', readingSha256: 'ERIKSSON' })],
    ['with a free text', (value) => ({ ...value, note: 'he seemed nice' })],
    ['with words for a reason', (value) => ({ ...value, reason: 'he seemed nice' })],
    ['without an adjudicator', (value) => ({ ...value, adjudicator: { id: '', kind: 'STAFF' } })],
    ['by another kind', (value) => ({ ...value, adjudicator: { id: 'a', kind: 'MACHINE' } })],
    ['of no decision', (value) => ({ ...value, decision: 'PROCESSING' })],
    ['of no day', (value) => ({ ...value, decidedAt: 'yesterday' })],
    ['with a hash that is none', (value) => ({ ...value, images: { x: 'abc' } })],
    ['about nothing', (value) => ({ ...value, evidenceId: 'x' })],
    ['against no document', (value) => ({ ...value, referenceId: 'x' })],
  ])('%s is refused, though signed', async (_, change) => {
    expect(verifyDecision(await signed(change(statement)), { jwks })).toMatchObject({
      valid: false,
      statement: null,
      signedBy: null,
    })
  })

  test('in another order of its members is refused, though signed', async () => {
    const text = JSON.stringify(Object.fromEntries(Object.entries(statement).reverse()))
    expect(verifyDecision(await signer.sign(Buffer.from(text)), { jwks }).valid).toBe(false)
    expect(verifyDecision(await signer.sign(Buffer.from('no JSON')), { jwks }).valid).toBe(false)
    expect(verifyDecision(await signer.sign(Buffer.from('[]')), { jwks }).valid).toBe(false)
  })
})

describe('what was looked at', () => {
  const shown = (over: Partial<Parameters<typeof listDifferences>[1]> = {}) => ({
    images: new Map(Object.entries(IMAGES)),
    records: [RECORD],
    ...over,
  })

  test('is what lies before us', () => {
    expect(listDifferences(statement, shown())).toEqual([])
    // Later pictures were not examined, and make no difference.
    const more = new Map([...Object.entries(IMAGES), [id(8), 'c'.repeat(64)]])
    expect(listDifferences(statement, shown({ images: more }))).toEqual([])
  })

  test('and a picture that is another one, or gone, is named', () => {
    const changed = new Map([[id(6), 'c'.repeat(64)]])
    expect(listDifferences(statement, shown({ images: changed }))).toEqual([id(5), id(6)])
  })

  test('and any change of what the machine had found is noticed', () => {
    const changes = [
      [],
      [RECORD, RECORD],
      [{ ...RECORD, raisedIndicators: ['BIOMETRIC_MATCHING_CHECK_OK'] }],
      [{ ...RECORD, measurements: [{ ...RECORD.measurements[0], measured: { score: 0.41 } }] }],
      [{ ...RECORD, errors: [{ code: '1600' }] }],
      [{ ...RECORD, models: [{ id: 'm', version: '1', sha256: '0'.repeat(64) }] }],
      [{ ...RECORD, participantState: 'ACCEPTED' }],
      [{ ...RECORD, startDateTime: '2026-03-01T10:00:00.001' }],
      [{ ...RECORD, endDateTime: '2026-03-01T10:00:01.001' }],
      [{ ...RECORD, participantType: 'IMAGE_OCR' }],
    ]
    for (const records of changes) {
      expect(listDifferences(statement, shown({ records }))).toEqual(['verification'])
    }
  })

  test('holds in an archive, which adds to a record, and beside the record of the decision itself', () => {
    const inArchive = { ...RECORD, linkedIdentityOperation: { id: 'x' }, verificationServices: [] }
    const ofPerson = { ...RECORD, participantType: 'ADJUDICATION' }
    expect(hashOfRecords([inArchive, ofPerson])).toBe(hashOfRecords([RECORD]))
  })
})
