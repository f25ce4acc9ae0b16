/**
 * Keys that sign proofs: private keys wrapped by the master key or stored in a token, public keys served as JWKS. A key
 * is published before its first use and stays published afterwards, so that old proofs remain verifiable.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import { AppError } from '../errors.ts'
import type { Db } from './db.ts'
import { seal, unseal } from './crypto.ts'

export type PublicJwk = JWK & { readonly kty: string; readonly kid: string }
export type KeySourceName = 'key-file' | 'pkcs11'

export interface SigningKey {
  readonly kid: string
  readonly source: KeySourceName
  readonly publicJwk: PublicJwk
  /** PEM, the key's own certificate first. */
  readonly certificateChain: string | null
  readonly createdAt: Date
  readonly activeFrom: Date
  readonly retiredAt: Date | null
  readonly revokedAt: Date | null
}

/** PENDING: published, not in use yet. RETIRED: no longer used, its proofs remain valid. REVOKED: no longer published. */
type SigningKeyState = 'PENDING' | 'ACTIVE' | 'RETIRED' | 'REVOKED'

export interface SigningKeys {
  /** The newest active key; null on a new appliance or if all keys are retired or revoked. */
  active(at: Date): SigningKey | null
  find(kid: string): SigningKey | null
  /** All keys, oldest first. */
  list(): readonly SigningKey[]
  /** `privateKey` is null if it never leaves its token. */
  add(
    key: Pick<SigningKey, 'source' | 'publicJwk' | 'activeFrom'> & { readonly privateKey: KeyObject | null },
    at: Date,
  ): void
  /** Throws `key_unavailable` if the key is in a token or unknown. */
  privateKey(kid: string): KeyObject
  setCertificateChain(kid: string, pem: string): void
  /** Activates a pending key from this time on. */
  activate(kid: string, at: Date): void
  /** Retires the key at this time, which may be in the future. */
  retire(kid: string, at: Date): void
  /** Cancels a future retirement. */
  useOn(kid: string): void
  /** Revokes immediately; signatures after `since` are not trusted. */
  revoke(kid: string, since: Date): void
  /** Public keys including retired and without revoked ones. */
  publicKeys(): readonly PublicJwk[]
  /** Revoked keys, and the time from which their signatures are invalid. Milliseconds since 1970. */
  revocations(): { kid: string; since: number }[]
}

interface Row {
  kid: string
  source: KeySourceName
  public_jwk: string
  wrapped_private: Buffer | null
  certificate_chain: string | null
  created_at: number
  active_from: number
  retired_at: number | null
  revoked_at: number | null
}

export function createSigningKeys(db: Db, kek: Uint8Array): SigningKeys {
  const active = db.prepare<[{ at: number }], Row>(
    // A key that was active from its creation stays active if the clock is set back.
    `SELECT * FROM signing_keys WHERE (active_from <= @at OR active_from <= created_at)
       AND (retired_at IS NULL OR retired_at > @at) AND revoked_at IS NULL
     ORDER BY active_from DESC, created_at DESC, rowid DESC LIMIT 1`,
  )
  const one = db.prepare<[string], Row>('SELECT * FROM signing_keys WHERE kid = ?')
  const all = db.prepare<[], Row>('SELECT * FROM signing_keys ORDER BY created_at, rowid')
  const insert = db.prepare(
    `INSERT INTO signing_keys (kid, algorithm, source, public_jwk, wrapped_private, created_at, active_from)
     VALUES (?, 'RS256', ?, ?, ?, ?, ?)`,
  )
  const certify = db.prepare('UPDATE signing_keys SET certificate_chain = ? WHERE kid = ?')
  const activate = db.prepare('UPDATE signing_keys SET active_from = ? WHERE kid = ? AND active_from > ?')
  const retire = db.prepare(
    'UPDATE signing_keys SET retired_at = ? WHERE kid = ? AND (retired_at IS NULL OR retired_at > ?)',
  )
  const useOn = db.prepare('UPDATE signing_keys SET retired_at = NULL WHERE kid = ?')
  const revoke = db.prepare('UPDATE signing_keys SET revoked_at = ? WHERE kid = ? AND revoked_at IS NULL')
  const buildSealContext = (kid: string): string => `signing-key:${kid}`

  return {
    active: (at) => {
      const row = active.get({ at: at.getTime() })
      return row ? fromRow(row) : null
    },
    find: (kid) => {
      const row = one.get(kid)
      return row ? fromRow(row) : null
    },
    list: () => all.all().map(fromRow),
    add: ({ source, publicJwk, activeFrom, privateKey }, at) => {
      const { kid } = publicJwk
      const wrapped = privateKey
        ? seal(kek, privateKey.export({ format: 'der', type: 'pkcs8' }), buildSealContext(kid))
        : null
      insert.run(kid, source, JSON.stringify(publicJwk), wrapped, at.getTime(), activeFrom.getTime())
    },
    privateKey: (kid) => {
      const wrapped = one.get(kid)?.wrapped_private
      if (!wrapped) throw new AppError('key_unavailable', { key: 'signing', kid })
      return createPrivateKey({
        key: unseal(kek, wrapped, buildSealContext(kid)),
        format: 'der',
        type: 'pkcs8',
      })
    },
    setCertificateChain: (kid, pem) => void certify.run(pem, kid),
    activate: (kid, at) => void activate.run(at.getTime(), kid, at.getTime()),
    retire: (kid, at) => void retire.run(at.getTime(), kid, at.getTime()),
    useOn: (kid) => void useOn.run(kid),
    revoke: (kid, since) => void revoke.run(since.getTime(), kid),
    publicKeys: () =>
      all.all().flatMap((row) => (row.revoked_at === null ? [JSON.parse(row.public_jwk) as PublicJwk] : [])),
    revocations: () =>
      all.all().flatMap(({ kid, revoked_at: since }) => (since === null ? [] : [{ kid, since }])),
  }
}

export function deriveKeyState(
  key: Pick<SigningKey, 'createdAt' | 'activeFrom' | 'retiredAt' | 'revokedAt'>,
  at: Date,
): SigningKeyState {
  if (key.revokedAt) return 'REVOKED'
  if (key.retiredAt && key.retiredAt <= at) return 'RETIRED'
  return key.activeFrom <= at || key.activeFrom <= key.createdAt ? 'ACTIVE' : 'PENDING'
}

function fromRow(row: Row): SigningKey {
  return {
    kid: row.kid,
    source: row.source,
    publicJwk: JSON.parse(row.public_jwk) as PublicJwk,
    certificateChain: row.certificate_chain,
    createdAt: new Date(row.created_at),
    activeFrom: new Date(row.active_from),
    retiredAt: row.retired_at === null ? null : new Date(row.retired_at),
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
  }
}
