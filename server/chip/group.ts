/**
 * One interface for the groups of key agreement: elliptic curves and Diffie-Hellman. An element is its encoded public key (an
 * uncompressed point, or a number as long as the prime), so that protocols are the same for both.
 */
export interface Group {
  readonly kind: 'ecdh' | 'dh'
  readonly generator: Uint8Array
  /** Order of the generator; null if the parameters do not name it (PKCS #3). */
  readonly order: bigint | null
  /** Bits of the prime, for the mapping of random numbers. */
  readonly primeBits: number
  /**
   * Returns the element that the other side sent.
   * @throws ChipFault public_key_invalid unless it is one, and neither the neutral nor a small one
   */
  check(received: Uint8Array): Uint8Array
  /** A private key: from 1 to the order - 1. */
  makeScalar(): bigint
  /** Applies the operation `scalar` times: scalar · element, or element ^ scalar. Throws ChipFault public_key_invalid for the neutral element. */
  multiply(scalar: bigint, element: Uint8Array): Uint8Array
  /** The operation of the group. Throws ChipFault generator_invalid for the neutral element. */
  combine(one: Uint8Array, other: Uint8Array): Uint8Array
  /** The shared secret in an element: the x coordinate, or the whole number. */
  toSecret(element: Uint8Array): Uint8Array
  /** The map of a random number to a generator for integrated mapping (Doc 9303-11, 4.4.3.3.2). */
  mapToGenerator(random: bigint): Uint8Array
}
