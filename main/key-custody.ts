/**
 * Custody of the appliance's master key (KEK) with the operating system's keystore: the disk has only the key
 * that safeStorage wrapped. It gives the key out once, to the server's file descriptor; never in an argument,
 * an environment variable or a log. The configuration pins the source: this file never falls back.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SafeStorage } from 'electron'
import { StartRefusal } from './start-refusal.ts'

interface KeyCustody {
  /** Null if the OS can keep a key; otherwise the sentence to show. */
  readonly refusal: string | null
  /**
   * The key as 64 hex digits. Created on the first run. Throws StartRefusal if it is refused, missing beside
   * existing data, or cannot be unwrapped.
   */
  unwrap(): string
}

export interface CustodyFiles {
  /** Path of the wrapped key. */
  readonly wrappedKey: string
  /** The database: if it exists, a missing key is a loss and must not be replaced by a new one. */
  readonly database: string
}

const KEY_BYTES = 32 // AES-256
const HEX_KEY = /^[0-9a-f]{64}$/

/** Call it after `app.whenReady()`: before that, safeStorage does not know its backend. */
export function createKeyCustody(
  safeStorage: SafeStorage,
  platform: NodeJS.Platform,
  files: CustodyFiles,
): KeyCustody {
  const refusal = findRefusal(safeStorage, platform)
  return {
    refusal,
    unwrap() {
      if (refusal !== null) throw new StartRefusal(refusal)
      return existsSync(files.wrappedKey) ? readKey(safeStorage, files) : makeKey(safeStorage, files)
    },
  }
}

function findRefusal(safeStorage: SafeStorage, platform: NodeJS.Platform): string | null {
  // `basic_text` obscures with a password that is part of Chromium's source, so it does not protect the key.
  if (platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())) {
    return (
      'This session has no keyring (safeStorage offers basic_text only), so the master key cannot be kept by the ' +
      'operating system. Unlock a keyring, or pin the key file: "kek": {"source": "key-file"} in config.json.'
    )
  }
  return safeStorage.isEncryptionAvailable()
    ? null
    : 'The operating system offers no protection for the master key.'
}

function readKey(safeStorage: SafeStorage, { wrappedKey }: CustodyFiles): string {
  let key: string
  try {
    key = safeStorage.decryptString(readFileSync(wrappedKey))
  } catch {
    // Omits the cause, which may reveal the key.
    throw new StartRefusal(`The keystore of the operating system does not open ${wrappedKey}.`)
  }
  if (!HEX_KEY.test(key)) throw new StartRefusal(`${wrappedKey} does not hold a master key.`)
  return key
}

function makeKey(safeStorage: SafeStorage, { wrappedKey, database }: CustodyFiles): string {
  if (existsSync(database)) {
    throw new StartRefusal(`There is data, but its master key ${wrappedKey} is missing. Nothing was changed.`)
  }
  const key = randomBytes(KEY_BYTES).toString('hex')
  mkdirSync(dirname(wrappedKey), { recursive: true, mode: 0o700 })
  writeFileSync(wrappedKey, safeStorage.encryptString(key), { mode: 0o600, flag: 'wx', flush: true })
  return key
}
