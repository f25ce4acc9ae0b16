/** Whole numbers of any size, and their bytes. */
import { ChipFault } from './outcome.ts'

/** Big-endian and unsigned; no bytes are zero. */
export function toNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

/** Big-endian with leading zeros. Throws TypeError if the number needs more bytes. */
export function toBytes(number: bigint, length: number): Buffer {
  const hex = number.toString(16).padStart(length * 2, '0')
  if (hex.length > length * 2) throw new TypeError('a number that needs more bytes')
  return Buffer.from(hex, 'hex')
}

export function countBytes(number: bigint): number {
  return Math.ceil(number.toString(16).length / 2)
}

export function countBits(number: bigint): number {
  return number.toString(2).length
}

/** The remainder from 0 to modulus - 1, also of a negative number. */
export function reduce(number: bigint, modulus: bigint): bigint {
  const rest = number % modulus
  return rest < 0n ? rest + modulus : rest
}

/**
 * base^exponent mod modulus. The time depends on the exponent: every secret exponent here is used once, so that it cannot be
 * measured twice.
 */
export function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = reduce(base, modulus)
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/** @throws ChipFault public_key_invalid if the number has no inverse */
export function invert(number: bigint, modulus: bigint): bigint {
  let [a, b] = [reduce(number, modulus), modulus]
  let [x, y] = [1n, 0n]
  while (b > 0n) {
    const quotient = a / b
    ;[a, b] = [b, a % b]
    ;[x, y] = [y, x - quotient * y]
  }
  if (a !== 1n) throw new ChipFault('public_key_invalid')
  return reduce(x, modulus)
}
