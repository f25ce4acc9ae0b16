/** Authenticates and authorises callers: keys of consumers and their scopes. */
import { AppError } from '../../errors.ts'
import type { Scope } from './contract.ts'

export interface Holder {
  readonly keyId: string
  readonly consumerId: string
  readonly tenantId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly keyExpiresAt: Date | null
}

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
