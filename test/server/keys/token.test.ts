import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { AppError } from '../../../server/errors.ts'
import { rotateSigningKeys } from '../../../server/keys/rotation.ts'
import { makeSigningKey } from '../../../server/keys/signing-key.ts'
import { openToken } from '../../../server/keys/token.ts'
import { WRAPPED_KEK_FILE } from '../../../server/keys/wrapped-kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { openSigner } from '../../../server/workflows/proof/open-signer.ts'
import { findTokens, makeSoftToken, type SoftToken } from '../../support/token.ts'

const tokens = findTokens()
const absent = typeof tokens === 'string' ? tokens : ''
const NOW = new Date('2026-11-21T09:00:00Z')
const clock = { now: () => NOW }

let soft: SoftToken
beforeEach(() => {
  if (typeof tokens !== 'string') soft = makeSoftToken(tokens)
})
afterEach(() => {
  if (typeof tokens !== 'string') soft.remove()
})

type KekConfig = Pick<Config, 'dataDir' | 'kek' | 'pkcs11'>
const config = (changes: Partial<SoftToken['settings']> = {}): KekConfig => ({
  dataDir: soft.dataDir,
  kek: { source: 'pkcs11' },
  pkcs11: { ...soft.settings, ...changes },
})
const wrapped = (): string => join(soft.dataDir, WRAPPED_KEK_FILE)

function reasonOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError && error.code === 'key_unavailable') return String(error.details.reason)
    throw error
  }
  return 'it worked'
}

test('where no token is configured, none is asked, and the setting that is missing is named', () => {
  const open = () => openToken({ dataDir: '/nowhere', pkcs11: undefined })
  expect(open).toThrow(
    expect.objectContaining({
      code: 'configuration_invalid',
      details: { field: 'pkcs11' },
      problems: [
        { code: 'missing', field: 'pkcs11', message: 'a key is to be kept in a token, and none is named' },
      ],
    }),
  )
})

