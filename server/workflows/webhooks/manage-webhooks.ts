/**
 * Registers, rotates, enables and removes webhooks for relying services and the operator, and lists deliveries.
 * `server/webhooks` decides what is sent and when.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { checkWebhookUrl } from '../../outgoing/address-guard.ts'
import { createWebhookSecret } from '../../outgoing/send.ts'
import { HOUR_MS, formatSpecDateTime } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { DeliveryState, WebhookDelivery } from '../../store/webhook-deliveries.ts'
import type { Audience } from '../../store/scope.ts'
import type { WebhookEndpoint, WebhookOwner } from '../../store/webhook-endpoints.ts'
import {
  isWebhookEventType,
  TEST_EVENT,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '../../webhooks/event-types.ts'
import { testMessage } from '../../webhooks/message.ts'
import { nameActor } from '../access/author.ts'
import { scopeOfApplication, scopeOfTenant } from '../access/reach.ts'

/** The dependencies that a command has, too. */
export type WebhookRegistry = Pick<Context, 'store' | 'clock' | 'newId'> & {
  readonly config: Pick<Context['config'], 'webhooks'>
}

/**
 * The requester: an application for its own webhooks, or the operator (`applicationId` null) for all of the
 * tenant's.
 */
export interface Asking extends WebhookOwner {
  readonly actor: string
  /** The identities and cases of which it may be told. */
  readonly audience: Audience
}

/** Per application. Each has separate requests for every event: few enough to send in parallel. */
export const MAX_WEBHOOKS = 20

/** @param asking on behalf of the application that will own the webhook */
export function registerWebhook(
  ctx: WebhookRegistry,
  asking: Asking & { readonly applicationId: string },
  input: { readonly url: string; readonly events?: readonly WebhookEventType[] | undefined },
) {
  const { href } = checkWebhookUrl(input.url, ctx.config.webhooks)
  const events = [...new Set(input.events ?? WEBHOOK_EVENT_TYPES)]
  const secret = createWebhookSecret()
  const [id, createdAt] = [ctx.newId(), ctx.clock.now()]
  return ctx.store.transaction(() => {
    const { tenantId, applicationId, actor } = asking
    if (ctx.store.webhookEndpoints.list(asking).length >= MAX_WEBHOOKS) {
      throw fieldProblem('too_many', 'url', `an application has ${MAX_WEBHOOKS} webhooks at most`)
    }
    ctx.store.webhookEndpoints.add({ id, tenantId, applicationId, url: href, events, secret, createdAt })
    const body = { webhookId: id, applicationId }
    ctx.store.events.append('webhook.registered', null, body, createdAt, { actor })
    return { ...toWebhookView(ctx, getEndpoint(ctx, asking, id)), secret }
  })
}

export function listWebhooks(ctx: WebhookRegistry, owner: WebhookOwner) {
  return ctx.store.webhookEndpoints.list(owner).map((endpoint) => toWebhookView(ctx, endpoint))
}

/**
 * Assigns a webhook of an older version, which has no owner, to this application, for the operator. It
 * continues where it stopped. Throws `transition_refused` if it has an application.
 */
export function assignWebhook(ctx: WebhookRegistry, asking: Asking, id: string, applicationId: string) {
  return ctx.store.transaction(() => {
    if (getEndpoint(ctx, asking, id).applicationId !== null) {
      throw new AppError('transition_refused', { reason: 'assigned' })
    }
    ctx.store.webhookEndpoints.assign(id, applicationId)
    const { actor } = asking
    const body = { webhookId: id, applicationId }
    ctx.store.events.append('webhook.assigned', null, body, ctx.clock.now(), { actor })
    return toWebhookView(ctx, getEndpoint(ctx, asking, id))
  })
}

export function removeWebhook(ctx: WebhookRegistry, asking: Asking, id: string): void {
  const { actor } = asking
  ctx.store.transaction(() => {
    getEndpoint(ctx, asking, id)
    ctx.store.webhookEndpoints.remove(id)
    ctx.store.events.append('webhook.removed', null, { webhookId: id }, ctx.clock.now(), { actor })
  })
}

