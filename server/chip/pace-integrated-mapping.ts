/** The pseudo-random function of integrated mapping (ICAO Doc 9303-11, 4.4.3.3.2 and appendix B). */
import { CIPHERS, encryptCbc, zeroIv, type CipherName } from './ciphers.ts'
import type { Group } from './group.ts'
import { toNumber } from './numbers.ts'
import { ChipFault } from './outcome.ts'

/** The constants of the standard, by the length of the nonce in bytes. */
const CONSTANTS: Readonly<Record<number, { readonly c0: Buffer; readonly c1: Buffer }>> = {
  16: {
    c0: Buffer.from('a668892a7c41e3ca739f40b057d85904', 'hex'),
    c1: Buffer.from('a4e136ac725f738b01c1f60217c188ad', 'hex'),
  },
  32: {
    c0: Buffer.from('d463d65234124ef7897054986dca0a174e28df758cbaa03f240616414d5a1676', 'hex'),
    c1: Buffer.from('54bd7255f0aaf831bec3423fcf39d69b6cbf066677d0faae5aadd99df8e53517', 'hex'),
  },
}
/** Bits that the random number has beyond the prime, so that its remainder is uniform. */
const EXTRA_BITS = 64

/**
 * Maps both nonces to a generator.
 * @param nonce of the chip: 16 bytes with 3DES and AES-128, 32 with AES-192 and AES-256
 * @param terminalNonce as long as a key of the cipher
 */
export function mapIntegrated(
  cipher: CipherName,
  group: Group,
  nonce: Uint8Array,
  terminalNonce: Uint8Array,
): Uint8Array {
  const { keyLength } = CIPHERS[cipher]
  const constants = CONSTANTS[nonce.length]
  if (constants === undefined || nonce.length !== Math.ceil(keyLength / 16) * 16)
    throw new ChipFault('malformed_reply')
  const encrypt = (key: Uint8Array, data: Uint8Array): Buffer => encryptCbc(cipher, key, zeroIv(cipher), data)
  const parts: Buffer[] = []
  let key = encrypt(terminalNonce, nonce).subarray(0, keyLength)
  for (let bits = 0; bits < group.primeBits + EXTRA_BITS; bits += nonce.length * 8) {
    parts.push(encrypt(key, constants.c1))
    key = encrypt(key, constants.c0).subarray(0, keyLength)
  }
  return group.mapToGenerator(toNumber(Buffer.concat(parts)))
}
