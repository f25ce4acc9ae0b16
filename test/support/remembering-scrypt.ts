/**
 * The real scrypt, which hashes the same password with the same salt once: the stored parameters cost a core a third of a second,
 * on purpose, and a test of signing in asks for the same few hashes dozens of times. No mock: each hash is scrypt's own. Not for
 * tests of the passwords' cost and times.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll } from 'vitest'

type Done = (error: Error | null, key: Buffer) => void

/** Call it at the top of a file, or in a `describe`. */
export function rememberHashes(): void {
  const real = crypto.scrypt
  const known = new Map<string, Buffer>()
  const remembering = (
    password: string,
    salt: Buffer,
    length: number,
    options: crypto.ScryptOptions,
    done: Done,
  ): void => {
    const asked = JSON.stringify([password, salt.toString('hex'), length, options])
    const key = known.get(asked)
    if (key) setImmediate(done, null, Buffer.from(key))
    else
      real(password, salt, length, options, (error, made) => {
        if (!error) known.set(asked, Buffer.from(made))
        done(error, made)
      })
  }
  const use = (scrypt: typeof crypto.scrypt): void => {
    crypto.scrypt = scrypt
    syncBuiltinESMExports()
  }
  beforeAll(() => {
    use(remembering as typeof crypto.scrypt)
  })
  afterAll(() => {
    use(real)
  })
}
