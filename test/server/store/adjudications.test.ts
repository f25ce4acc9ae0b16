import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Evidence } from '../../../server/proofing/evidence.ts'
import type { Adjudication, QueueQuery } from '../../../server/store/adjudications.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { scopeOfTenant } from '../../../server/workflows/access/reach.ts'
import { anEvidence, AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => {
  t.close()
})

const DECISION = {
  decision: 'UNSURE',
  reason: 'SPECIALIST_NEEDED',
  adjudicator: { id: 'zz-anna-zz', kind: 'STAFF' },
  decidedAt: '2026-03-01T10:00:00.000',
  signature: 'a.b.c',
} as const

function aRequest(over: Partial<Adjudication> = {}, evidence: Partial<Evidence> = {}): Adjudication {
  const identityId = over.identityId ?? t.addIdentity().id
  const piece = anEvidence(identityId, { status: 'ADJUDICATION', ...evidence })
  t.store.evidences.add(piece)
  const request: Adjudication = {
    id: uuidv7(),
    identityId,
    evidenceId: piece.id,
    status: 'TO_PROCESS',
    reason: null,
    errors: [],
    requestedAt: AT,
    respondedAt: null,
    fourEyes: false,
    claim: null,
    ...over,
  }
  t.store.adjudications.add(request)
  return request
}
const queue = (over: Partial<QueueQuery> = {}) =>
  t.store.adjudications
    .queue({ scope: scopeOfTenant('tenant'), statuses: ['TO_PROCESS'], limit: 100, ...over })
    .map(({ id }) => id)
const decide = ({ id, identityId }: Adjudication, at: Date, decisionId = uuidv7()) =>
  t.store.adjudicationDecisions.add({
    id: decisionId,
    adjudicationId: id,
    identityId,
    decision: { ...DECISION, reason: at.toISOString() },
    decidedAt: at,
  })

test('a request is read as it was saved, with the claim of who has it, after a restart too', () => {
  const request = aRequest({ fourEyes: true })
  const claim = {
    adjudicator: { id: 'zz-anna-zz', kind: 'STAFF' },
    expiresAt: new Date(AT.getTime() + 1),
  } as const
  const claimed: Adjudication = { ...request, status: 'PROCESSING', claim }
  t.store.adjudications.save(claimed)
  expect(t.reopen().adjudications.find(request.id)).toEqual(claimed)
  const released: Adjudication = { ...request, status: 'TO_PROCESS' }
  t.store.adjudications.save(released)
  expect(t.store.adjudications.find(request.id)).toEqual(released)
})

test('the queue is that of one tenant, oldest first, page after page, of what is left of it', () => {
  const at = (ms: number) => new Date(AT.getTime() + ms)
  const second = aRequest({ requestedAt: at(2) })
  const first = aRequest({ requestedAt: at(1) })
  const third = aRequest({ requestedAt: at(3) }, { type: 'PORTRAIT', family: 'PORTRAIT' })
  aRequest({ status: 'TIME_OUT' })
  aRequest({}, { deletedAt: AT })
  const sealed = aRequest()
  const identity = t.store.identities.find(APPLIANCE, sealed.identityId)
  if (identity) t.store.identities.save({ ...identity, status: 'CLOSED' })
  const erased = aRequest()
  t.store.erasures.begin({
    identityId: erased.identityId,
    tenantId: 'tenant',
    applicationId: t.applicationId,
    reason: 'DELETE',
    actor: 'appliance',
    proofId: null,
    begunAt: AT,
  })
  expect(queue()).toEqual([first.id, second.id, third.id])
  expect(queue({ limit: 1 })).toEqual([first.id])
  expect(queue({ after: first, limit: 1 })).toEqual([second.id])
  expect(queue({ after: third })).toEqual([])
  expect(queue({ type: 'PORTRAIT' })).toEqual([third.id])
  expect(queue({ statuses: ['TIME_OUT', 'TO_PROCESS'] })).toHaveLength(4)
  expect(queue({ scope: scopeOfTenant('other') })).toEqual([])
})

test('of two requests in one millisecond each stands on one page', () => {
  const ids = [aRequest().id, aRequest().id, aRequest().id].sort()
  const [a = '', b = ''] = ids
  expect(queue({ limit: 2 })).toEqual([a, b])
  expect(queue({ after: { id: b, requestedAt: AT }, limit: 2 })).toEqual(ids.slice(2))
})

test('decisions are read in the order in which they were made, and go with their evidence or identity', () => {
  const request = aRequest()
  const later = new Date(AT.getTime() + 1)
  decide(request, later)
  decide(request, AT)
  expect(t.store.adjudicationDecisions.list(request.id).map(({ reason }) => reason)).toEqual([
    AT.toISOString(),
    later.toISOString(),
  ])
  const other = aRequest()
  decide(other, AT)
  t.store.adjudicationDecisions.dropByEvidence(request.evidenceId)
  expect(t.store.adjudicationDecisions.list(request.id)).toEqual([])
  expect(t.store.adjudicationDecisions.list(other.id)).toHaveLength(1)
  t.store.erasures.deleteRows(other.identityId)
  expect(t.store.adjudicationDecisions.list(other.id)).toEqual([])
  expect(t.store.checkIntegrity()).toEqual([])
})

test('the database holds no id of an adjudicator in clear', () => {
  const request = aRequest()
  decide(request, AT)
  t.store.adjudications.save({
    ...request,
    status: 'PROCESSING',
    claim: { adjudicator: DECISION.adjudicator, expiresAt: AT },
  })
  t.store.scrub()
  for (const file of readdirSync(t.dataDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const bytes = readFileSync(join(file.parentPath, file.name))
    expect([file.name, bytes.includes('zz-anna-zz')]).toEqual([file.name, false])
  }
})

test('an answer of a service counts once, and is known after a restart', () => {
  expect(t.store.adjudicationDecisions.wasTaken('msg_1')).toBe(false)
  expect(t.store.adjudicationDecisions.takeCallback('msg_1', AT)).toBe(true)
  expect(t.store.adjudicationDecisions.takeCallback('msg_1', AT)).toBe(false)
  expect(t.reopen().adjudicationDecisions.wasTaken('msg_1')).toBe(true)
  // A biometric server may give its own callbacks the same ids.
  expect(t.store.delegatedSessions.wasTaken('msg_1')).toBe(false)
})
