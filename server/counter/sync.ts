/**
 * Unsent proofs and webhook deliveries for staff, with distinct words for network, key and data problems.
 * Owns the "try now". Never: the sending.
 */
import { Router } from 'express'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { HOUR_MS } from '../proofing/time.ts'
import type { FreezeReason } from '../proofing/freeze.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { freezeFacts, updateFreeze } from '../workflows/health/freeze.ts'
import { noteSyncState, syncState } from '../workflows/health/sync-state.ts'
import type { Workflows } from '../workflows/index.ts'
import { needs, needsFresh } from './access.ts'
import { getEventActor, staffCaller } from './caller.ts'
import { DeliveriesQuery, JoinBody, OutboxQuery } from './contract/sync.ts'
import type {
  DeliveryView,
  FreezeRule,
  OutboxItem,
  OutboxPage,
  SyncView,
  WebhookView,
} from './contract/sync.ts'
import type { CounterDeps } from './deps.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody, readQuery } from './guard.ts'

export function syncRouter(deps: CounterDeps): Router {
  const router = Router()
  const { ctx, store, clock, workflows } = deps
  const may = needs('sync:see')
  const mayAct = needs('sync:act')

  router.get('/sync', may, (_req, res) => {
    res.json(syncView(deps))
  })

  router.post('/sync/try-now', mayAct, (req, res) => {
    store.transaction(() => {
      const waiting = store.outbox.summary().backlog
      for (const { sequence, state } of store.outbox.pending()) {
        if (state !== 'REFUSED') store.outbox.hurry(sequence)
      }
      noteSyncState({ store }, { wantedAt: clock.now().getTime() })
      store.events.append('sync.hurried', null, { waiting }, clock.now(), getEventActor(req))
    })
    ctx.wakeSync()
    res.json(syncView(deps))
  })

  router.post('/sync/join', needs('sync:join'), needsFresh(), async (req, res) => {
    const answer = await deps.joinCentralService(await parseJsonBody(req, JoinBody), getEventActor(req))
    if (answer.state === 'JOINED') ctx.wakeSync()
    res.json(answer)
  })

  router.get('/sync/items', may, (req, res) => {
    const { show, after, limit } = readQuery(req, OutboxQuery)
    const all =
      show === 'waiting'
        ? store.outbox.pending().filter(({ sequence }) => sequence > after)
        : store.outbox.list(after, limit + 1)
    const shown = all.slice(0, limit)
    const page: OutboxPage = {
      items: shown.map((entry) => toOutboxItem(deps, entry)),
      next: all.length > limit ? (shown.at(-1)?.sequence ?? null) : null,
    }
    res.json(page)
  })

  router.post('/sync/items/:sequence/send-again', mayAct, (req, res) => {
    const sequence = z.coerce.number().int().min(1).safeParse(req.params.sequence)
    const entry = sequence.success ? store.outbox.find(sequence.data) : null
    if (!entry) throw new AppError('not_found', { resource: 'outbox' })
    if (entry.receipt !== null || entry.isGivenUp) {
      throw new AppError('transition_refused', { from: entry.state })
    }
    sendAgain(deps, entry, getEventActor(req))
    ctx.wakeSync()
    res.json(toOutboxItem(deps, store.outbox.find(entry.sequence) ?? entry))
  })

  router.get('/webhooks', may, async (req, res) => {
    const { webhooks } = await workflows.listWebhooks(staffCaller(deps, req))
    res.json({ webhooks: webhooks.map(toWebhookView) })
  })

  router.get('/webhooks/:webhookId/deliveries', may, async (req, res) => {
    const { state, after, limit } = readQuery(req, DeliveriesQuery)
    const query = { limit, ...(state ? { state } : {}), ...(after ? { after } : {}) }
    const page = await workflows.listWebhookDeliveries(
      staffCaller(deps, req),
      idParam(req, 'webhookId'),
      query,
    )
    res.json({ deliveries: page.deliveries.map(toDeliveryView), next: page.next ?? null })
  })

  router.post('/webhooks/:webhookId/deliveries/:deliveryId/send-again', mayAct, async (req, res) => {
    const [id, deliveryId] = [idParam(req, 'webhookId'), idParam(req, 'deliveryId')]
    res.json(toDeliveryView(await workflows.resendWebhookDelivery(staffCaller(deps, req), id, deliveryId)))
  })

  router.post('/webhooks/:webhookId/enable', mayAct, async (req, res) => {
    res.json(toWebhookView(await workflows.enableWebhook(staffCaller(deps, req), idParam(req, 'webhookId'))))
  })

  router.post('/webhooks/:webhookId/test', mayAct, async (req, res) => {
    res.json(toDeliveryView(await workflows.testWebhook(staffCaller(deps, req), idParam(req, 'webhookId'))))
  })
  return router
}

