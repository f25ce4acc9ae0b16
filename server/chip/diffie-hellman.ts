/** Diffie-Hellman groups (ICAO Doc 9303-11, 9.4.1 and 9.5.1; RFC 5114, 2.1 to 2.3). */
import { randomBytes } from 'node:crypto'
import type { Group } from './group.ts'
import { countBits, countBytes, power, reduce, toBytes, toNumber } from './numbers.ts'
import { ChipFault } from './outcome.ts'

export interface DhParameters {
  readonly p: bigint
  readonly g: bigint
  /** Null if the parameters do not name the order of the generator (PKCS #3). */
  readonly q: bigint | null
}

export function makeDhGroup({ p, g, q }: DhParameters): Group {
  const length = countBytes(p)
  const encode = (number: bigint): Buffer => toBytes(number, length)
  return {
    kind: 'dh',
    generator: encode(g),
    order: q,
    primeBits: countBits(p),
    check: (received) => {
      const y = toNumber(received)
      const isInside = received.length <= length && y > 1n && y < p - 1n
      if (!isInside || (q !== null && power(y, q, p) !== 1n)) throw new ChipFault('public_key_invalid')
      return encode(y)
    },
    makeScalar: () => {
      const bound = q ?? p - 1n
      return reduce(toNumber(randomBytes(countBytes(bound) + 8)), bound - 1n) + 1n
    },
    multiply: (scalar, element) => {
      const result = power(toNumber(element), scalar, p)
      if (result <= 1n) throw new ChipFault('public_key_invalid')
      return encode(result)
    },
    combine: (one, other) => {
      const product = (toNumber(one) * toNumber(other)) % p
      if (product <= 1n) throw new ChipFault('generator_invalid')
      return encode(product)
    },
    toSecret: (element) => element,
    mapToGenerator: (random) => {
      if (q === null) throw new ChipFault('domain_parameters_unknown')
      const generator = power(random, (p - 1n) / q, p)
      if (generator <= 1n) throw new ChipFault('generator_invalid')
      return encode(generator)
    },
  }
}
