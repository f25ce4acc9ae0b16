/** Basic access control (ICAO Doc 9303-11, 4.3): opens a chip with the key of its MRZ. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { AccessKey } from './access-key.ts'
import { makeCommand, type Channel } from './apdu.ts'
import {
  addPadding,
  CIPHERS,
  computeMac,
  decryptCbc,
  deriveKey,
  encryptCbc,
  KEY_USE,
  MAC_LENGTH,
  zeroIv,
  type CipherName,
} from './ciphers.ts'
import { ChipFault, decideOutcome, type Outcome } from './outcome.ts'
import { deriveSessionKeys, SecureSession } from './secure-messaging.ts'
import { requireSuccess } from './status-words.ts'

const CIPHER: CipherName = 'TDES'
const SEED_LENGTH = 16
const CHALLENGE_LENGTH = 8
const CRYPTOGRAM_LENGTH = 32
const REPLY_LENGTH = CRYPTOGRAM_LENGTH + MAC_LENGTH

/** The random bytes of the terminal; a recording gives its own. */
export interface BacRandom {
  readonly challenge: Uint8Array
  readonly keyHalf: Uint8Array
}

/** The eMRTD application must be selected. The answer proves only that the chip knows the MRZ. */
export function openWithBac(
  channel: Channel,
  key: AccessKey,
  random: BacRandom = { challenge: randomBytes(CHALLENGE_LENGTH), keyHalf: randomBytes(SEED_LENGTH) },
): Promise<Outcome<{ readonly session: SecureSession }>> {
  if (key.kind !== 'mrz') throw new TypeError('BAC knows no other key than that of the MRZ')
  return decideOutcome(async () => ({ session: await agree(channel, key.secret, random) }))
}

async function agree(channel: Channel, secret: Uint8Array, random: BacRandom): Promise<SecureSession> {
  const seed = secret.subarray(0, SEED_LENGTH)
  const encryption = deriveKey(CIPHER, seed, KEY_USE.encryption)
  const checksum = deriveKey(CIPHER, seed, KEY_USE.checksum)
  const getChallenge = makeCommand([0, 0x84, 0, 0], { le: CHALLENGE_LENGTH })
  const chipChallenge = requireSuccess(await channel.transmit(getChallenge))
  if (chipChallenge.length !== CHALLENGE_LENGTH) throw new ChipFault('malformed_reply')

  const plain = Buffer.concat([random.challenge, chipChallenge, random.keyHalf])
  const cryptogram = encryptCbc(CIPHER, encryption, zeroIv(CIPHER), plain)
  const mutualAuthenticate = makeCommand([0, 0x82, 0, 0], {
    data: Buffer.concat([cryptogram, computeBacMac(checksum, cryptogram)]),
    le: REPLY_LENGTH,
  })
  const reply = requireSuccess(await channel.transmit(mutualAuthenticate), 'access_key_wrong')
  if (reply.length !== REPLY_LENGTH) throw new ChipFault('malformed_reply')
  const sealed = reply.subarray(0, CRYPTOGRAM_LENGTH)
  if (!timingSafeEqual(reply.subarray(CRYPTOGRAM_LENGTH), computeBacMac(checksum, sealed)))
    throw new ChipFault('reply_forged')
  const opened = decryptCbc(CIPHER, encryption, zeroIv(CIPHER), sealed)
  const mirrored = Buffer.concat([chipChallenge, random.challenge])
  if (!timingSafeEqual(opened.subarray(0, mirrored.length), mirrored)) throw new ChipFault('reply_forged')

  const chipKeyHalf = opened.subarray(mirrored.length)
  const sessionSeed = Buffer.from(random.keyHalf).map((byte, i) => byte ^ (chipKeyHalf[i] ?? 0))
  const counter = Buffer.concat([chipChallenge.subarray(4), random.challenge.subarray(4)])
  return new SecureSession(deriveSessionKeys(CIPHER, sessionSeed), counter)
}

function computeBacMac(key: Uint8Array, cryptogram: Uint8Array): Buffer {
  return computeMac(CIPHER, key, addPadding(cryptogram, CIPHERS[CIPHER].blockLength))
}
