/**
 * Opens the signer of proofs. It looks up the current key for each signature, so that a rotation, a revocation or a new key
 * takes effect in the running server. A key that cannot be opened is an error; no other key replaces it.
 */
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { KeyRefused } from '../../keys/refused.ts'
import { addSigningKey, type KeyHouse, noteKeyInUse } from '../../keys/rotation.ts'
import { makeSigningKey, openSigningKey } from '../../keys/signing-key.ts'
import type { Token } from '../../keys/token.ts'
import type { KeySigner, Signer } from '../../proof/sign.ts'
import type { KeySourceName, SigningKey } from '../../store/signing-keys.ts'

interface SignerSource {
  /** The source in which a new appliance creates its first key. */
  readonly source: KeySourceName
  openToken(): Token
}

interface OpenSigner extends Signer {
  /** Releases the token. */
  close(): void
}

/**
 * A new appliance creates its first key here. Throws `key_unavailable` if keys exist and none is in use, if
 * the one in use cannot be opened, or if the token that the configuration pins does not answer.
 */
export async function openSigner(store: KeyHouse, clock: Clock, keys: SignerSource): Promise<OpenSigner> {
  let token: Token | null = null
  const takeToken = (): Token => (token ??= keys.openToken())
  const signer = rotatingSigner(store, clock, takeToken, () => token?.close())
  try {
    if (keys.source === 'pkcs11') takeToken()
    if (store.signingKeys.list().length === 0) await makeFirstKey(store, clock, keys.source, takeToken)
    signer.current()
  } catch (error) {
    signer.close()
    throw error
  }
  return signer
}

async function makeFirstKey(
  store: KeyHouse,
  clock: Clock,
  source: KeySourceName,
  takeToken: () => Token,
): Promise<void> {
  const made = await makeSigningKey(source, takeToken)
  try {
    addSigningKey(store, made, clock.now())
  } catch (error) {
    made.discard()
    // Another first command created one meanwhile: use that one.
    if (!(error instanceof KeyRefused)) throw error
  }
}

function rotatingSigner(
  store: KeyHouse,
  clock: Clock,
  takeToken: () => Token,
  close: () => void,
): OpenSigner {
  let opened: KeySigner | null = null
  const inUse = (): SigningKey => {
    const key = noteKeyInUse(store, clock.now())
    if (key) return key
    const reason = 'no signing key is in use; npm run signing-keys -- create'
    throw new AppError('key_unavailable', { key: 'signing', reason })
  }
  const current = (): KeySigner => {
    const key = inUse()
    if (opened?.keyId !== key.kid) opened = openSigningKey(store.signingKeys, key, takeToken)
    return opened
  }
  return {
    get keyId() {
      return inUse().kid
    },
    algorithm: 'RS256',
    sign: (payload) => current().sign(payload),
    publicJwk: () => current().publicJwk(),
    current,
    close,
  }
}
