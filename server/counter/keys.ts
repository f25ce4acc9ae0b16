/**
 * API keys of applications at the counter: the list, new pairs and rotations by two officers, and revocation.
 */
import { Router } from 'express'
import type { Request } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import { isReservedName, reachableNames } from '../proofing/applications.ts'
import { DAY_MS, HOUR_MS } from '../proofing/time.ts'
import type { KeyListing } from '../store/api-keys.ts'
import { createApiKeys, requireKeyName, revokeApiKey, rotateApiKeys } from '../workflows/access/api-keys.ts'
import { needs, needsFresh, requireStaff } from './access.ts'
import { KeyRotation, NewKeyPair, Nothing } from './contract/keys.ts'
import type {
  ApplicationKeys,
  KeyList,
  KeyRequestList,
  KeyRequestView,
  KeysShownOnce,
  KeyView,
} from './contract/keys.ts'
import type { CounterDeps } from './deps.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody } from './guard.ts'
import { KeyRequests, type KeyRequest, type WantedKeys } from './key-requests.ts'
import { toOwnAuthor } from './staff/sign-in.ts'

export function keysRouter(deps: CounterDeps): Router {
  const { store, clock, config } = deps
  const router = Router()
  const requests = new KeyRequests(deps)
  const tenantId = config.tenant.id
  const manages = [needs('keys:manage'), needsFresh()]
  const confirms = [needs('keys:confirm'), needsFresh()]

  const requestView = (req: Request, request: KeyRequest): KeyRequestView => {
    const { requestId, kind, application, days, overlapHours, askedBy, confirmedBy } = request
    const findStaffName = (staffId: string): string => store.staff.find(staffId)?.name ?? ''
    const others = (purpose: 'READ' | 'ACT'): readonly string[] =>
      reachableNames(config.tenant.sharing, application, purpose).filter((name) => name !== application)
    const acts = others('ACT')
    return {
      ...{ requestId, kind, application, days, overlapHours },
      state: confirmedBy === null ? 'WAITING' : 'CONFIRMED',
      askedBy: findStaffName(askedBy),
      askedAt: request.askedAt.toISOString(),
      confirmedBy: confirmedBy === null ? null : findStaffName(confirmedBy),
      endsAt: request.endsAt.toISOString(),
      reads: others('READ').filter((name) => !acts.includes(name)),
      acts,
      own: askedBy === requireStaff(req).staffId,
    }
  }
  const applications = (): readonly ApplicationKeys[] => {
    const now = clock.now()
    const byName = new Map<string, KeyView[]>()
    for (const key of store.apiKeys.list(tenantId)) {
      byName.set(key.application, [...(byName.get(key.application) ?? []), toKeyView(key, now)])
    }
    return [...byName]
      .map(([application, keys]) => ({ application, keys, reserved: isReservedName(application) }))
      .sort((a, b) => (a.application < b.application ? -1 : 1))
  }
  const list = (req: Request): KeyList => ({
    applications: applications(),
    requests: requests
      .list()
      .map((request) => requestView(req, request))
      .filter(({ own }) => own),
  })
  const toConfirm = (req: Request): KeyRequestList => ({
    requests: requests.list().map((request) => requestView(req, request)),
  })

  const ask = (req: Request, wanted: WantedKeys): void => {
    requireKeyName(wanted.application)
    refuseService(wanted.application)
    const { staffId } = requireStaff(req)
    const { requestId, kind } = requests.ask(wanted, staffId)
    store.events.append('apikey.asked', null, { requestId, kind }, clock.now(), toOwnAuthor(staffId))
  }
  /**
   * The keys of the adjudication service decide about applicants: only an operator at the machine creates
   * them.
   */
  const refuseService = (application: string): void => {
    if (application !== config.tenant.adjudication.service?.application) return
    const message =
      'decides as the adjudication service: its keys are made by the operator, with npm run keys'
    throw fieldProblem('operator_only', 'application', message)
  }

  router.get('/', needs('keys:manage'), (req, res) => {
    res.json(list(req))
  })

  router.post('/', ...manages, async (req, res) => {
    const { application, days } = await parseJsonBody(req, NewKeyPair)
    ask(req, { kind: 'NEW', application, days, overlapHours: null })
    res.status(202).json(list(req))
  })

  router.post('/rotate', ...manages, async (req, res) => {
    const { application, days, overlapHours } = await parseJsonBody(req, KeyRotation)
    if (!applications().some((known) => known.application === application)) throw new AppError('not_found')
    ask(req, { kind: 'ROTATION', application, days, overlapHours })
    res.status(202).json(list(req))
  })

  router.get('/requests', needs('keys:confirm'), (req, res) => {
    res.json(toConfirm(req))
  })

  router.post('/requests/:requestId/confirm', ...confirms, async (req, res) => {
    await parseJsonBody(req, Nothing)
    requests.confirm(idParam(req, 'requestId'), requireStaff(req).staffId)
    res.json(toConfirm(req))
  })

  router.post('/requests/:requestId/decline', ...confirms, async (req, res) => {
    await parseJsonBody(req, Nothing)
    const { staffId } = requireStaff(req)
    const { requestId, askedBy } = requests.decline(idParam(req, 'requestId'), staffId)
    store.events.append('apikey.declined', null, { requestId, askedBy }, clock.now(), toOwnAuthor(staffId))
    res.json(toConfirm(req))
  })

  router.post('/requests/:requestId/make', ...manages, async (req, res) => {
    await parseJsonBody(req, Nothing)
    const { staffId } = requireStaff(req)
    const request = requests.take(idParam(req, 'requestId'), staffId)
    const { application, days, overlapHours, confirmedBy } = request
    refuseService(application)
    const now = clock.now()
    const expiresAt = days === null ? null : new Date(now.getTime() + days * DAY_MS)
    const asked = { tenantId, application, expiresAt, confirmedBy }
    const made =
      overlapHours === null
        ? createApiKeys(store, asked, now, toOwnAuthor(staffId))
        : rotateApiKeys(store, { ...asked, overlapMs: overlapHours * HOUR_MS }, now, toOwnAuthor(staffId))
    const { relyingServiceKey, userAgentKey } = made
    const shown: KeysShownOnce = {
      application,
      relyingServiceKey,
      userAgentKey,
      expiresAt: expiresAt?.toISOString() ?? null,
      list: list(req),
    }
    res.status(201).json(shown)
  })

  router.delete('/requests/:requestId', ...manages, (req, res) => {
    requests.takeBack(idParam(req, 'requestId'), requireStaff(req).staffId)
    res.json(list(req))
  })

  router.delete('/:keyId', ...manages, (req, res) => {
    const keyId = idParam(req, 'keyId')
    const isOurs = store.apiKeys.list(tenantId).some((key) => key.keyId === keyId)
    const author = toOwnAuthor(requireStaff(req).staffId)
    if (!isOurs || !revokeApiKey(store, keyId, clock.now(), author)) throw new AppError('not_found')
    res.json(list(req))
  })
  return router
}

function toKeyView(key: KeyListing, now: Date): KeyView {
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