describe.skipIf(absent !== '')(`keys in a token ${absent}`, () => {
  test('the master key is made once, lies on the disk only as the token sealed it, and opens again', () => {
    const kek = loadKek(config())
    expect(kek).toHaveLength(32)
    expect(statSync(wrapped()).mode & 0o777).toBe(0o600)
    const text = readFileSync(wrapped(), 'utf8')
    for (const form of ['hex', 'base64'] as const) expect(text).not.toContain(kek.toString(form))
    expect(loadKek(config()).equals(kek)).toBe(true)
    expect(existsSync(join(soft.dataDir, 'keys', 'kek.key'))).toBe(false)
  })

  test('a signing key is made in the token, cannot be taken out of it, and signs', async () => {
    const token = openToken(config())
    try {
      const { kept, signer } = await makeSigningKey('pkcs11', () => token)
      expect(kept.privateKey).toBeNull()
      const signature = await signer.signBytes(Buffer.from('proof'))
      expect(verify('sha256', Buffer.from('proof'), signer.publicKey, signature)).toBe(true)
      expect(createPublicKey({ key: kept.publicJwk, format: 'jwk' }).asymmetricKeyDetails).toMatchObject({
        modulusLength: 3072,
      })
      expect(secretsOf(kept.publicJwk.n ?? '')).toEqual({ sensitive: true, extractable: false, given: [] })
    } finally {
      token.close()
    }
  })

  test('an appliance signs through the token, again after a restart, and rotates into it from a key file', async () => {
    const kek = loadKek(config())
    let store = openStore(soft.dataDir, kek)
    const before = await openSigner(store, clock, {
      source: 'key-file',
      openToken: () => openToken(config()),
    })
    const fromFile = before.keyId
    const token = openToken(config())
    rotateSigningKeys(store, await makeSigningKey('pkcs11', () => token), NOW, NOW)
    expect(before.keyId).not.toBe(fromFile)
    const first = await before.sign(Buffer.from('{}'))
    token.close()
    before.close()
    store.close()
    store = openStore(soft.dataDir, loadKek(config()))
    const after = await openSigner(store, clock, { source: 'pkcs11', openToken: () => openToken(config()) })
    // RS256 has no randomness: the same key makes the same signature.
    expect(await after.sign(Buffer.from('{}'))).toBe(first)
    expect(() => store.signingKeys.privateKey(after.keyId)).toThrow('key_unavailable')
    after.close()
    store.close()
  })

  test('a session that ended is opened again, and the signature is made', async () => {
    const token = openToken(config())
    try {
      const { signer } = await makeSigningKey('pkcs11', () => token)
      endAllSessions()
      const signature = await signer.signBytes(Buffer.from('proof'))
      expect(verify('sha256', Buffer.from('proof'), signer.publicKey, signature)).toBe(true)
    } finally {
      token.close()
    }
  })

  test.each<[string, string, () => KekConfig]>([
    [
      'the plug-in is absent',
      'the PKCS#11 plug-in is not installed: npm ci --prefix plugins/pkcs11 --ignore-scripts=false',
      () => config({ plugin: join(soft.dataDir, 'nowhere') }),
    ],
    [
      'the library is absent',
      'the PKCS#11 library /nowhere/lib.so is missing or cannot be loaded',
      () => config({ library: '/nowhere/lib.so' }),
    ],
    ['the token is absent', 'no token of the label another answers', () => config({ tokenLabel: 'another' })],
    [
      'the PIN is wrong',
      'the token counterproof refuses the PIN',
      () => {
        writeFileSync(join(soft.dataDir, 'pin'), '0000')
        return config()
      },
    ],
    [
      'the PIN file is missing',
      'the PIN file is missing or cannot be read',
      () => config({ pinFile: 'nowhere' }),
    ],
    [
      'the PIN file is empty',
      'the PIN file is empty',
      () => {
        writeFileSync(join(soft.dataDir, 'pin'), '\n')
        return config()
      },
    ],
    [
      'others may read the PIN file',
      'others may read the PIN file; chmod 600 it',
      () => {
        chmodSync(join(soft.dataDir, 'pin'), 0o640)
        return config()
      },
    ],
    [
      'the wrapping key is in another token',
      'the key is not in the token counterproof',
      () => {
        const file = JSON.parse(readFileSync(wrapped(), 'utf8')) as { keyId: string }
        writeFileSync(wrapped(), JSON.stringify({ ...file, keyId: randomBytes(16).toString('hex') }))
        return config()
      },
    ],
    [
      'the wrapped key was changed by one bit',
      'the token counterproof does not do what it was asked for',
      () => {
        const file = JSON.parse(readFileSync(wrapped(), 'utf8')) as { wrapped: string }
        const bytes = Buffer.from(file.wrapped, 'base64')
        bytes[20] ^= 1
        writeFileSync(wrapped(), JSON.stringify({ ...file, wrapped: bytes.toString('base64') }))
        return config()
      },
    ],
    [
      'the wrapped key is damaged',
      'keys/kek.token is damaged',
      () => {
        writeFileSync(wrapped(), '{')
        return config()
      },
    ],
    [
      'the wrapped key is gone beside a database',
      'the wrapped master key of this database, keys/kek.token, is missing',
      () => {
        rmSync(wrapped())
        return config()
      },
    ],
  ])('when %s, there is no master key, and none is taken from elsewhere', (_, reason, spoil) => {
    openStore(soft.dataDir, loadKek(config())).close()
    // A key file would be another source: it is not looked at.
    writeFileSync(join(soft.dataDir, 'keys', 'kek.key'), `${randomBytes(32).toString('hex')}\n`, {
      mode: 0o600,
    })
    const spoiled = spoil()
    const left = existsSync(wrapped())
    expect(reasonOf(() => loadKek(spoiled))).toBe(reason)
    expect(existsSync(wrapped())).toBe(left)
  })

  test('a signing key that is in use and not in the token refuses the start', async () => {
    const store = openStore(soft.dataDir, loadKek(config()))
    const source = { source: 'pkcs11' as const, openToken: () => openToken(config()) }
    const signer = await openSigner(store, clock, source)
    const modulus = Buffer.from((await signer.publicJwk()).n ?? '', 'base64url')
    signer.close()
    const token = openToken(config())
    token.destroySigningKey(modulus)
    token.close()
    await expect(openSigner(store, clock, source)).rejects.toMatchObject({
      code: 'key_unavailable',
      details: { reason: 'the signing key that is in use is not in the token' },
    })
    expect(store.signingKeys.list()).toHaveLength(1)
    store.close()
  })

  test('a key that is not wanted after all leaves nothing in the token', async () => {
    const token = openToken(config())
    const made = await makeSigningKey('pkcs11', () => token)
    const modulus = Buffer.from(made.kept.publicJwk.n ?? '', 'base64url')
    expect(token.hasSigningKey(modulus)).toBe(true)
    made.discard()
    expect(token.hasSigningKey(modulus)).toBe(false)
    token.close()
  })
})

interface Graphene {
  Module: { load(path: string, name: string): GrapheneModule }
  ObjectClass: { PRIVATE_KEY: number }
}
interface GrapheneModule {
  getSlots(present: boolean): { length: number; items(index: number): GrapheneSlot }
}
interface GrapheneSlot {
  getToken(): { label: string }
  open(): {
    find(template: object): { items(index: number): { getAttribute(name: string): unknown } }
    close(): void
  }
  closeAll(): void
}

/** The same library, past our plug-in. */
function slot(): { slot: GrapheneSlot; graphene: Graphene } {
  const require = createRequire(join(soft.settings.plugin, 'index.mjs'))
  const graphene = require('graphene-pk11') as Graphene
  const slots = graphene.Module.load(soft.settings.library, 'test').getSlots(true)
  for (let index = 0; index < slots.length; index++) {
    if (slots.items(index).getToken().label.trim() === soft.label)
      return { slot: slots.items(index), graphene }
  }
  throw new Error('no token')
}

function endAllSessions(): void {
  slot().slot.closeAll()
}

/**
 * Returns the token's attributes of the private key with this modulus, and the secret numbers that it
 * reveals.
 */
function secretsOf(n: string) {
  const { slot: token, graphene } = slot()
  const session = token.open()
  const key = session
    .find({ class: graphene.ObjectClass.PRIVATE_KEY, modulus: Buffer.from(n, 'base64url') })
    .items(0)
  const given = ['privateExponent', 'prime1', 'prime2'].filter((name) => {
    try {
      return key.getAttribute(name) !== null
    } catch {
      return false
    }
  })
  const answer = {
    sensitive: key.getAttribute('sensitive'),
    extractable: key.getAttribute('extractable'),
    given,
  }
  session.close()
  return answer
}
