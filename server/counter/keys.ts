/** API keys of applications on the console: what is there, new pairs, rotation, the end of a key. */
import { Router } from 'express'
import type { Response } from 'express'
import { AppError } from '../errors.ts'
import type { KeyListing, NewKeys } from '../store/api-keys.ts'
import { createApiKeys, revokeApiKey, rotateApiKeys } from '../workflows/api-keys.ts'
import { needs, needsFresh, staffOf } from './access.ts'
import { KeyRotation, NewKeyPair } from './contract/keys.ts'
import type { ApplicationKeys, KeyList, KeysShownOnce, KeyView } from './contract/keys.ts'
import type { CounterDeps } from './deps.ts'
import { bodyOf, idOf } from './guard.ts'
import { bySelf } from './staff/sign-in.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export function keysRouter({ store, clock, config }: CounterDeps): Router {
  const router = Router()
  const tenantId = config.tenant.id
  const manages = [needs('keys:manage'), needsFresh()]
  const list = (): KeyList => {
    const now = clock.now()
    const byName = new Map<string, KeyView[]>()
    for (const key of store.apiKeys.list(tenantId)) {
      byName.set(key.application, [...(byName.get(key.application) ?? []), viewOf(key, now)])
    }
    const applications = [...byName].map(([application, keys]): ApplicationKeys => ({ application, keys }))
    return { applications: applications.sort((a, b) => (a.application < b.application ? -1 : 1)) }
  }
  const expiryOf = (days: number | null): Date | null =>
    days === null ? null : new Date(clock.now().getTime() + days * DAY_MS)
  const showOnce = (res: Response, application: string, made: NewKeys, expiresAt: Date | null): void => {
    const { relyingServiceKey, userAgentKey } = made
    const shown: KeysShownOnce = {
      application,
      relyingServiceKey,
      userAgentKey,
      expiresAt: expiresAt?.toISOString() ?? null,
      list: list(),
    }
    res.status(201).json(shown)
  }

  router.get('/', needs('keys:manage'), (_req, res) => {
    res.json(list())
  })

  router.post('/', ...manages, async (req, res) => {
    const { application, days } = await bodyOf(req, NewKeyPair)
    const expiresAt = expiryOf(days)
    const asked = { tenantId, application, expiresAt }
    const made = createApiKeys(store, asked, clock.now(), bySelf(staffOf(req).staffId))
    showOnce(res, application, made, expiresAt)
  })

  router.post('/rotate', ...manages, async (req, res) => {
    const { application, days, overlapHours } = await bodyOf(req, KeyRotation)
    if (!list().applications.some((known) => known.application === application))
      throw new AppError('not_found')
    const expiresAt = expiryOf(days)
    const asked = { tenantId, application, expiresAt, overlapMs: overlapHours * HOUR_MS }
    const made = rotateApiKeys(store, asked, clock.now(), bySelf(staffOf(req).staffId))
    showOnce(res, application, made, expiresAt)
  })

  router.delete('/:keyId', ...manages, (req, res) => {
    const keyId = idOf(req, 'keyId')
    const isOurs = store.apiKeys.list(tenantId).some((key) => key.keyId === keyId)
    const author = bySelf(staffOf(req).staffId)
    if (!isOurs || !revokeApiKey(store, keyId, clock.now(), author)) throw new AppError('not_found')
    res.json(list())
  })
  return router
}

function viewOf(key: KeyListing, now: Date): KeyView {
  const { keyId, role, createdAt, expiresAt, revokedAt } = key
  const isExpired = expiresAt !== null && expiresAt <= now
  return {
    keyId,
    role,
    state: revokedAt ? 'REVOKED' : isExpired ? 'EXPIRED' : 'VALID',
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  }
}