/** Packs again what the central service refused; makes a waiting one due immediately. */
function sendAgain(
  { store, clock }: CounterDeps,
  entry: OutboxEntry,
  author: { readonly actor: string },
): void {
  const { proofId, sha256, identityId, sequence } = entry
  store.transaction(() => {
    if (entry.state !== 'REFUSED') {
      store.outbox.hurry(sequence)
      store.events.append('sync.hurried', null, { waiting: 1 }, clock.now(), author)
      return
    }
    store.outbox.requeue(sequence, clock.now())
    const body = { proofId, sequence, sha256 }
    store.events.append('outbox.queued', identityId, body, clock.now(), { ...author, reason: 'REQUEUED' })
  })
}

/** Error codes by cause: refused keys, the network, the central service. */
const OF_KEYS = [
  'unauthorized',
  'kiosk_revoked',
  'forbidden',
  'statement_refused',
  'tls_refused',
  'not_the_centre',
]
/** A refusal of the central service: the tenant takes no proofs of a kiosk in test mode. */
const TEST_PROOF = 'test_proof_not_taken'
const OF_THE_LINE = ['connection_refused', 'name_not_found', 'no_answer_in_time', 'not_reachable']
const OF_THE_CENTRAL_SERVICE = ['centre_busy', 'answer_too_large', 'internal']

/** Names the trouble by the one who has to act. Null: nothing is wrong. */
export function nameTrouble(lastError: string | null): SyncView['trouble'] {
  if (lastError === null) return null
  if (OF_KEYS.includes(lastError)) return 'REFUSED_KEY'
  if (OF_THE_LINE.includes(lastError)) return 'NO_NETWORK'
  if (lastError.includes(TEST_PROOF)) return 'TEST_PROOF'
  return OF_THE_CENTRAL_SERVICE.includes(lastError) ? 'CENTRE_TROUBLE' : 'REFUSED_DATA'
}

/** A parked proof was refused, whatever its code says. */
function nameRefusal(lastError: string | null): SyncView['trouble'] {
  return lastError?.includes(TEST_PROOF) === true ? 'TEST_PROOF' : 'REFUSED_DATA'
}

/** The error of the oldest parked proof. */
function findParkedError({ store }: CounterDeps): string | null {
  return store.outbox.pending().find(({ state }) => state === 'REFUSED')?.lastError ?? null
}

function syncView(deps: CounterDeps): SyncView {
  const { store } = deps
  const enrolment = store.enrolments.find()
  const line = !enrolment?.membership ? 'ALONE' : enrolment.centralUrl === '' ? 'BY_HAND' : 'LINE'
  const { backlog, oldestSealedAt, parked } = store.outbox.summary()
  const { lastContactAt, failingSince, lastError } = syncState({ store })
  const ofLine = line === 'LINE' && failingSince !== null ? nameTrouble(lastError) : null
  const trouble = ofLine ?? (parked > 0 ? nameRefusal(findParkedError(deps)) : null)
  const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
  return {
    line,
    transport: line !== 'LINE' ? null : enrolment?.centralUrl.startsWith('https:') ? 'HTTPS' : 'HTTP',
    state: chooseState(line, trouble, backlog),
    trouble,
    since: ofLine === null ? null : toIso(failingSince),
    waiting: backlog - parked,
    refused: parked,
    oldestSince: oldestSealedAt?.toISOString() ?? null,
    lastSuccess: toIso(lastContactAt),
    nextTry: line === 'LINE' ? (store.outbox.nextDue()?.toISOString() ?? null) : null,
    gapFree: store.outbox.audit().length === 0,
    freeze: freezeRules(deps),
  }
}

