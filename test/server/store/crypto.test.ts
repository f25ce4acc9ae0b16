import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { keyedHash, newKey, seal, unseal } from '../../../server/store/crypto.ts'

describe('sealed values', () => {
  test('open again with the same key and context, whatever they hold', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.string(), (plain, context) => {
        const key = newKey()
        expect(new Uint8Array(unseal(key, seal(key, plain, context), context))).toEqual(plain)
      }),
      { numRuns: 50 },
    )
  })

  test('do not open with any byte changed, another context or another key', () => {
    const key = newKey()
    const sealed = seal(key, Buffer.from('ERIKSSON'), 'evidences:1')
    for (let position = 0; position < sealed.length; position++) {
      const altered = Buffer.from(sealed)
      altered[position] ^= 1
      expect(() => unseal(key, altered, 'evidences:1')).toThrow('storage_damaged')
    }
    expect(() => unseal(key, sealed, 'evidences:2')).toThrow('storage_damaged')
    expect(() => unseal(newKey(), sealed, 'evidences:1')).toThrow('storage_damaged')
    expect(() => unseal(key, sealed.subarray(0, 10), 'evidences:1')).toThrow('storage_damaged')
  })

  test('of the same text never look alike', () => {
    const key = newKey()
    expect(seal(key, Buffer.from('same'), 'x').equals(seal(key, Buffer.from('same'), 'x'))).toBe(false)
  })

  test('a keyed hash meets itself under the same key only', () => {
    const key = newKey()
    expect(keyedHash(key, 'a').equals(keyedHash(key, 'a'))).toBe(true)
    expect(keyedHash(key, 'a').equals(keyedHash(newKey(), 'a'))).toBe(false)
  })
})
