/**
 * The master key wrapped by an AES key that never leaves the token, in `keys/kek.token`. The file names the key by its id
 * and contains no secret that is readable without the token.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { KEY_BYTES, createKey } from '../store/crypto.ts'
import { placeKeyFile } from './key-file.ts'
import { openToken, type Token, tokenRefusal } from './token.ts'
import { DATABASE } from '../files/database-files.ts'

export const WRAPPED_KEK_FILE = join('keys', 'kek.token')

const FORMAT = 'counterproof-kek-wrapped-1'
const FileSchema = z.strictObject({
  format: z.literal(FORMAT),
  keyId: z.string().regex(/^[0-9a-f]+$/),
  wrapped: z.base64(),
})
type KekConfig = Pick<Config, 'dataDir' | 'pkcs11'>

/**
 * Created at the first start. Throws `key_unavailable` if it is missing beside a database, or if the token does not
 * unwrap it.
 */
export function kekFromToken(config: KekConfig): Buffer {
  const path = join(config.dataDir, WRAPPED_KEK_FILE)
  return withToken(config, (token) => {
    if (!existsSync(path)) {
      // Checked again, because another first command may have created both meanwhile.
      if (existsSync(join(config.dataDir, DATABASE)) && !existsSync(path)) {
        throw tokenRefusal('the wrapped master key of this database, keys/kek.token, is missing')
      }
      place(config, token, createKey())
    }
    return unwrap(token, readFileSync(path, 'utf8'))
  })
}

/**
 * Wraps this key with the configured token. Returns false, and keeps the existing file, if a wrapped key is already
 * there.
 */
export function wrapKek(config: KekConfig, kek: Uint8Array): boolean {
  return withToken(config, (token) => place(config, token, kek))
}

function place(config: KekConfig, token: Token, kek: Uint8Array): boolean {
  const keyId = token.wrappingKey(config.pkcs11?.kekLabel ?? '')
  const wrapped = token.wrap(keyId, kek)
  const file = { format: FORMAT, keyId: keyId.toString('hex'), wrapped: wrapped.toString('base64') }
  return placeKeyFile(join(config.dataDir, WRAPPED_KEK_FILE), `${JSON.stringify(file)}\n`)
}

function unwrap(token: Token, text: string): Buffer {
  const parsed = FileSchema.safeParse(parseJson(text))
  if (!parsed.success) throw tokenRefusal('keys/kek.token is damaged')
  const { keyId, wrapped } = parsed.data
  const kek = token.unwrap(Buffer.from(keyId, 'hex'), Buffer.from(wrapped, 'base64'))
  if (kek.length !== KEY_BYTES) throw tokenRefusal('keys/kek.token holds no master key')
  return kek
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function withToken<T>(config: KekConfig, work: (token: Token) => T): T {
  const token = openToken(config)
  try {
    return work(token)
  } finally {
    token.close()
  }
}
