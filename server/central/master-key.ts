/**
 * The centre's master key, which wraps its other keys in the database. One file, the same for every instance. It is made
 * with a new database only: a database whose key is missing stays closed.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 1

/** @param mayMake the database is new. Throws `key_unavailable` when the file is missing, open to others or malformed. */
export function loadMasterKey(path: string, mayMake: boolean): Buffer {
  if (!existsSync(path)) {
    if (!mayMake) throw unusable('the key file of this database is missing')
    makeKeyFile(path)
  }
  if ((statSync(path).mode & 0o077) !== 0) throw unusable('others may read the key file; chmod 600 it')
  const hex = readFileSync(path, 'utf8').trim()
  if (!new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`, 'i').test(hex)) {
    throw unusable('the key is not 64 hex digits')
  }
  return Buffer.from(hex, 'hex')
}

/** AES-256-GCM. @param context bound to the value: it does not open for another row */
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

/** Throws `key_unavailable`: another master key, or an altered row. */
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

/** Written in full beside its place, then linked there: of two instances that start together, one makes it. */
function makeKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, randomBytes(KEY_BYTES).toString('hex') + '\n', { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function unusable(reason: string, options: ErrorOptions = {}): AppError {
  return new AppError('key_unavailable', { source: 'centre key file', reason }, options)
}
