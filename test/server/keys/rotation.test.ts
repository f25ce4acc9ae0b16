import { compactVerify, importJWK } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addSigningKey,
  noteKeyInUse,
  retireSigningKey,
  revokeSigningKey,
  rotateSigningKeys,
} from '../../../server/keys/rotation.ts'
import { makeSigningKey, type NewSigningKey } from '../../../server/keys/signing-key.ts'
import { deriveKeyState } from '../../../server/store/signing-keys.ts'
import { openSigner } from '../../../server/workflows/proof/open-signer.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

const DAY_MS = 86_400_000
const OPERATOR = { actor: 'operator' }
const inDays = (days: number): Date => new Date(AT.getTime() + days * DAY_MS)
const noToken = (): never => {
  throw new Error('no token is to be asked')
}
const newKey = (): Promise<NewSigningKey> => makeSigningKey('key-file', noToken)

let t: TestStore
let now: Date
const clock = { now: () => now }
const open = () => openSigner(t.store, clock, { source: 'key-file', openToken: noToken })
const published = () => t.store.signingKeys.publicKeys().map(({ kid }) => kid)
const states = (at: Date) => t.store.signingKeys.list().map((key) => deriveKeyState(key, at))
const events = () =>
  t.store.events
    .after(0, 100)
    .filter(({ type }) => type.startsWith('key.'))
    .map(({ type, body, actor, reason }) => [type, body.kid, actor, reason])

beforeEach(() => {
  t = openTestStore()
  now = AT
})
afterEach(() => t.close())

async function signedBy(jws: string): Promise<string[]> {
  const kids: string[] = []
  for (const jwk of t.store.signingKeys.publicKeys()) {
    const verified = await compactVerify(jws, await importJWK(jwk, 'RS256')).catch(() => null)
    if (verified) kids.push(jwk.kid)
  }
  return kids
}

describe('the signing key', () => {
  test('of a new appliance is made once, opens again after a restart, and is in the log', async () => {
    const made = (await open()).current()
    const madeKey = t.store.signingKeys.privateKey(made.keyId)
    t.reopen()
    const opened = await open()
    expect(opened.keyId).toBe(made.keyId)
    expect(t.store.signingKeys.privateKey(made.keyId).equals(madeKey)).toBe(true)
    expect(published()).toEqual([made.keyId])
    expect(t.store.signingKeys.publicKeys()[0]).not.toHaveProperty('d')
    expect(events()).toEqual([
      ['key.created', made.keyId, 'appliance', null],
      ['key.activated', made.keyId, 'appliance', null],
    ])
  })

  test('is one even when two first starts make it at the same time', async () => {
    const [one, other] = await Promise.all([open(), open()])
    expect(one.keyId).toBe(other.keyId)
    expect(t.store.signingKeys.list()).toHaveLength(1)
  })

  test('in use since it was made stays so when the clock is set back', async () => {
    const signer = await open()
    now = inDays(-400)
    expect(signer.keyId).toBe(signer.current().keyId)
    expect(await signedBy(await signer.sign(Buffer.from('{}')))).toEqual([signer.keyId])
  })
})

