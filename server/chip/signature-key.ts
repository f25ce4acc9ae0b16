/** Public keys that verify signatures of chips and issuers: RSA, DSA, and ECDSA on curves that are known by name. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { CURVE_IDS, type CurveName } from './curve-constants.ts'
import { ASN1, readMembers, toBitStringBytes, toOid, writeOid } from './der.ts'
import { getCurve, makeCurveGroup } from './elliptic-curve.ts'
import { countBits, countBytes } from './numbers.ts'
import { ChipFault } from './outcome.ts'
import { parseCurve } from './public-key.ts'
import { readTlvs, writeTlv } from './tlv.ts'

export interface SignatureKey {
  readonly kind: 'rsa' | 'ecdsa' | 'dsa'
  readonly key: KeyObject
  /** Length of the modulus, or of the order of the curve. */
  readonly bits: number
  /** Length of a plain signature in bytes. */
  readonly signatureLength: number
}

const RSA_ENCRYPTION = '1.2.840.113549.1.1.1'
const RSA_PSS = '1.2.840.113549.1.1.10'
const EC_PUBLIC_KEY = '1.2.840.10045.2.1'
const DSA_KEY = '1.2.840.10040.4.1'
const MIN_DSA_BITS = 1024
const MAX_DSA_BITS = 4096
const MIN_RSA_BITS = 1024
const MAX_RSA_BITS = 8192

/**
 * Reads the SubjectPublicKeyInfo of an issuer. Older issuers have DSA keys; no chip has one.
 * @throws ChipFault
 */
export function parseIssuerKey(spki: Uint8Array): SignatureKey {
  const [algorithm] = readMembers(spki)
  const [oid] = algorithm?.tag === ASN1.sequence ? readTlvs(algorithm.value) : []
  return toOid(oid) === DSA_KEY ? parseDsaKey(spki) : parseSignatureKey(spki)
}

/**
 * Reads the SubjectPublicKeyInfo of a chip.
 * @throws ChipFault
 */
export function parseSignatureKey(spki: Uint8Array): SignatureKey {
  const [algorithm, bits, ...more] = readMembers(spki)
  if (algorithm?.tag !== ASN1.sequence || more.length > 0) throw new ChipFault('malformed_data')
  const [oid, parameters] = readTlvs(algorithm.value)
  switch (toOid(oid)) {
    case RSA_ENCRYPTION:
    case RSA_PSS:
      return parseRsaKey(spki)
    case EC_PUBLIC_KEY: {
      if (parameters === undefined) throw new ChipFault('malformed_data')
      return makeCurveKey(parseCurve(parameters), toBitStringBytes(bits))
    }
    default:
      throw new ChipFault('algorithm_unknown')
  }
}

function parseRsaKey(spki: Uint8Array): SignatureKey {
  const key = readKey(spki)
  const { modulusLength: bits = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  // The exponent 1 would make every message its own signature.
  const isExponent = publicExponent >= 3n && publicExponent % 2n === 1n
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS || !isExponent) throw new ChipFault('public_key_invalid')
  return { kind: 'rsa', key, bits, signatureLength: Math.ceil(bits / 8) }
}

function parseDsaKey(spki: Uint8Array): SignatureKey {
  const key = readKey(spki)
  const { modulusLength: bits = 0, divisorLength = 0 } = key.asymmetricKeyDetails ?? {}
  if (bits < MIN_DSA_BITS || bits > MAX_DSA_BITS) throw new ChipFault('public_key_invalid')
  return { kind: 'dsa', key, bits, signatureLength: 2 * Math.ceil(divisorLength / 8) }
}

/** Writes the key again with the name of its curve, so that OpenSSL uses no parameter that the file gave. */
function makeCurveKey(name: CurveName, point: Uint8Array): SignatureKey {
  const element = makeCurveGroup(name).check(point)
  const [curveOid = ''] = Object.entries(CURVE_IDS).find(([, curve]) => curve === name) ?? []
  const algorithm = writeTlv(ASN1.sequence, writeOid(EC_PUBLIC_KEY), writeOid(curveOid))
  const bits = writeTlv(ASN1.bitString, Buffer.of(0), element)
  const key = readKey(writeTlv(ASN1.sequence, algorithm, bits))
  const { n } = getCurve(name)
  return { kind: 'ecdsa', key, bits: countBits(n), signatureLength: 2 * countBytes(n) }
}

function readKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch (cause) {
    throw new ChipFault('public_key_invalid', { cause })
  }
}
