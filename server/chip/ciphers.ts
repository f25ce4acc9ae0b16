/**
 * The block ciphers, checksums and key derivation of chip protocols (ICAO Doc 9303-11, 9.7 and 9.8). The cipher itself is always
 * OpenSSL's; CMAC and the retail MAC, which node:crypto lacks, are built on it.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'

export type CipherName = 'TDES' | 'AES-128' | 'AES-192' | 'AES-256'

interface Cipher {
  /** Length of a key in bytes; 3DES has two keys of eight bytes. */
  readonly keyLength: number
  /** Length of a block, and of the send sequence counter, in bytes. */
  readonly blockLength: number
  readonly keyHash: 'sha1' | 'sha256'
}

/** Doc 9303-11, 9.7.1: the hash of the key derivation is at least as long as the key. */
export const CIPHERS: Readonly<Record<CipherName, Cipher>> = {
  TDES: { keyLength: 16, blockLength: 8, keyHash: 'sha1' },
  'AES-128': { keyLength: 16, blockLength: 16, keyHash: 'sha1' },
  'AES-192': { keyLength: 24, blockLength: 16, keyHash: 'sha256' },
  'AES-256': { keyLength: 32, blockLength: 16, keyHash: 'sha256' },
}

/** The counter of the key derivation names the use of the key. */
export const KEY_USE = { encryption: 1, checksum: 2, password: 3 } as const

/** Number of bytes of a checksum or an authentication token, with every cipher. */
export const MAC_LENGTH = 8

/** KDF(secret, use). 3DES keys get their parity bits. */
export function deriveKey(name: CipherName, secret: Uint8Array, use: number): Buffer {
  const { keyLength, keyHash } = CIPHERS[name]
  const digest = createHash(keyHash)
    .update(secret)
    .update(Buffer.of(0, 0, 0, use))
    .digest()
  const key = digest.subarray(0, keyLength)
  return name === 'TDES' ? setOddParity(key) : key
}

/** ISO/IEC 9797-1 padding method 2. Always adds at least one byte. */
export function addPadding(data: Uint8Array, blockLength: number): Buffer {
  const padded = Buffer.alloc((Math.floor(data.length / blockLength) + 1) * blockLength)
  padded.set(data)
  padded[data.length] = 0x80
  return padded
}

/** Returns null if the data does not end with padding method 2 within its last block. */
export function removePadding(padded: Uint8Array, blockLength: number): Uint8Array | null {
  let end = padded.length - 1
  const first = Math.max(0, padded.length - blockLength)
  while (end > first && padded[end] === 0) end -= 1
  return padded[end] === 0x80 ? padded.subarray(0, end) : null
}

/** CBC without padding. The data must fill whole blocks. */
export function encryptCbc(name: CipherName, key: Uint8Array, iv: Uint8Array, data: Uint8Array): Buffer {
  const cipher = createCipheriv(toCbc(name), toOpenSslKey(name, key), iv).setAutoPadding(false)
  return Buffer.concat([cipher.update(data), cipher.final()])
}

/** CBC without padding. The data must fill whole blocks. */
export function decryptCbc(name: CipherName, key: Uint8Array, iv: Uint8Array, data: Uint8Array): Buffer {
  const decipher = createDecipheriv(toCbc(name), toOpenSslKey(name, key), iv).setAutoPadding(false)
  return Buffer.concat([decipher.update(data), decipher.final()])
}

/** Encrypts one block by itself. */
export function encryptBlock(name: CipherName, key: Uint8Array, block: Uint8Array): Buffer {
  return encryptCbc(name, key, zeroIv(name), block)
}

export function zeroIv(name: CipherName): Buffer {
  return Buffer.alloc(CIPHERS[name].blockLength)
}

/**
 * Computes the checksum of secure messaging and of tokens (Doc 9303-11, 9.8.6): 3DES the retail MAC, AES the CMAC cut to eight
 * bytes.
 * @param data for 3DES whole blocks, which the caller has padded
 */
export function computeMac(name: CipherName, key: Uint8Array, data: Uint8Array): Buffer {
  return name === 'TDES' ? computeRetailMac(key, data) : computeCmac(name, key, data).subarray(0, MAC_LENGTH)
}

/** ISO/IEC 9797-1 MAC algorithm 3 with DES: single DES over all blocks, 3DES over the last. */
function computeRetailMac(key: Uint8Array, data: Uint8Array): Buffer {
  const first = key.subarray(0, 8)
  const second = key.subarray(8, 16)
  const iv = Buffer.alloc(8)
  const chained = runSingleDes(first, iv, data, true).subarray(-8)
  return runSingleDes(first, iv, runSingleDes(second, iv, chained, false), true)
}

/** OpenSSL 3 offers single DES only as 3DES with three equal keys. */
function runSingleDes(key: Uint8Array, iv: Uint8Array, data: Uint8Array, encrypt: boolean): Buffer {
  const start = encrypt ? createCipheriv : createDecipheriv
  const run = start('des-ede3-cbc', Buffer.concat([key, key, key]), iv).setAutoPadding(false)
  return Buffer.concat([run.update(data), run.final()])
}

/** NIST SP 800-38B, 6.2. Returns sixteen bytes. */
function computeCmac(name: CipherName, key: Uint8Array, data: Uint8Array): Buffer {
  const length = 16
  const subkey = doubleInField(encryptBlock(name, key, Buffer.alloc(length)))
  const isWhole = data.length > 0 && data.length % length === 0
  const message = isWhole ? Buffer.from(data) : addPadding(data, length)
  const mask = isWhole ? subkey : doubleInField(subkey)
  const start = message.length - length
  for (let i = 0; i < length; i += 1) message[start + i] = (message[start + i] ?? 0) ^ (mask[i] ?? 0)
  return encryptCbc(name, key, Buffer.alloc(length), message).subarray(-length)
}

/** Multiplies by x in GF(2^128) (NIST SP 800-38B, 6.1). */
function doubleInField(block: Buffer): Buffer {
  const doubled = Buffer.alloc(16)
  for (let i = 0; i < 16; i += 1) doubled[i] = ((block[i] ?? 0) << 1) | ((block[i + 1] ?? 0) >> 7)
  if (((block[0] ?? 0) & 0x80) !== 0) doubled[15] = (doubled[15] ?? 0) ^ 0x87
  return doubled
}

function setOddParity(key: Buffer): Buffer {
  const bytes = key.map((byte) => {
    let ones = 0
    for (let bits = byte >> 1; bits > 0; bits >>= 1) ones += bits & 1
    return (byte & 0xfe) | (ones % 2 === 0 ? 1 : 0)
  })
  return Buffer.from(bytes)
}

function toCbc(name: CipherName): string {
  return name === 'TDES' ? 'des-ede3-cbc' : `${name.toLowerCase()}-cbc`
}

function toOpenSslKey(name: CipherName, key: Uint8Array): Uint8Array {
  return name === 'TDES' ? Buffer.concat([key, key.subarray(0, 8)]) : key
}
