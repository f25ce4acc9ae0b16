/**
 * A PKCS#11 token through the optional plug-in, which is loaded only if configured. If a token fails, the error is
 * reported and no other source is tried.
 */
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { readKeyFile, UnsafeFileError } from '../files/own-files.ts'

/** Synchronous like PKCS#11. It returns no key material except public keys and the result of `unwrap`. */
export interface Token {
  /** Creates an RSA key pair whose private key cannot leave the token. Big-endian numbers. */
  makeSigningKey(
    label: string,
    modulusBits: number,
  ): { readonly modulus: Buffer; readonly publicExponent: Buffer }
  hasSigningKey(modulus: Uint8Array): boolean
  destroySigningKey(modulus: Uint8Array): void
  /** RSASSA-PKCS1-v1_5 with SHA-256. */
  sign(modulus: Uint8Array, bytes: Uint8Array): Buffer
  /** Returns the id of the AES key with this label, creating it if necessary. */
  wrappingKey(label: string): Buffer
  /** Authenticated encryption; the result includes the nonce. */
  wrap(keyId: Uint8Array, plaintext: Uint8Array): Buffer
  unwrap(keyId: Uint8Array, wrapped: Uint8Array): Buffer
  close(): void
}

interface Plugin {
  openToken(options: { library: string; tokenLabel: string; pin: string }): Token
}

type Problem = 'library' | 'token' | 'pin' | 'pin_locked' | 'key' | 'failed'
type TokenConfig = Pick<Config, 'dataDir' | 'pkcs11'>
type Settings = NonNullable<Config['pkcs11']>

const PLUGIN_DIR = join(import.meta.dirname, '..', '..', 'plugins', 'pkcs11')

/** Throws `key_unavailable` with the reason as a sentence; `configuration_invalid` if no token is configured. */
export function openToken(config: TokenConfig): Token {
  const settings = config.pkcs11
  if (!settings) {
    const message = 'a key is to be kept in a token, and none is named'
    throw new AppError(
      'configuration_invalid',
      { field: 'pkcs11' },
      { problems: [{ code: 'missing', field: 'pkcs11', message }] },
    )
  }
  const plugin = loadPlugin(settings.plugin === undefined ? PLUGIN_DIR : resolve(settings.plugin))
  const pin = readPin(resolve(config.dataDir, settings.pinFile))
  const { library, tokenLabel } = settings
  const explained = <T>(work: () => T): T => explain(settings, work)
  const token = explained(() => plugin.openToken({ library, tokenLabel, pin }))
  return {
    makeSigningKey: (label, bits) => explained(() => token.makeSigningKey(label, bits)),
    hasSigningKey: (modulus) => explained(() => token.hasSigningKey(modulus)),
    destroySigningKey: (modulus) => explained(() => token.destroySigningKey(modulus)),
    sign: (modulus, bytes) => explained(() => token.sign(modulus, bytes)),
    wrappingKey: (label) => explained(() => token.wrappingKey(label)),
    wrap: (keyId, plaintext) => explained(() => token.wrap(keyId, plaintext)),
    unwrap: (keyId, wrapped) => explained(() => token.unwrap(keyId, wrapped)),
    close: () => token.close(),
  }
}

export function tokenRefusal(reason: string, options: ErrorOptions = {}, file?: string): AppError {
  return new AppError('key_unavailable', { source: 'pkcs11', ...(file ? { file } : {}), reason }, options)
}

function loadPlugin(folder: string): Plugin {
  try {
    // Deliberately synchronous: the master key is needed before anything else is opened.
    return createRequire(import.meta.url)(join(folder, 'index.mjs')) as Plugin
  } catch (cause) {
    throw tokenRefusal(
      'the PKCS#11 plug-in is not installed: npm ci --prefix plugins/pkcs11 --ignore-scripts=false',
      { cause },
    )
  }
}

function readPin(path: string): string {
  let pin: string
  try {
    pin = readKeyFile(path, 'the PIN file').toString('utf8').trim()
  } catch (cause) {
    if (cause instanceof UnsafeFileError) throw tokenRefusal(cause.message, { cause }, cause.path)
    throw tokenRefusal('the PIN file is missing or cannot be read', { cause })
  }
  if (pin === '') throw tokenRefusal('the PIN file is empty')
  return pin
}

function explain<T>(settings: Settings, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const problem = (cause as { problem?: Problem } | null)?.problem ?? 'failed'
    throw tokenRefusal(sentence(problem, settings), { cause })
  }
}

function sentence(problem: Problem, { library, tokenLabel }: Settings): string {
  switch (problem) {
    case 'library':
      return `the PKCS#11 library ${library} is missing or cannot be loaded`
    case 'token':
      return `no token of the label ${tokenLabel} answers`
    case 'pin':
      return `the token ${tokenLabel} refuses the PIN`
    case 'pin_locked':
      return `the PIN of the token ${tokenLabel} is locked`
    case 'key':
      return `the key is not in the token ${tokenLabel}`
    case 'failed':
      return `the token ${tokenLabel} does not do what it was asked for`
  }
}
