/**
 * Keys of the chip for key agreement (SubjectPublicKeyInfo, RFC 5280, 4.1.2.7) with named, standardised or explicit domain parameters.
 * Explicit parameters of a curve must be those of a curve that is known by name, with its own generator: another generator would
 * let a forger choose the key.
 */
import { checkPrimeSync } from 'node:crypto'
import { CURVE_CONSTANTS, CURVE_IDS, type CurveName } from './curve-constants.ts'
import { makeDhGroup } from './diffie-hellman.ts'
import { findStandardGroup, STANDARD_PRIMES } from './domain-parameters.ts'
import { getCurve, getGenerator, isOnCurve, makeCurveGroup } from './elliptic-curve.ts'
import { ASN1, readMembers, toBitStringBytes, toOid, toSmallNumber, toUnsignedBytes } from './der.ts'
import type { Group } from './group.ts'
import { countBits, power, toNumber } from './numbers.ts'
import { ChipFault } from './outcome.ts'
import { readTlv, readTlvs, type Tlv } from './tlv.ts'

export interface AgreementKey {
  readonly group: Group
  /** An element of the group; it is checked. */
  readonly element: Uint8Array
}

const EC_PUBLIC_KEY = '1.2.840.10045.2.1'
const DH_PUBLIC_NUMBER = '1.2.840.10046.2.1' // X9.42: p, g, q
const DH_KEY_AGREEMENT = '1.2.840.113549.1.3.1' // PKCS #3: p, g
const STANDARDISED = '0.4.0.127.0.7.1.2' // BSI TR-03110-3, A.2.1.1
const PRIME_FIELD = '1.2.840.10045.1.1'
const MIN_DH_BITS = 1024
const MAX_DH_BITS = 4096
/** Rounds of Miller-Rabin: a composite number passes with a probability of at most 2^-32. */
const PRIME_CHECKS = 16

/** @throws ChipFault */
export function parseAgreementKey(spki: Uint8Array): AgreementKey {
  const [algorithm, bits, ...more] = readMembers(spki)
  if (algorithm?.tag !== ASN1.sequence || more.length > 0) throw new ChipFault('malformed_data')
  const [oid, parameters, ...rest] = readTlvs(algorithm.value)
  if (rest.length > 0) throw new ChipFault('malformed_data')
  const group = parseGroup(toOid(oid), parameters)
  const bytes = toBitStringBytes(bits)
  // A DH key is an INTEGER in the bit string (RFC 3279, 2.3.3); a point stands there by itself.
  const element = group.kind === 'dh' ? toUnsignedBytes(readTlv(bytes, ASN1.integer)) : bytes
  return { group, element: group.check(element) }
}

function parseGroup(algorithm: string, parameters: Tlv | undefined): Group {
  if (parameters === undefined) throw new ChipFault('malformed_data')
  switch (algorithm) {
    case EC_PUBLIC_KEY:
      return makeCurveGroup(parseCurve(parameters))
    case STANDARDISED: {
      const group = findStandardGroup(toSmallNumber(parameters))
      if (group === null) throw new ChipFault('domain_parameters_unknown')
      return group
    }
    case DH_PUBLIC_NUMBER:
      return parseDhGroup(parameters, true)
    case DH_KEY_AGREEMENT:
      return parseDhGroup(parameters, false)
    default:
      throw new ChipFault('algorithm_unknown')
  }
}

/**
 * Names the curve of EcpkParameters (RFC 3279, 2.3.5).
 * @throws ChipFault domain_parameters_inconsistent or domain_parameters_unknown
 */
export function parseCurve(parameters: Tlv): CurveName {
  if (parameters.tag === ASN1.oid) {
    const name = CURVE_IDS[toOid(parameters)]
    if (name === undefined) throw new ChipFault('domain_parameters_unknown')
    return name
  }
  if (parameters.tag !== ASN1.sequence) throw new ChipFault('domain_parameters_unknown')
  const [version, field, coefficients, base, order, cofactor] = readTlvs(parameters.value)
  toSmallNumber(version)
  if (field?.tag !== ASN1.sequence || coefficients?.tag !== ASN1.sequence || base?.tag !== ASN1.octetString)
    throw new ChipFault('malformed_data')
  const [fieldType, prime] = readTlvs(field.value)
  if (toOid(fieldType) !== PRIME_FIELD) throw new ChipFault('domain_parameters_unknown')
  const [a, b] = readTlvs(coefficients.value)
  if (a?.tag !== ASN1.octetString || b?.tag !== ASN1.octetString) throw new ChipFault('malformed_data')
  const given = {
    p: toNumber(toUnsignedBytes(prime)),
    a: toNumber(a.value),
    b: toNumber(b.value),
    n: toNumber(toUnsignedBytes(order)),
  }
  const names = Object.keys(CURVE_CONSTANTS) as CurveName[]
  const name = names.find((each) => isSameCurve(getCurve(each), given))
  if (name === undefined) {
    if (!isBaseOnCurve(given, base.value)) throw new ChipFault('domain_parameters_inconsistent')
    throw new ChipFault('domain_parameters_unknown')
  }
  const hasCofactorOne = cofactor?.tag !== ASN1.integer || toNumber(toUnsignedBytes(cofactor)) === 1n
  if (!isGenerator(name, base.value) || !hasCofactorOne) throw new ChipFault('domain_parameters_inconsistent')
  return name
}

interface Coefficients {
  readonly p: bigint
  readonly a: bigint
  readonly b: bigint
  readonly n: bigint
}

function isSameCurve(curve: Coefficients, given: Coefficients): boolean {
  return curve.p === given.p && curve.a === given.a && curve.b === given.b && curve.n === given.n
}

/** Uncompressed, or compressed with the sign of y. */
function isGenerator(name: CurveName, base: Uint8Array): boolean {
  const curve = getCurve(name)
  const generator = getGenerator(curve)
  const sign = 2 + ((generator.at(-1) ?? 0) & 1)
  const compressed = Buffer.concat([Buffer.of(sign), generator.subarray(1, 1 + curve.length)])
  return Buffer.compare(base, generator) === 0 || Buffer.compare(base, compressed) === 0
}

function isBaseOnCurve({ p, a, b }: Coefficients, base: Uint8Array): boolean {
  const half = (base.length - 1) / 2
  if (base[0] !== 4 || !Number.isInteger(half) || p <= 3n) return false
  return isOnCurve(
    { p, a, b },
    { x: toNumber(base.subarray(1, 1 + half)), y: toNumber(base.subarray(1 + half)) },
  )
}

function parseDhGroup(parameters: Tlv, namesOrder: boolean): Group {
  if (parameters.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const numbers = readTlvs(parameters.value)
  const p = toNumber(toUnsignedBytes(numbers[0]))
  const g = toNumber(toUnsignedBytes(numbers[1]))
  const q = namesOrder ? toNumber(toUnsignedBytes(numbers[2])) : null
  const bits = countBits(p)
  if (bits < MIN_DH_BITS || bits > MAX_DH_BITS) throw new ChipFault('domain_parameters_unknown')
  const isGroup =
    g > 1n && g < p - 1n && isPrime(p) && (q === null || (q > 1n && q < p && power(g, q, p) === 1n))
  if (!isGroup) throw new ChipFault('domain_parameters_inconsistent')
  return makeDhGroup({ p, g, q })
}

function isPrime(p: bigint): boolean {
  return STANDARD_PRIMES.has(p) || checkPrimeSync(p, { checks: PRIME_CHECKS })
}
