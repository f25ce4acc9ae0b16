/**
 * PACE version 2 (ICAO Doc 9303-11, 4.4): agrees on strong session keys with the password of the MRZ or the CAN. Generic and
 * integrated mapping, and chip authentication mapping, whose proof counts only after passive authentication of EF.CardSecurity.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { AccessKey } from './access-key.ts'
import type { Channel } from './apdu.ts'
import {
  addPadding,
  CIPHERS,
  computeMac,
  decryptCbc,
  deriveKey,
  encryptBlock,
  KEY_USE,
  MAC_LENGTH,
  removePadding,
  zeroIv,
  type CipherName,
} from './ciphers.ts'
import { encodeOid, writeOid } from './der.ts'
import { findStandardGroup } from './domain-parameters.ts'
import { authenticate, getReplyValue, setSecurityEnvironment } from './general-authenticate.ts'
import type { Group } from './group.ts'
import { toNumber } from './numbers.ts'
import { ChipFault, decideOutcome, type Outcome } from './outcome.ts'
import { mapIntegrated } from './pace-integrated-mapping.ts'
import type { AgreementKey } from './public-key.ts'
import { deriveSessionKeys, SecureSession, type SessionKeys } from './secure-messaging.ts'
import type { PaceInfo } from './security-infos.ts'
import { writeTlv } from './tlv.ts'

/** The secrets of the terminal; a recording gives its own. */
export interface PaceRandom {
  makeScalar(group: Group): bigint
  /** For integrated mapping. */
  makeNonce(length: number): Uint8Array
}

/** The key from the password, where a recording has it without the password. */
export interface PasswordKey {
  readonly kind: AccessKey['kind']
  readonly passwordKey: Uint8Array
}

/** The proof of chip authentication mapping, which `verifyMappedKey` compares with a signed key. */
export interface MappedKeyProof {
  readonly group: Group
  /** The public key that the chip used for the mapping. */
  readonly mappingKey: Uint8Array
  readonly chipAuthenticationData: Uint8Array
}

export interface PaceResult {
  readonly session: SecureSession
  /** Null unless the mapping is chip authentication. */
  readonly mappedKeyProof: MappedKeyProof | null
}

export interface PaceOptions {
  /** Names the domain parameters in MSE:Set AT, which a chip with several of them requires. */
  readonly sendParameterId: boolean
  readonly random?: PaceRandom
}

const FRESH: PaceRandom = { makeScalar: (group) => group.makeScalar(), makeNonce: randomBytes }
const PASSWORD_NUMBER = { mrz: 1, can: 2 } as const
const MIN_NONCE_LENGTH = 16
const MAX_NONCE_LENGTH = 32
const DO = {
  protocol: 0x80,
  password: 0x83,
  parameterId: 0x84,
  encryptedNonce: 0x80,
  terminalMapping: 0x81,
  chipMapping: 0x82,
  terminalKey: 0x83,
  chipKey: 0x84,
  terminalToken: 0x85,
  chipToken: 0x86,
  chipAuthenticationData: 0x8a,
} as const

/**
 * Runs before the eMRTD application is selected. The caller must not fall back to BAC after a failure: that would let an attacker
 * choose the weaker protocol.
 */
export function openWithPace(
  channel: Channel,
  info: PaceInfo,
  key: AccessKey | PasswordKey,
  { sendParameterId, random = FRESH }: PaceOptions,
): Promise<Outcome<PaceResult>> {
  return decideOutcome(async () => {
    const group = getGroup(info)
    const parameterId = info.parameterId ?? 0
    const passwordKey =
      'secret' in key ? deriveKey(info.cipher, key.secret, KEY_USE.password) : key.passwordKey
    await setSecurityEnvironment(channel, 0xc1, 0xa4, [
      writeTlv(DO.protocol, encodeOid(info.oid)),
      writeTlv(DO.password, Buffer.of(PASSWORD_NUMBER[key.kind])),
      ...(sendParameterId ? [writeTlv(DO.parameterId, Buffer.of(parameterId))] : []),
    ])
    return runPace({ channel, info, group, random }, passwordKey)
  })
}

interface Run {
  readonly channel: Channel
  readonly info: PaceInfo
  readonly group: Group
  readonly random: PaceRandom
}

/** @throws ChipFault domain_parameters_unknown or domain_parameters_inconsistent */
function getGroup({ parameterId, agreement }: PaceInfo): Group {
  const group = parameterId === null ? null : findStandardGroup(parameterId)
  if (group === null) throw new ChipFault('domain_parameters_unknown')
  if (group.kind !== agreement) throw new ChipFault('domain_parameters_inconsistent')
  return group
}

