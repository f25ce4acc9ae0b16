/**
 * Active authentication (ICAO Doc 9303-11, 6.1): the chip signs a challenge with the private key of DG15. The result counts only
 * if DG15 passed passive authentication.
 */
import {
  constants,
  createHash,
  createPublicKey,
  publicEncrypt,
  randomBytes,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto'
import { EXTENDED_LE, makeCommand, SHORT_LE, type Channel, type ResponseApdu } from './apdu.ts'
import { CURVE_IDS, type CurveName } from './curve-constants.ts'
import { ASN1, readMembers, toBitStringBytes, toOid, writeOid } from './der.ts'
import { getCurve, makeCurveGroup } from './elliptic-curve.ts'
import { countBytes } from './numbers.ts'
import { ChipFault, decideOutcome, type Outcome } from './outcome.ts'
import { parseCurve } from './public-key.ts'
import { requireSuccess, STATUS } from './status-words.ts'
import { readTlv, readTlvs, writeTlv } from './tlv.ts'

export interface ActiveAuthenticationKey {
  readonly kind: 'rsa' | 'ecdsa'
  readonly key: KeyObject
  /** Length of a plain signature in bytes. */
  readonly signatureLength: number
}

const CHALLENGE_LENGTH = 8
const RSA_ENCRYPTION = '1.2.840.113549.1.1.1'
const EC_PUBLIC_KEY = '1.2.840.10045.2.1'
const MIN_RSA_BITS = 1024
const MAX_RSA_BITS = 8192
/** A longer signature does not fit a protected response of 256 bytes. */
const MAX_SHORT_SIGNATURE = 223

/** The hash identifiers of ISO/IEC 10118 in the trailer of ISO/IEC 9796-2; the trailer BC means SHA-1. */
const TRAILER_HASHES: Readonly<Record<number, string>> = {
  0x33: 'sha1',
  0x34: 'sha256',
  0x35: 'sha512',
  0x36: 'sha384',
  0x38: 'sha224',
}

/** Hashes of ECDSA by the signature algorithm in DG14 (BSI TR-03111, 5.2.1; RFC 5758, 3.2). */
const ECDSA_HASHES: Readonly<Record<string, string>> = {
  '0.4.0.127.0.7.1.1.4.1.1': 'sha1',
  '0.4.0.127.0.7.1.1.4.1.2': 'sha224',
  '0.4.0.127.0.7.1.1.4.1.3': 'sha256',
  '0.4.0.127.0.7.1.1.4.1.4': 'sha384',
  '0.4.0.127.0.7.1.1.4.1.5': 'sha512',
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.1': 'sha224',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
}

/**
 * Reads EF.DG15: a SubjectPublicKeyInfo in the template 6F.
 * @throws ChipFault
 */
export function parseDg15(file: Uint8Array): ActiveAuthenticationKey {
  const spki = readTlv(file, 0x6f).value
  const [algorithm, bits, ...more] = readMembers(spki)
  if (algorithm?.tag !== ASN1.sequence || more.length > 0) throw new ChipFault('malformed_data')
  const [oid, parameters] = readTlvs(algorithm.value)
  switch (toOid(oid)) {
    case RSA_ENCRYPTION:
      return parseRsaKey(spki)
    case EC_PUBLIC_KEY: {
      if (parameters === undefined) throw new ChipFault('malformed_data')
      return makeCurveKey(parseCurve(parameters), toBitStringBytes(bits))
    }
    default:
      throw new ChipFault('algorithm_unknown')
  }
}

function parseRsaKey(spki: Uint8Array): ActiveAuthenticationKey {
  const key = readKey(spki)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    throw new ChipFault('public_key_invalid')
  return { kind: 'rsa', key, signatureLength: Math.ceil(bits / 8) }
}

/** Writes the key again with the name of its curve, so that OpenSSL uses no parameter that the chip gave. */
function makeCurveKey(name: CurveName, point: Uint8Array): ActiveAuthenticationKey {
  const element = makeCurveGroup(name).check(point)
  const [curveOid = ''] = Object.entries(CURVE_IDS).find(([, curve]) => curve === name) ?? []
  const algorithm = writeTlv(ASN1.sequence, writeOid(EC_PUBLIC_KEY), writeOid(curveOid))
  const bits = writeTlv(ASN1.bitString, Buffer.of(0), element)
  const key = readKey(writeTlv(ASN1.sequence, algorithm, bits))
  return { kind: 'ecdsa', key, signatureLength: 2 * countBytes(getCurve(name).n) }
}

function readKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch (cause) {
    throw new ChipFault('public_key_invalid', { cause })
  }
}

export interface ActiveAuthenticationOptions {
  /** Algorithms of ActiveAuthenticationInfo in DG14; without one, ECDSA is tried with every hash of the standard. */
  readonly algorithms?: readonly string[]
  /** Makes eight bytes; a recording gives its own. */
  readonly makeChallenge?: () => Uint8Array
}