/** A third secret within the overlap ends the first immediately: at most two are valid. */
export function rotateWebhookSecret(ctx: WebhookRegistry, asking: Asking, id: string, overlapHours: number) {
  const secret = createWebhookSecret()
  return ctx.store.transaction(() => {
    getEndpoint(ctx, asking, id)
    const { actor } = asking
    const now = ctx.clock.now()
    ctx.store.webhookEndpoints.rotate(id, secret, new Date(now.getTime() + overlapHours * HOUR_MS))
    ctx.store.events.append('webhook.rotated', null, { webhookId: id }, now, { actor })
    return { ...toWebhookView(ctx, getEndpoint(ctx, asking, id)), secret }
  })
}

/** It continues where it stopped: first pending deliveries, then the events of the log since. */
export function enableWebhook(ctx: WebhookRegistry, asking: Asking, id: string) {
  const { actor } = asking
  return ctx.store.transaction(() => {
    const { disabledBecause } = getEndpoint(ctx, asking, id)
    const now = ctx.clock.now()
    ctx.store.webhookEndpoints.enable(id)
    ctx.store.webhookDeliveries.renew(id, now)
    if (disabledBecause !== null) {
      ctx.store.events.append('webhook.enabled', null, { webhookId: id }, now, { actor })
    }
    return toWebhookView(ctx, getEndpoint(ctx, asking, id))
  })
}

/** Sends one message of its own type, without personal data. */
export function testWebhook(ctx: WebhookRegistry, asking: Asking, id: string) {
  const [deliveryId, createdAt] = [ctx.newId(), ctx.clock.now()]
  return ctx.store.transaction(() => {
    getEndpoint(ctx, asking, id)
    const about = { eventSeq: null, eventId: ctx.newId(), identityId: null, type: TEST_EVENT }
    const body = testMessage(id, createdAt)
    ctx.store.webhookDeliveries.add({ id: deliveryId, endpointId: id, ...about, body, createdAt })
    return toDeliveryView(requireDelivery(ctx, asking, id, deliveryId))
  })
}

export interface DeliveryQuery {
  readonly state?: DeliveryState | undefined
  readonly after?: string | undefined
  readonly limit: number
}

export function listDeliveries(ctx: WebhookRegistry, asking: Asking, id: string, query: DeliveryQuery) {
  getEndpoint(ctx, asking, id)
  const { state, after, limit } = query
  const found = ctx.store.webhookDeliveries.list(id, asking.audience, {
    ...(state ? { state } : {}),
    ...(after ? { after } : {}),
    limit: limit + 1,
  })
  const deliveries = found.slice(0, limit).map(toDeliveryView)
  const last = deliveries.at(-1)
  return { deliveries, ...(found.length > limit && last ? { next: last.deliveryId } : {}) }
}

/** Works in every state; one in progress is sent again only if it fails. */
export function resendDelivery(ctx: WebhookRegistry, asking: Asking, id: string, deliveryId: string) {
  return ctx.store.transaction(() => {
    getEndpoint(ctx, asking, id)
    requireDelivery(ctx, asking, id, deliveryId)
    const now = ctx.clock.now()
    const { actor } = asking
    ctx.store.webhookDeliveries.resend(id, deliveryId, now)
    ctx.store.events.append('webhook.resent', null, { webhookId: id, deliveryId }, now, { actor })
    return toDeliveryView(requireDelivery(ctx, asking, id, deliveryId))
  })
}

/**
 * Returns the events for a webhook: those of identities that its application may read, and cases if it
 * adjudicates.
 */
export function getAudience(ctx: Context, { tenantId, applicationId }: WebhookOwner): Audience {
  // Nothing is sent for a webhook without an application.
  const scope = scopeOfApplication(ctx, { tenantId, applicationId: applicationId ?? '' }, 'READ')
  const isService = applicationId !== null && applicationId === ctx.adjudication.serviceApplicationId
  return { scope, allCases: isService }
}

