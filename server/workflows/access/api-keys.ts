/** Creates, rotates (with an overlap) and revokes the API keys of applications. Each act writes an audit event. */
import { requireKeyName } from '../../store/api-keys.ts'
import type { Author } from '../../store/events.ts'
import type { NewKeys } from '../../store/api-keys.ts'
import type { Store } from '../../store/open.ts'

export { requireKeyName }

export interface KeysAsked {
  readonly tenantId: string
  readonly application: string
  /** Null: valid until they are revoked. */
  readonly expiresAt: Date | null
  /**
   * At the counter: the officer who has confirmed the request of another officer. The operator needs no
   * confirmation.
   */
  readonly confirmedBy?: string
}

/**
 * Earlier keys of the application stay valid. Throws `validation_failed` for a name that is reserved for the
 * appliance.
 */
export function createApiKeys(store: Store, asked: KeysAsked, at: Date, author: Author): NewKeys {
  const { tenantId, application, expiresAt, confirmedBy } = asked
  return store.transaction(() => {
    const made = store.apiKeys.createPair(tenantId, application, at, expiresAt ?? undefined)
    const body = {
      keyIds: [...made.keyIds],
      expiresAt: expiresAt?.getTime() ?? null,
      ...(confirmedBy === undefined ? {} : { confirmedBy }),
    }
    store.events.append('apikey.created', null, body, at, author)
    return made
  })
}

/** Creates a new pair; earlier ones end with the overlap, or at their own time if that is sooner. */
export function rotateApiKeys(
  store: Store,
  asked: KeysAsked & { readonly overlapMs: number },
  at: Date,
  author: Author,
): NewKeys {
  return store.transaction(() => {
    const until = new Date(at.getTime() + asked.overlapMs)
    const keyIds = [...store.apiKeys.limit(asked.tenantId, asked.application, at, until)]
    if (keyIds.length > 0) {
      store.events.append('apikey.limited', null, { keyIds, expiresAt: until.getTime() }, at, author)
    }
    return createApiKeys(store, asked, at, author)
  })
}

/** False if there is no valid key with this id. */
export function revokeApiKey(store: Store, keyId: string, at: Date, author: Author): boolean {
  return store.transaction(() => {
    const done = store.apiKeys.revoke(keyId, at)
    if (done) store.events.append('apikey.revoked', null, { keyId }, at, author)
    return done
  })
}
