import { describe, expect, test } from 'vitest'
import {
  addPadding,
  computeMac,
  deriveKey,
  removePadding,
  type CipherName,
} from '../../../server/chip/ciphers.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'
import { readChipVector } from '../../support/shared-data.ts'

const derivation = readChipVector('kdf.json') as {
  cases: readonly { k: string; counter: number; cipher: 'TDES' | 'AES'; bits: number; out: string }[]
} | null
const retailMac = readChipVector('retail-mac.json') as {
  cases: readonly { key: string; paddedData: string; mac: string }[]
} | null

test.skipIf(derivation === null).each(derivation?.cases ?? [])(
  'the key derivation of Doc 9303-11 gives the worked $cipher key of $bits bits with counter $counter',
  ({ k, counter, cipher, bits, out }) => {
    const name: CipherName = cipher === 'TDES' ? 'TDES' : (`AES-${bits}` as CipherName)
    expect(deriveKey(name, hex(k), counter)).toEqual(hex(out))
  },
)

test.skipIf(retailMac === null).each(retailMac?.cases ?? [])(
  'MAC algorithm 3 of ISO/IEC 9797-1 gives the worked checksum $mac',
  ({ key, paddedData, mac }) => {
    expect(computeMac('TDES', hex(key), hex(paddedData))).toEqual(hex(mac))
  },
)

/** NIST SP 800-38B, appendix D (examples of May 2005), cut to eight bytes. */
const AES_128 = '2b7e151628aed2a6abf7158809cf4f3c'
const AES_192 = '8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b'
const AES_256 = '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4'
const MESSAGE =
  '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52ef' +
  'f69f2445df4f9b17ad2b417be66c3710'

describe('CMAC', () => {
  test.each([
    ['AES-128', AES_128, 0, 'bb1d6929e9593728'],
    ['AES-128', AES_128, 16, '070a16b46b4d4144'],
    ['AES-128', AES_128, 40, 'dfa66747de9ae630'],
    ['AES-128', AES_128, 64, '51f0bebf7e3b9d92'],
    ['AES-192', AES_192, 0, 'd17ddf46adaacde5'],
    ['AES-192', AES_192, 40, '8a1de5be2eb31aad'],
    ['AES-256', AES_256, 0, '028962f61b7bf89e'],
    ['AES-256', AES_256, 16, '28a7023f452e8f82'],
    ['AES-256', AES_256, 64, 'e1992190549f6ed5'],
  ] as const)('with %s is that of SP 800-38B: key %s, %i bytes', (cipher, key, length, mac) => {
    expect(computeMac(cipher, hex(key), hex(MESSAGE).subarray(0, length)).toString('hex')).toBe(mac)
  })
})

describe('padding', () => {
  test('is added to whole blocks, too, and removed again', () => {
    for (const length of [0, 1, 7, 8, 15, 16, 17]) {
      const data = Buffer.alloc(length, 0x80)
      const padded = addPadding(data, 8)
      expect(padded.length % 8).toBe(0)
      expect(padded.length).toBeGreaterThan(length)
      expect(removePadding(padded, 8)).toEqual(data)
    }
  })

  test.each(['', '0000000000000000', '01020304050607FF', '80000000000000000000000000000000'])(
    'of the bytes “%s” is none',
    (bytes) => {
      expect(removePadding(hex(bytes), 8)).toBeNull()
    },
  )
})