/** No proofing waits for a webhook: parked and disabled ones only need an operator's attention. */
export function webhookHealth({ store, clock }: Pick<Context, 'store' | 'clock'>): {
  status: 'UP' | 'DEGRADED'
  detail: string
} {
  const { webhookDeliveries: deliveries, webhookEndpoints: endpoints } = store
  const [pending, parked, disabled] = [
    deliveries.count('PENDING'),
    deliveries.count('PARKED'),
    endpoints.disabled(),
  ]
  const oldest = deliveries.oldestPending()
  const hours = oldest ? Math.floor((clock.now().getTime() - oldest.getTime()) / HOUR_MS) : 0
  const age = pending > 0 ? `, the oldest since ${hours} h` : ''
  const unassigned = endpoints.unassigned()
  const without = unassigned > 0 ? `, ${unassigned} of no application (npm run webhooks -- assign)` : ''
  const detail = `${pending} pending${age}, ${parked} parked, ${disabled} switched off${without}`
  return { status: parked > 0 || disabled > 0 || unassigned > 0 ? 'DEGRADED' : 'UP', detail }
}

/** All webhooks of a tenant: for the operator, and for staff at the counter. */
export function selectAllWebhooks(tenantId: string): Omit<Asking, 'actor'> {
  return { tenantId, applicationId: null, audience: { scope: scopeOfTenant(tenantId), allCases: false } }
}

/**
 * A webhook belongs to one application, because a tenant shares only identities. Staff at the counter see all
 * of them.
 */
export function toAsking(ctx: Context, caller: Caller): Asking {
  const { tenantId, reach } = caller
  const actor = nameActor(caller)
  if (reach.kind === 'TENANT') return { ...selectAllWebhooks(tenantId), actor }
  const owner = { tenantId, applicationId: caller.applicationId }
  return { ...owner, audience: getAudience(ctx, owner), actor }
}

export function getEndpoint({ store }: WebhookRegistry, owner: WebhookOwner, id: string): WebhookEndpoint {
  const endpoint = store.webhookEndpoints.find(owner, id)
  if (!endpoint) throw new AppError('not_found', { resource: 'webhook' })
  return endpoint
}

export function toWebhookView({ store, clock }: WebhookRegistry, endpoint: WebhookEndpoint) {
  const { id, url, events, createdAt, previousValidUntil, disabledBecause } = endpoint
  const overlaps = previousValidUntil !== null && previousValidUntil > clock.now()
  return {
    webhookId: id,
    url,
    events: events.filter(isWebhookEventType),
    creationDateTime: formatSpecDateTime(createdAt),
    pending: store.webhookDeliveries.count('PENDING', id),
    parked: store.webhookDeliveries.count('PARKED', id),
    ...(overlaps ? { previousSecretValidUntil: formatSpecDateTime(previousValidUntil) } : {}),
    ...(disabledBecause ? { disabledBecause } : {}),
  }
}

function requireDelivery({ store }: WebhookRegistry, { audience }: Asking, endpointId: string, id: string) {
  const delivery = store.webhookDeliveries.find(endpointId, audience, id)
  if (!delivery) throw new AppError('not_found')
  return delivery
}

function toDeliveryView(delivery: WebhookDelivery) {
  const { id, eventId, type, state, attempts, identityId, lastStatus, lastError } = delivery
  const { createdAt, lastTriedAt, nextTryAt, deliveredAt } = delivery
  return {
    deliveryId: id,
    eventId,
    type,
    ...(identityId ? { identityId } : {}),
    state,
    attempts,
    creationDateTime: formatSpecDateTime(createdAt),
    ...(lastTriedAt ? { lastTryDateTime: formatSpecDateTime(lastTriedAt) } : {}),
    ...(lastStatus === null ? {} : { lastStatus }),
    ...(lastError === null ? {} : { lastError }),
    ...(state === 'PENDING' ? { nextTryDateTime: formatSpecDateTime(nextTryAt) } : {}),
    ...(deliveredAt ? { deliveryDateTime: formatSpecDateTime(deliveredAt) } : {}),
  }
}
