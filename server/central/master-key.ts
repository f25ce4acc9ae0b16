/**
 * The central service's master key, which wraps its other keys in the database. One file, the same for every
 * instance. It is created only with a new database: a database whose key is missing stays closed.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'
import { readKeyFile, UnsafeFileError } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeNewFile } from '../files/write-file.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 1

/** Throws `key_unavailable` if the file is missing, readable by others or malformed. */
export function loadMasterKey(path: string): Buffer {
  if (!existsSync(path)) throw unusable('the key file of this database is missing', {}, path)
  const hex = readKey(path).toString('utf8').trim()
  if (!new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`, 'i').test(hex)) {
    throw unusable('the key is not 64 hex digits')
  }
  return Buffer.from(hex, 'hex')
}

/** The caller holds the lock of the keys, so that two instances do not make two files. */
export function makeMasterKey(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeNewFile(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`, IN_OUR_FOLDER)
  return loadMasterKey(path)
}

/** AES-256-GCM. @param context is bound to the value, so that it does not decrypt for another row */
export function wrap(key: Uint8Array, plaintext: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(context, 'utf8'))
  return Buffer.concat([
    Buffer.from([VERSION]),
    nonce,
    cipher.update(plaintext),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

/** Throws `key_unavailable` for another master key, or an altered row. */
export function unwrap(key: Uint8Array, wrapped: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(wrapped)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(context, 'utf8'))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    const sealed = bytes.subarray(1 + NONCE_BYTES, bytes.length - TAG_BYTES)
    return Buffer.concat([decipher.update(sealed), decipher.final()])
  } catch (cause) {
    throw unusable('the key file does not belong to this database', { cause })
  }
}

function readKey(path: string): Buffer {
  try {
    return readKeyFile(path, 'the key file')
  } catch (cause) {
    if (!(cause instanceof UnsafeFileError)) throw cause
    throw unusable(cause.message, { cause }, cause.path)
  }
}

function unusable(reason: string, options: ErrorOptions = {}, file?: string): AppError {
  return new AppError(
    'key_unavailable',
    { source: 'centre key file', ...(file ? { file } : {}), reason },
    options,
  )
}