function chooseState(
  line: SyncView['line'],
  trouble: SyncView['trouble'],
  backlog: number,
): SyncView['state'] {
  if (trouble !== null) return 'TROUBLE'
  if (line === 'ALONE') return 'NOT_SET_UP'
  return backlog > 0 ? 'WAITING' : 'WELL'
}

/** Returns each count in the unit of its limit; rules without a count have no numbers. */
function freezeRules({ ctx }: CounterDeps): readonly FreezeRule[] {
  const facts = freezeFacts(ctx)
  const inForce = updateFreeze(ctx)
  const { freeze } = ctx.config.sync
  const { waiting } = facts
  const rule = (
    reason: FreezeReason,
    now: number | null,
    limit: number | null,
    unit: FreezeRule['unit'],
    left = now === null || limit === null ? null : Math.max(0, limit - now),
  ): FreezeRule => ({
    reason,
    inForce: inForce.includes(reason),
    isKnown: reason !== 'clock_unsure' || ctx.time.statement().source !== 'SYSTEM',
    now,
    limit,
    left,
    unit,
  })
  const megabytes = facts.freeBytes === null ? null : Math.floor(facts.freeBytes / 1e6)
  const minutes = Math.round(facts.clockUncertaintyMs / 60_000)
  const diskLeft = megabytes === null ? null : Math.max(0, megabytes - freeze.freeMegabytes)
  const hours = waiting ? Math.floor((waiting.oldestAgeMs ?? 0) / HOUR_MS) : null
  return [
    rule('disk_low', megabytes, freeze.freeMegabytes, 'MEGABYTES', diskLeft),
    rule('clock_unsure', minutes, freeze.clockUncertaintyMinutes, 'MINUTES'),
    ...(waiting
      ? [
          rule('backlog_full', waiting.backlog, freeze.backlog, 'PROOFS'),
          rule('oldest_too_old', hours, freeze.ageHours, 'HOURS'),
          rule('proofs_parked', waiting.parked, freeze.parked, 'PROOFS'),
        ]
      : []),
    // These rules have no number to approach, so they appear only while they stop proofings.
    ...(['being_updated', 'kiosk_revoked', 'kiosk_cloned', 'restore_not_settled'] as const).flatMap(
      (reason) => (inForce.includes(reason) ? [rule(reason, null, null, null)] : []),
    ),
  ]
}

function toOutboxItem({ store }: CounterDeps, entry: OutboxEntry): OutboxItem {
  const { sequence, identityId, state, sealedAt, attempts, nextTryAt, lastError, packet, receipt } = entry
  const isWaiting = receipt === null && (state === 'QUEUED' || state === 'PACKED')
  return {
    sequence,
    reference: store.visits.findByIdentity(identityId)?.reference ?? null,
    state,
    sealedAt: sealedAt.toISOString(),
    attempts,
    nextTry: isWaiting ? nextTryAt.toISOString() : null,
    lastError,
    trouble: state === 'REFUSED' ? nameRefusal(lastError) : nameTrouble(lastError),
    bytes: packet?.bytes ?? null,
  }
}

type Registered = Awaited<ReturnType<Workflows['getWebhook']>>

/** Only the host: a path may contain a secret of the receiver. */
function toWebhookView(webhook: Registered): WebhookView {
  const { webhookId, url, events, pending, parked, creationDateTime } = webhook
  const disabledBecause = webhook.disabledBecause ?? null
  return {
    webhookId,
    host: new URL(url).host,
    events,
    health:
      disabledBecause !== null ? 'SWITCHED_OFF' : parked > 0 ? 'PARKED' : pending > 0 ? 'WAITING' : 'WELL',
    disabledBecause,
    pending,
    parked,
    createdAt: `${creationDateTime}Z`,
  }
}

type Delivered = Awaited<ReturnType<Workflows['testWebhook']>>

function toDeliveryView(delivery: Delivered): DeliveryView {
  const utc = (at: string | undefined): string | null => (at === undefined ? null : `${at}Z`)
  return {
    deliveryId: delivery.deliveryId,
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    createdAt: `${delivery.creationDateTime}Z`,
    lastTriedAt: utc(delivery.lastTryDateTime),
    lastStatus: delivery.lastStatus ?? null,
    lastError: delivery.lastError ?? null,
    nextTry: utc(delivery.nextTryDateTime),
    deliveredAt: utc(delivery.deliveryDateTime),
  }
}
