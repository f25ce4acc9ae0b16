/**
 * Active authentication (ICAO Doc 9303-11, 6.1): the chip signs a challenge with the private key of DG15. The result counts only
 * if DG15 passed passive authentication.
 */
import {
  constants,
  createHash,
  publicEncrypt,
  randomBytes,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto'
import { EXTENDED_LE, makeCommand, SHORT_LE, type Channel, type ResponseApdu } from './apdu.ts'
import { ChipFault, decideOutcome, type Outcome } from './outcome.ts'
import { parseSignatureKey, type SignatureKey } from './signature-key.ts'
import { requireSuccess, STATUS } from './status-words.ts'
import { readTlv } from './tlv.ts'

const CHALLENGE_LENGTH = 8
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
export function parseDg15(file: Uint8Array): SignatureKey {
  const key = parseSignatureKey(readTlv(file, 0x6f).value)
  // A key that is limited to RSASSA-PSS cannot make the signatures of ISO/IEC 9796-2.
  if (key.key.asymmetricKeyType === 'rsa-pss') throw new ChipFault('algorithm_unknown')
  return key
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
  key: SignatureKey,
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
  { kind, key, signatureLength }: SignatureKey,
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
  const hasHeader = (first & 0xf0) === 0x60 // 01, then 1: a part of the message is not in the block, then a zero of the padding
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