/** @param channel under secure messaging, unless the chip has no access control */
export function authenticateActively(
  channel: Channel,
  key: ActiveAuthenticationKey,
  { algorithms = [], makeChallenge = () => randomBytes(CHALLENGE_LENGTH) }: ActiveAuthenticationOptions = {},
): Promise<Outcome<{ readonly signature: Uint8Array }>> {
  return decideOutcome(async () => {
    const isLong = key.signatureLength > MAX_SHORT_SIGNATURE
    let challenge = makeChallenge()
    let response = await requestSignature(channel, challenge, isLong ? EXTENDED_LE : SHORT_LE)
    if (isLong && response.statusWord === STATUS.wrong_length) {
      challenge = makeChallenge()
      response = await requestSignature(channel, challenge, SHORT_LE)
    }
    const signature = requireSuccess(response)
    verifyChallenge(key, challenge, signature, algorithms)
    return { signature }
  })
}

function requestSignature(channel: Channel, challenge: Uint8Array, le: number): Promise<ResponseApdu> {
  return channel.transmit(makeCommand([0, 0x88, 0, 0], { data: challenge, le }))
}

/** @throws ChipFault signature_wrong or algorithm_unknown */
export function verifyChallenge(
  { kind, key, signatureLength }: ActiveAuthenticationKey,
  challenge: Uint8Array,
  signature: Uint8Array,
  algorithms: readonly string[] = [],
): void {
  if (kind === 'rsa') {
    verifyRecoveredMessage(recoverMessage(key, signature, signatureLength), challenge)
    return
  }
  const known = algorithms.flatMap((oid) => ECDSA_HASHES[oid] ?? [])
  if (algorithms.length > 0 && known.length === 0) throw new ChipFault('algorithm_unknown')
  const hashes = known.length > 0 ? known : Object.values(TRAILER_HASHES)
  // Plain r and s (Doc 9303-11, 6.1.2.3); some chips send the DER form.
  const isPlain = signature.length === signatureLength
  const dsaEncoding = isPlain ? 'ieee-p1363' : 'der'
  if (!hashes.some((hash) => verify(hash, challenge, { key, dsaEncoding }, signature)))
    throw new ChipFault('signature_wrong')
}

/** The RSA public operation. Both numbers that ISO/IEC 9796-2 allows as a signature are tried: s and n - s. */
function recoverMessage(key: KeyObject, signature: Uint8Array, length: number): Buffer {
  if (signature.length !== length) throw new ChipFault('signature_wrong')
  try {
    const block = publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, signature)
    return endsAsTrailer(block) ? block : subtractFromModulus(key, block)
  } catch (cause) {
    throw new ChipFault('signature_wrong', { cause })
  }
}

function endsAsTrailer(block: Uint8Array): boolean {
  return ((block.at(-1) ?? 0) & 0x0f) === 0x0c
}

function subtractFromModulus(key: KeyObject, block: Buffer): Buffer {
  const { n = '' } = key.export({ format: 'jwk' })
  const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`)
  const difference = modulus - BigInt(`0x${block.toString('hex')}`)
  return Buffer.from(difference.toString(16).padStart(block.length * 2, '0'), 'hex')
}

/**
 * Verifies the message representative of ISO/IEC 9796-2, scheme 1, with partial recovery: the header 01, padding that ends with
 * the nibble A, M1, the hash of M1 and the challenge, the trailer.
 * @throws ChipFault signature_wrong or algorithm_unknown
 */
export function verifyRecoveredMessage(block: Uint8Array, challenge: Uint8Array): void {
  const [first = 0] = block
  const last = block.at(-1) ?? 0
  const hasHeader = (first & 0xe0) === 0x60 // 01, then 1: a part of the message is not in the block
  const trailerLength = last === 0xbc ? 1 : last === 0xcc ? 2 : 0
  if (!hasHeader || trailerLength === 0) throw new ChipFault('signature_wrong')
  const hash = trailerLength === 1 ? 'sha1' : TRAILER_HASHES[block.at(-2) ?? 0]
  if (hash === undefined) throw new ChipFault('algorithm_unknown')
  const start = findMessageStart(block)
  const hashStart = block.length - trailerLength - createHash(hash).digest().length
  if (start > hashStart) throw new ChipFault('signature_wrong')
  const expected = createHash(hash).update(block.subarray(start, hashStart)).update(challenge).digest()
  const received = block.subarray(hashStart, block.length - trailerLength)
  if (!timingSafeEqual(expected, received)) throw new ChipFault('signature_wrong')
}

/** The header is one byte xA, or xB, then BB to the byte that ends with A. */
function findMessageStart(block: Uint8Array): number {
  const [first = 0] = block
  if ((first & 0x0f) === 0x0a) return 1
  if ((first & 0x0f) !== 0x0b) throw new ChipFault('signature_wrong')
  let at = 1
  while (block[at] === 0xbb) at += 1
  if (block[at] !== 0xba) throw new ChipFault('signature_wrong')
  return at + 1
}
