/**
 * Loads the master key (KEK) from its single configured source. If it fails, the appliance refuses to start: another
 * source might yield a wrong key that then encrypts data.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { readKeyFile, UnsafeFileError } from '../files/own-files.ts'
import { placeKeyFile } from '../keys/key-file.ts'
import { kekFromToken, WRAPPED_KEK_FILE } from '../keys/wrapped-kek.ts'
import { KEY_BYTES, createKey } from '../store/crypto.ts'
import type { Config } from './config.ts'
import { DATABASE } from '../files/database-files.ts'

export const KEK_FILE = join('keys', 'kek.key')
/** The shell passes the key on this descriptor as 64 hex digits, never as argument or environment variable. */
const SHELL_KEK_FD = 3

/** Throws `key_unavailable` with the reason if the configured source does not provide the key. */
export function loadKek(config: Pick<Config, 'dataDir' | 'kek' | 'pkcs11'>): Buffer {
  switch (config.kek.source) {
    case 'key-file':
      return kekFromFile(config.dataDir)
    case 'shell':
      return kekFromShell()
    case 'pkcs11':
      return kekFromToken(config)
  }
}

/** Place of the master key in the data folder; null if the shell provides it. */
export function kekPlace({ kek }: Pick<Config, 'kek'>): string | null {
  if (kek.source === 'shell') return null
  return kek.source === 'pkcs11' ? WRAPPED_KEK_FILE : KEK_FILE
}

/**
 * Like loadKek, but never creates a key: for cases in which a new key is useless and would block the place of the right
 * one. Throws `key_unavailable`.
 */
export function loadPresentKek(config: Pick<Config, 'dataDir' | 'kek' | 'pkcs11'>): Buffer {
  const place = kekPlace(config)
  if (place !== null && !existsSync(join(config.dataDir, place))) {
    throw new AppError('key_unavailable', {
      source: config.kek.source,
      reason: `there is no master key, ${place}; npm run kek -- restore makes it from its shares`,
    })
  }
  return loadKek(config)
}

/** Writes the key file. Returns false and changes nothing if there is one. */
export function placeKeyInFile(dataDir: string, kek: Uint8Array): boolean {
  return placeKeyFile(join(dataDir, KEK_FILE), `${Buffer.from(kek).toString('hex')}\n`)
}

/** Throws `key_unavailable` if the file is missing beside an existing database, readable by others, or malformed. */
function kekFromFile(dataDir: string): Buffer {
  const path = join(dataDir, KEK_FILE)
  if (!existsSync(path)) {
    // Checked again, because another first command may have created both meanwhile.
    if (existsSync(join(dataDir, DATABASE)) && !existsSync(path)) {
      throw new AppError('key_unavailable', {
        source: 'key-file',
        reason: 'the key file of this database is missing',
      })
    }
    placeKeyInFile(dataDir, createKey())
  }
  return parseKek(readKek(path).toString('utf8'), 'key-file')
}

function readKek(path: string): Buffer {
  try {
    return readKeyFile(path, 'the key file')
  } catch (cause) {
    if (!(cause instanceof UnsafeFileError)) throw cause
    const details = { source: 'key-file', file: cause.path, reason: cause.message }
    throw new AppError('key_unavailable', details, { cause })
  }
}

function kekFromShell(): Buffer {
  try {
    return parseKek(readFileSync(SHELL_KEK_FD, 'utf8'), 'shell')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError(
      'key_unavailable',
      { source: 'shell', reason: 'the shell handed over no key' },
      { cause },
    )
  }
}

function parseKek(text: string, source: string): Buffer {
  const hex = text.trim()
  if (!/^[0-9a-f]+$/i.test(hex) || hex.length !== KEY_BYTES * 2) {
    throw new AppError('key_unavailable', { source, reason: 'the key is not 64 hex digits' })
  }
  return Buffer.from(hex, 'hex')
}