async function runPace(run: Run, passwordKey: Uint8Array): Promise<PaceResult> {
  const { channel, info, group, random } = run
  const nonce = await readNonce(channel, info.cipher, passwordKey)
  const { generator, mappingKey } = await mapGenerator(run, nonce)

  const scalar = random.makeScalar(group)
  const terminalKey = group.multiply(scalar, generator)
  const keyReply = await authenticate(channel, [writeTlv(DO.terminalKey, terminalKey)], { isLast: false })
  const chipKey = group.check(getReplyValue(keyReply, DO.chipKey))
  requireDifferent(terminalKey, chipKey)
  const keys = deriveSessionKeys(info.cipher, group.toSecret(group.multiply(scalar, chipKey)))

  const token = writeTlv(DO.terminalToken, computeToken(keys, info.oid, group, chipKey))
  const tokenReply = await authenticate(channel, [token], { isLast: true, reason: 'access_key_wrong' })
  const received = getReplyValue(tokenReply, DO.chipToken)
  const expected = computeToken(keys, info.oid, group, terminalKey)
  if (received.length !== MAC_LENGTH || !timingSafeEqual(received, expected))
    throw new ChipFault('token_wrong')

  const session = new SecureSession(keys)
  if (mappingKey === null || info.mapping !== 'chip_authentication') {
    // A proof that this mapping does not have (Doc 9303-11, table 2): such a chip does something else than it says.
    if (tokenReply.some(({ tag }) => tag === DO.chipAuthenticationData))
      throw new ChipFault('malformed_reply')
    return { session, mappedKeyProof: null }
  }
  const encrypted = getReplyValue(tokenReply, DO.chipAuthenticationData)
  const chipAuthenticationData = decryptChipAuthenticationData(keys, encrypted)
  return { session, mappedKeyProof: { group, mappingKey, chipAuthenticationData } }
}

async function readNonce(channel: Channel, cipher: CipherName, passwordKey: Uint8Array): Promise<Uint8Array> {
  const reply = await authenticate(channel, [], { isLast: false })
  const encrypted = getReplyValue(reply, DO.encryptedNonce)
  const isNonce =
    encrypted.length >= MIN_NONCE_LENGTH &&
    encrypted.length <= MAX_NONCE_LENGTH &&
    encrypted.length % CIPHERS[cipher].blockLength === 0
  if (!isNonce) throw new ChipFault('malformed_reply')
  return decryptCbc(cipher, passwordKey, zeroIv(cipher), encrypted)
}

/** Doc 9303-11, 4.4.3.3. The mapping key of the chip exists only in generic mapping and in that with chip authentication. */
async function mapGenerator(
  { channel, info, group, random }: Run,
  nonce: Uint8Array,
): Promise<{ generator: Uint8Array; mappingKey: Uint8Array | null }> {
  if (info.mapping === 'integrated') {
    const terminalNonce = random.makeNonce(CIPHERS[info.cipher].keyLength)
    const reply = await authenticate(channel, [writeTlv(DO.terminalMapping, terminalNonce)], {
      isLast: false,
    })
    const isEmpty = reply.every(({ tag, value }) => tag === DO.chipMapping && value.length === 0)
    if (!isEmpty) throw new ChipFault('malformed_reply')
    return { generator: mapIntegrated(info.cipher, group, nonce, terminalNonce), mappingKey: null }
  }
  const scalar = random.makeScalar(group)
  const terminalKey = group.multiply(scalar, group.generator)
  const reply = await authenticate(channel, [writeTlv(DO.terminalMapping, terminalKey)], { isLast: false })
  const mappingKey = group.check(getReplyValue(reply, DO.chipMapping))
  requireDifferent(terminalKey, mappingKey)
  const shared = group.multiply(scalar, mappingKey)
  const generator = group.combine(group.multiply(toNumber(nonce), group.generator), shared)
  return { generator, mappingKey }
}

function requireDifferent(terminalKey: Uint8Array, chipKey: Uint8Array): void {
  if (Buffer.compare(terminalKey, chipKey) === 0) throw new ChipFault('public_keys_equal')
}

/** Doc 9303-11, 4.4.3.4: the checksum over the protocol and the public key of the other side. */
function computeToken(keys: SessionKeys, oid: string, group: Group, publicKey: Uint8Array): Buffer {
  const keyTag = group.kind === 'ecdh' ? 0x86 : 0x84
  const input = writeTlv(0x7f49, writeOid(oid), writeTlv(keyTag, publicKey))
  // The retail MAC needs whole blocks; CMAC pads by itself.
  const blocks = keys.cipher === 'TDES' ? addPadding(input, CIPHERS.TDES.blockLength) : input
  return computeMac(keys.cipher, keys.checksum, blocks)
}

/** Doc 9303-11, 4.4.3.5.2: AES only; the initialisation vector is the encrypted counter -1. */
function decryptChipAuthenticationData(
  { cipher, encryption }: SessionKeys,
  encrypted: Uint8Array,
): Uint8Array {
  const { blockLength } = CIPHERS[cipher]
  if (encrypted.length === 0 || encrypted.length % blockLength !== 0) throw new ChipFault('malformed_reply')
  const iv = encryptBlock(cipher, encryption, Buffer.alloc(blockLength, 0xff))
  const data = removePadding(decryptCbc(cipher, encryption, iv, encrypted), blockLength)
  if (data === null || data.length === 0) throw new ChipFault('malformed_reply')
  return data
}

/**
 * Verifies that the chip has the private key of a static key (Doc 9303-11, 4.4.3.5.1). A caller must know that EF.CardSecurity,
 * which holds the key, passed passive authentication; otherwise the result says nothing.
 */
export function verifyMappedKey(proof: MappedKeyProof, staticKey: AgreementKey): Promise<Outcome<object>> {
  return decideOutcome(async () => {
    const { group, mappingKey, chipAuthenticationData } = proof
    if (Buffer.compare(group.generator, staticKey.group.generator) !== 0)
      throw new ChipFault('domain_parameters_inconsistent')
    const mapped = group.multiply(toNumber(chipAuthenticationData), staticKey.element)
    if (Buffer.compare(mapped, mappingKey) !== 0) throw new ChipFault('key_not_proved')
    return {}
  })
}