describe('a rotation', () => {
  test('publishes the new key at once, signs with it from its date, and takes effect in the open signer', async () => {
    const signer = await open()
    const old = signer.keyId
    const next = await newKey()
    rotateSigningKeys(t.store, next, inDays(7), AT, OPERATOR)
    expect([published(), states(AT)]).toEqual([
      [old, next.signer.keyId],
      ['ACTIVE', 'PENDING'],
    ])
    const before = await signer.sign(Buffer.from('before'))
    now = new Date(inDays(7).getTime() - 1)
    expect(signer.keyId).toBe(old)
    now = inDays(7)
    expect(signer.keyId).toBe(next.signer.keyId)
    const after = await signer.sign(Buffer.from('after'))
    expect([await signedBy(before), await signedBy(after)]).toEqual([[old], [next.signer.keyId]])
    expect(states(now)).toEqual(['RETIRED', 'ACTIVE'])
  })

  test('is in the log when it was asked for, and once more when its date has come, across a restart', async () => {
    const { keyId: old } = await open()
    const next = await newKey()
    rotateSigningKeys(t.store, next, inDays(1), AT, OPERATOR)
    now = inDays(2)
    t.reopen()
    const signer = await open()
    await signer.sign(Buffer.from('{}'))
    await signer.sign(Buffer.from('{}'))
    expect(events().slice(2)).toEqual([
      ['key.created', next.signer.keyId, 'operator', null],
      ['key.activated', next.signer.keyId, 'appliance', null],
      ['key.retired', old, 'appliance', 'ROTATION'],
    ])
  })

  test('lets a signature that has begun finish with the key that it began with', async () => {
    const signer = await open()
    const held = signer.current()
    rotateSigningKeys(t.store, await newKey(), AT, AT, OPERATOR)
    expect(signer.keyId).not.toBe(held.keyId)
    expect(await signedBy(await held.sign(Buffer.from('{}')))).toEqual([held.keyId])
  })

  test('waits for the one before it, and can be called off: the present key is used on', async () => {
    const { keyId: old } = await open()
    const next = await newKey()
    rotateSigningKeys(t.store, next, inDays(7), AT, OPERATOR)
    const other = await newKey()
    expect(() => rotateSigningKeys(t.store, other, inDays(9), AT, OPERATOR)).toThrow('waits for its time')
    retireSigningKey(t.store, next.signer.keyId, AT, OPERATOR)
    expect(t.store.signingKeys.active(inDays(30))?.kid).toBe(old)
    expect(() => retireSigningKey(t.store, old, AT, OPERATOR)).toThrow('only key in use')
  })
})

describe('a revoked key', () => {
  test('is published no more, and the key that waits takes its place at once', async () => {
    const signer = await open()
    const old = signer.keyId
    const next = await newKey()
    rotateSigningKeys(t.store, next, inDays(7), AT, OPERATOR)
    const inUse = revokeSigningKey(t.store, { kid: old, since: inDays(-3) }, null, AT, OPERATOR)
    expect([inUse?.kid, published(), signer.keyId]).toEqual([
      next.signer.keyId,
      [next.signer.keyId],
      next.signer.keyId,
    ])
    expect(t.store.signingKeys.find(old)?.revokedAt).toEqual(inDays(-3))
    expect(events().slice(-2)).toEqual([
      ['key.revoked', old, 'operator', 'COMPROMISED'],
      ['key.activated', next.signer.keyId, 'operator', null],
    ])
  })

  test('that waited leaves the present key in use beyond the date of the rotation', async () => {
    const { keyId: old } = await open()
    const next = await newKey()
    rotateSigningKeys(t.store, next, inDays(7), AT, OPERATOR)
    revokeSigningKey(t.store, { kid: next.signer.keyId, since: AT }, null, AT, OPERATOR)
    expect(t.store.signingKeys.active(inDays(30))?.kid).toBe(old)
  })

  test('without a successor leaves nothing to sign with: neither a signature nor a start', async () => {
    const signer = await open()
    revokeSigningKey(t.store, { kid: signer.keyId, since: AT }, null, AT, OPERATOR)
    await expect((async () => signer.sign(Buffer.from('{}')))()).rejects.toMatchObject({
      code: 'key_unavailable',
    })
    await expect(open()).rejects.toMatchObject({ code: 'key_unavailable' })
    addSigningKey(t.store, await newKey(), AT, OPERATOR)
    expect((await open()).keyId).toBe(noteKeyInUse(t.store, AT)?.kid)
  })

  test.each([
    ['twice', (kid: string) => ({ kid, since: AT }), 'REVOKED already'],
    ['from a date to come', (kid: string) => ({ kid, since: inDays(1) }), 'in the future'],
    ['that was never made', () => ({ kid: 'x', since: AT }), 'no signing key'],
  ])('cannot be one revoked %s', async (_, asked, sentence) => {
    const { keyId } = await open()
    if (sentence.startsWith('REVOKED')) {
      revokeSigningKey(t.store, { kid: keyId, since: AT }, await newKey(), AT, OPERATOR)
    }
    expect(() => revokeSigningKey(t.store, asked(keyId), null, AT, OPERATOR)).toThrow(sentence)
  })
})
