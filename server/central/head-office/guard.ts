/** Authorises callers: systems with a key, and people of the staff, with their scopes in one tenant. */
import { AppError } from '../../errors.ts'
import type { Scope } from './contract.ts'

/** A system of the head office, by its key. */
export interface SystemHolder {
  readonly kind: 'system'
  readonly keyId: string
  readonly consumerId: string
  readonly tenantId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly keyExpiresAt: Date | null
}

/** A person who signed in at the OpenID provider, in the tenant that the request names; no scopes: it is not for this person. */
export interface PersonHolder {
  readonly kind: 'person'
  readonly sessionId: string
  /** The subject at the issuer. */
  readonly subject: string
  readonly name: string
  readonly tenantId: string
  readonly scopes: readonly Scope[]
}

export type Holder = SystemHolder | PersonHolder

const MAX_KEY_LENGTH = 200

/** Returns the key of `Authorization: Bearer`, or null. */
export function readBearerKey(authorization: string | undefined): string | null {
  const key = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization ?? '')?.[1]
  return key !== undefined && key.length <= MAX_KEY_LENGTH ? key : null
}

/** Throws `forbidden`. */
export function requireScope(holder: Holder, scope: Scope | null): void {
  if (scope !== null && !holder.scopes.includes(scope)) throw new AppError('forbidden')
}

/** Returns the id that the limits count and the log names. */
export function identifyHolder(holder: Holder): string {
  return holder.kind === 'person' ? holder.sessionId : holder.keyId
}

/** Returns the name of the caller in the record of an act. */
export function nameActor(holder: Holder): string {
  return holder.kind === 'person' ? `person:${holder.subject}` : `consumer:${holder.consumerId}`
}
