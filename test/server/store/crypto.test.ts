import { createDecipheriv, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { deriveKey, computeKeyedHash, createKey, seal, unseal } from '../../../server/store/crypto.ts'

describe('sealed values', () => {
  test('open again with the same key and context, whatever they hold', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.string(), (plain, context) => {
        const key = createKey()
        expect(new Uint8Array(unseal(key, seal(key, plain, context), context))).toEqual(plain)
      }),
      { numRuns: 50 },
    )
  })

  test('do not open with any byte changed, another context or another key', () => {
    const key = createKey()
    const sealed = seal(key, Buffer.from('ERIKSSON'), 'evidences:1')
    for (let position = 0; position < sealed.length; position++) {
      const altered = Buffer.from(sealed)
      altered[position] ^= 1
      expect(() => unseal(key, altered, 'evidences:1')).toThrow('storage_damaged')
    }
    expect(() => unseal(key, sealed, 'evidences:2')).toThrow('storage_damaged')
    expect(() => unseal(createKey(), sealed, 'evidences:1')).toThrow('storage_damaged')
    expect(() => unseal(key, sealed.subarray(0, 10), 'evidences:1')).toThrow('storage_damaged')
  })

  // What one release has stored the next one must open.
  // @clause NIST-63A-4/3.5-rest
  test('are AES-256-GCM: a 1, a nonce of 12 bytes, a tag of 16, and as many bytes as the text has', () => {
    const key = Buffer.alloc(32, 3)
    const sealed = seal(key, Buffer.from('ERIKSSON'), 'evidences:é')
    expect(sealed).toHaveLength(1 + 12 + 16 + 8)
    expect(sealed[0]).toBe(1)
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13))
    decipher.setAAD(Buffer.from('evidences:é', 'utf8')).setAuthTag(sealed.subarray(13, 29))
    expect(Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString()).toBe(
      'ERIKSSON',
    )
  })

  test.each([0, 1, 28])('of %i bytes are damaged, whatever they hold', (length) => {
    expect(() => unseal(createKey(), Buffer.alloc(length, 1), 'x')).toThrow('storage_damaged')
  })

  test('may be empty', () => {
    const key = createKey()
    expect(unseal(key, seal(key, Buffer.alloc(0), 'x'), 'x')).toHaveLength(0)
  })

  test('that do not open say why, for the log', () => {
    const sealed = seal(createKey(), Buffer.from('ERIKSSON'), 'x')
    expect(() => unseal(createKey(), sealed, 'x')).toThrow(
      expect.objectContaining({ cause: expect.any(Error) as Error }),
    )
  })

  test('of another version do not open, even where all else is right', () => {
    const key = createKey()
    const sealed = seal(key, Buffer.from('ERIKSSON'), 'x')
    sealed[0] = 2
    expect(() => unseal(key, sealed, 'x')).toThrow('storage_damaged')
  })

  test('of the same text never look alike', () => {
    const key = createKey()
    expect(seal(key, Buffer.from('same'), 'x').equals(seal(key, Buffer.from('same'), 'x'))).toBe(false)
  })

  test('a keyed hash meets itself under the same key only', () => {
    const key = createKey()
    expect(computeKeyedHash(key, 'a').equals(computeKeyedHash(key, 'a'))).toBe(true)
    expect(computeKeyedHash(key, 'a').equals(computeKeyedHash(createKey(), 'a'))).toBe(false)
  })
  test('a keyed hash is HMAC-SHA-256 of the text in UTF-8', () => {
    // RFC 4231, test case 2.
    expect(computeKeyedHash(Buffer.from('Jefe'), 'what do ya want for nothing?').toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    const ofBytes = createHmac('sha256', 'k').update(Buffer.from('Zoë', 'utf8')).digest()
    expect(computeKeyedHash(Buffer.from('k'), 'Zoë').equals(ofBytes)).toBe(true)
  })
})

describe('keys', () => {
  test('are 32 bytes, and another one each time', () => {
    expect(createKey()).toHaveLength(32)
    expect(createKey().equals(createKey())).toBe(false)
  })

  test('of a purpose come from the master key by HKDF-SHA-256 without salt', () => {
    const kek = Buffer.alloc(32, 5)
    // RFC 5869: extract, then one block of output.
    const extracted = createHmac('sha256', Buffer.alloc(32)).update(kek).digest()
    const expected = createHmac('sha256', extracted).update('counterproof:otp\u0001').digest()
    expect(deriveKey(kek, 'otp').equals(expected)).toBe(true)
    expect(deriveKey(kek, 'pin').equals(expected)).toBe(false)
  })
})
