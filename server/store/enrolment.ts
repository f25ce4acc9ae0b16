/**
 * This kiosk's membership of a central service: its own key (wrapped by the master key), its certificate, and the central
 * service's keys.
 */
import type { JWK } from 'jose'
import type { CentralTrust } from '../protocol/wire.ts'
import { createHash } from 'node:crypto'
import { seal, unseal } from './crypto.ts'
import type { Db } from './db.ts'

export interface Enrolment {
  /** Empty for a branch without a connection, whose packets are transported manually. */
  readonly centralUrl: string
  readonly publicJwk: JWK
  readonly begunAt: Date
  /** Null until the central service has answered. */
  readonly membership: Membership | null
}

export interface Membership {
  readonly certificate: string
  readonly tenantId: string
  readonly trust: CentralTrust
  readonly enrolledAt: Date
}

export interface Enrolments {
  find(): Enrolment | null
  /** SHA-256 of the agreement with the central service and of its keys, as recorded in the audit log. */
  fingerprints(): { readonly enrolmentSha256: string; readonly trustSha256: string } | null
  /** Private key for signing requests. Null without an enrolment. */
  privateJwk(): JWK | null
  /** Replaces an earlier one. */
  begin(
    enrolment: { readonly centralUrl: string; readonly publicJwk: JWK; readonly privateJwk: JWK },
    at: Date,
  ): void
  complete(membership: Membership): void
  setTrust(trust: CentralTrust): void
  setCertificate(certificate: string): void
  remove(): void
}

interface Row {
  state: 'PENDING' | 'ACTIVE'
  centre_url: string
  public_jwk: string
  wrapped_private: Buffer
  certificate: string | null
  centre_tenant_id: string | null
  trust: string | null
  begun_at: number
  enrolled_at: number | null
}

const CONTEXT = 'enrolment-key'

/** Needs no master key. */
export const isJoined = (db: Db): boolean =>
  db.prepare("SELECT 1 FROM enrolment WHERE state = 'ACTIVE'").get() !== undefined

export function createEnrolments(db: Db, kek: Uint8Array): Enrolments {
  const select = db.prepare<[], Row>('SELECT * FROM enrolment WHERE id = 1')
  const replace = db.prepare(
    `INSERT OR REPLACE INTO enrolment (id, state, centre_url, public_jwk, wrapped_private, begun_at)
     VALUES (1, 'PENDING', ?, ?, ?, ?)`,
  )
  const activate = db.prepare(
    `UPDATE enrolment SET state = 'ACTIVE', certificate = ?, centre_tenant_id = ?, trust = ?, enrolled_at = ?`,
  )
  const trusting = db.prepare('UPDATE enrolment SET trust = ?')
  const certified = db.prepare('UPDATE enrolment SET certificate = ?')
  const drop = db.prepare('DELETE FROM enrolment')
  return {
    find: () => {
      const row = select.get()
      return row ? fromRow(row) : null
    },
    fingerprints: () => {
      const row = select.get()
      if (!row) return null
      const { state, centre_url: url, public_jwk: key, certificate, centre_tenant_id: tenant } = row
      const agreed = [state, url, key, certificate, tenant, row.begun_at, row.enrolled_at]
      return {
        enrolmentSha256: computeSha256(JSON.stringify(agreed)),
        trustSha256: computeSha256(row.trust ?? ''),
      }
    },
    privateJwk: () => {
      const row = select.get()
      return row ? (JSON.parse(unseal(kek, row.wrapped_private, CONTEXT).toString('utf8')) as JWK) : null
    },
    begin: ({ centralUrl, publicJwk, privateJwk }, at) => {
      const wrapped = seal(kek, Buffer.from(JSON.stringify(privateJwk), 'utf8'), CONTEXT)
      replace.run(centralUrl, JSON.stringify(publicJwk), wrapped, at.getTime())
    },
    complete: ({ certificate, tenantId, trust, enrolledAt }) =>
      void activate.run(certificate, tenantId, JSON.stringify(trust), enrolledAt.getTime()),
    setTrust: (trust) => void trusting.run(JSON.stringify(trust)),
    setCertificate: (certificate) => void certified.run(certificate),
    remove: () => void drop.run(),
  }
}

function computeSha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

function fromRow(row: Row): Enrolment {
  const { certificate, centre_tenant_id: tenantId, trust, enrolled_at: enrolledAt } = row
  return {
    centralUrl: row.centre_url,
    publicJwk: JSON.parse(row.public_jwk) as JWK,
    begunAt: new Date(row.begun_at),
    membership:
      certificate !== null && tenantId !== null && trust !== null && enrolledAt !== null
        ? {
            certificate,
            tenantId,
            trust: JSON.parse(trust) as CentralTrust,
            enrolledAt: new Date(enrolledAt),
          }
        : null,
  }
}
