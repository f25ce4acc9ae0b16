/**
 * Elliptic curves for key agreement over any base point. OpenSSL multiplies: ECDH gives the x coordinate of k·P for every point P
 * of a curve that it knows. Its missing sign follows from the x coordinate of (k+1)·P, so that only the addition of two points is
 * computed here (BSI TR-03111, 4.3.1). Curves that OpenSSL does not know are refused.
 */
import { createECDH, ECDH } from 'node:crypto'
import { CURVE_CONSTANTS, type CurveName } from './curve-constants.ts'
import type { Group } from './group.ts'
import { countBits, countBytes, invert, power, reduce, toBytes, toNumber } from './numbers.ts'
import { ChipFault } from './outcome.ts'

interface Point {
  readonly x: bigint
  readonly y: bigint
}

export interface Curve {
  readonly name: CurveName
  readonly p: bigint
  readonly a: bigint
  readonly b: bigint
  readonly n: bigint
  /** Length of a coordinate in bytes. */
  readonly length: number
}

const UNCOMPRESSED = 4

const CURVES: ReadonlyMap<CurveName, Curve> = new Map(
  (Object.keys(CURVE_CONSTANTS) as CurveName[]).map((name) => [name, makeCurve(name)]),
)

export function getCurve(name: CurveName): Curve {
  return CURVES.get(name) ?? makeCurve(name)
}

function makeCurve(name: CurveName): Curve {
  const { p, a, b, n } = CURVE_CONSTANTS[name]
  const prime = BigInt(`0x${p}`)
  return {
    name,
    p: prime,
    a: BigInt(`0x${a}`),
    b: BigInt(`0x${b}`),
    n: BigInt(`0x${n}`),
    length: countBytes(prime),
  }
}

export function makeCurveGroup(name: CurveName): Group {
  const curve = getCurve(name)
  return {
    kind: 'ecdh',
    generator: getGenerator(curve),
    order: curve.n,
    primeBits: countBits(curve.p),
    check: (received) => encodePoint(curve, decodePoint(curve, received)),
    makeScalar: () => makeScalar(curve),
    multiply: (scalar, element) => encodePoint(curve, multiply(curve, scalar, decodePoint(curve, element))),
    combine: (one, other) => {
      const sum = add(curve, decodePoint(curve, one), decodePoint(curve, other))
      if (sum === null) throw new ChipFault('generator_invalid')
      return encodePoint(curve, sum)
    },
    toSecret: (element) => element.subarray(1, 1 + curve.length),
    mapToGenerator: (random) => encodePoint(curve, mapToPoint(curve, random)),
  }
}

/** The generators that were asked for: OpenSSL needs a millisecond for each. */
const GENERATORS = new Map<CurveName, Buffer>()

export function getGenerator({ name }: Curve): Buffer {
  const known = GENERATORS.get(name)
  if (known !== undefined) return known
  const ecdh = createECDH(name)
  ecdh.setPrivateKey(Buffer.of(1))
  const generator = ecdh.getPublicKey()
  GENERATORS.set(name, generator)
  return generator
}

/** True if the coordinates solve the equation of the curve with these coefficients. */
export function isOnCurve({ p, a, b }: Pick<Curve, 'p' | 'a' | 'b'>, { x, y }: Point): boolean {
  return reduce(y * y - (x * x * x + a * x + b), p) === 0n
}

function makeScalar(curve: Curve): bigint {
  const ecdh = createECDH(curve.name)
  ecdh.generateKeys()
  return toNumber(ecdh.getPrivateKey())
}

/** Only the uncompressed form (Doc 9303-11, 9.4.4). The cofactor is 1: every point of the curve has the order n. */
function decodePoint(curve: Curve, bytes: Uint8Array): Point {
  const { length, p } = curve
  if (bytes.length !== 1 + 2 * length || bytes[0] !== UNCOMPRESSED) throw new ChipFault('public_key_invalid')
  const x = toNumber(bytes.subarray(1, 1 + length))
  const y = toNumber(bytes.subarray(1 + length))
  if (x >= p || y >= p || !isOnCurve(curve, { x, y })) throw new ChipFault('public_key_invalid')
  return { x, y }
}

function encodePoint({ length }: Curve, { x, y }: Point): Buffer {
  return Buffer.concat([Buffer.of(UNCOMPRESSED), toBytes(x, length), toBytes(y, length)])
}

/** Throws ChipFault public_key_invalid for the point at infinity. */
function multiply(curve: Curve, scalar: bigint, point: Point): Point {
  const k = reduce(scalar, curve.n)
  if (k === 0n) throw new ChipFault('public_key_invalid')
  if (k === 1n) return point
  if (k === curve.n - 1n) return negate(curve, point)
  const candidate = findPoint(curve, multiplyX(curve, k, point))
  const next = add(curve, candidate, point)
  return next?.x === toNumber(multiplyX(curve, k + 1n, point)) ? candidate : negate(curve, candidate)
}

/** The x coordinate of scalar · point, by OpenSSL. */
function multiplyX(curve: Curve, scalar: bigint, point: Point): Buffer {
  const ecdh = createECDH(curve.name)
  ecdh.setPrivateKey(toBytes(scalar, countBytes(curve.n)))
  return ecdh.computeSecret(encodePoint(curve, point))
}

/** One of the two points with this x coordinate. */
function findPoint(curve: Curve, x: Buffer): Point {
  const compressed = Buffer.concat([Buffer.of(2), x])
  const bytes = ECDH.convertKey(compressed, curve.name, undefined, undefined, 'uncompressed') as Buffer
  return decodePoint(curve, bytes)
}

function negate({ p }: Curve, { x, y }: Point): Point {
  return { x, y: reduce(-y, p) }
}

/** Null is the point at infinity. */
function add({ p, a }: Curve, one: Point, other: Point): Point | null {
  const isSameX = one.x === other.x
  if (isSameX && reduce(one.y + other.y, p) === 0n) return null
  const slope = isSameX
    ? (3n * one.x * one.x + a) * invert(2n * one.y, p)
    : (other.y - one.y) * invert(reduce(other.x - one.x, p), p)
  const x = reduce(slope * slope - one.x - other.x, p)
  return { x, y: reduce(slope * (one.x - x) - one.y, p) }
}

/**
 * Maps a random number to a point (Doc 9303-11, appendix B.2, affine). Needs p ≡ 3 mod 4, which secp224r1 does not satisfy
 * (Doc 9303-11, table 7).
 */
function mapToPoint({ p, a, b }: Curve, random: bigint): Point {
  if (p % 4n !== 3n) throw new ChipFault('domain_parameters_unknown')
  const t = reduce(random, p)
  const alpha = reduce(-t * t, p)
  const sum = reduce(alpha + alpha * alpha, p)
  if (sum === 0n) throw new ChipFault('generator_invalid')
  const x2 = reduce(-b * invert(a, p) * (1n + invert(sum, p)), p)
  const x3 = reduce(alpha * x2, p)
  const h2 = reduce(x2 * x2 * x2 + a * x2 + b, p)
  const u = reduce(t * t * t * h2, p)
  const root = power(h2, p - 1n - (p + 1n) / 4n, p)
  const isSquare = reduce(root * root * h2, p) === 1n
  return isSquare ? { x: x2, y: reduce(root * h2, p) } : { x: x3, y: reduce(root * u, p) }
}
