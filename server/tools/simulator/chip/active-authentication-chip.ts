/** The chip's side of active authentication: keys, DG15, and the signature forms of Doc 9303-11, 6.1. */
import { constants, createHash, generateKeyPairSync, privateEncrypt, sign, type KeyObject } from 'node:crypto'
import type { Channel, CommandApdu } from '../../../chip/apdu.ts'
import { writeTlv } from '../../../chip/tlv.ts'

/** DG15 with this key. */
export function writeDg15(publicKey: KeyObject): Buffer {
  return writeTlv(0x6f, publicKey.export({ format: 'der', type: 'spki' }))
}

export function makeRsaKey(modulusLength: number) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
  return { dg15: writeDg15(publicKey), privateKey, length: modulusLength / 8 }
}

export function makeEcKey(namedCurve: string, paramEncoding: 'named' | 'explicit' = 'named') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve, paramEncoding })
  return { dg15: writeDg15(publicKey), privateKey }
}

/** A message representative of ISO/IEC 9796-2, scheme 1, that fills the modulus. */
export function makeRepresentative(
  challenge: Uint8Array,
  length: number,
  hash = 'sha1',
  trailer: Uint8Array = Buffer.of(0xbc),
  header: Uint8Array = Buffer.of(0x6a),
): Buffer {
  const hashLength = createHash(hash).digest().length
  const message = Buffer.alloc(length - header.length - hashLength - trailer.length, 0x5a)
  const digest = createHash(hash).update(message).update(challenge).digest()
  return Buffer.concat([header, message, digest, trailer])
}

/** The RSA private operation. */
export function signRepresentative(key: KeyObject, block: Uint8Array): Buffer {
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, block)
}

export function signWithEcdsa(
  key: KeyObject,
  challenge: Uint8Array,
  hash: string,
  dsaEncoding: 'der' | 'ieee-p1363' = 'ieee-p1363',
): Buffer {
  return sign(hash, challenge, { key, dsaEncoding })
}

/** A chip without access control that signs each challenge. */
export function makeSigningChip(signChallenge: (challenge: Uint8Array) => Uint8Array): Channel & {
  readonly commands: CommandApdu[]
} {
  const commands: CommandApdu[] = []
  const transmit = async (command: CommandApdu) => {
    commands.push(command)
    return { data: signChallenge(command.data), statusWord: 0x9000 }
  }
  return { commands, transmit }
}
