/**
 * Who is told of what happens: registered, rotated, switched on again and removed by a relying service or the operator,
 * and what was told so far. What is sent when is decided in `webhooks/`.
 */
import type { Context } from '../context.ts'
import { AppError, fieldProblem } from '../errors.ts'
import { checkWebhookUrl } from '../outgoing/address-guard.ts'
import { newWebhookSecret } from '../outgoing/send.ts'
import { HOUR_MS, specDateTime } from '../proofing/time.ts'
import type { Caller } from '../proofing/types.ts'
import type { DeliveryState, WebhookDelivery } from '../store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../store/webhook-endpoints.ts'
import {
  isWebhookEventType,
  TEST_EVENT,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '../webhooks/event-types.ts'
import { testMessage } from '../webhooks/message.ts'
import { actorOf } from './author.ts'
import { markDone } from './record-call.ts'

/** What a command has beside a running server, too. */
export type WebhookRegistry = Pick<Context, 'store' | 'clock' | 'newId'> & {
  readonly config: Pick<Context['config'], 'webhooks'>
}

/** Who asks, and for which tenant. */
export interface Asking {
  readonly tenantId: string
  readonly actor: string
}

/** Each has its own requests for every event: more than any tenant has systems, few enough to send beside one another. */
export const MOST_WEBHOOKS = 20

export function registerWebhook(
  ctx: WebhookRegistry,
  { tenantId, actor }: Asking,
  input: { readonly url: string; readonly events?: readonly WebhookEventType[] | undefined },
) {
  const { href } = checkWebhookUrl(input.url, ctx.config.webhooks)
  const events = [...new Set(input.events ?? WEBHOOK_EVENT_TYPES)]
  const secret = newWebhookSecret()
  const [id, createdAt] = [ctx.newId(), ctx.clock.now()]
  return ctx.store.transaction(() => {
    if (ctx.store.webhookEndpoints.list(tenantId).length >= MOST_WEBHOOKS) {
      throw fieldProblem('too_many', 'url', `there can be ${MOST_WEBHOOKS} webhooks at most`)
    }
    ctx.store.webhookEndpoints.add({ id, tenantId, url: href, events, secret, createdAt })
    ctx.store.events.append('webhook.registered', null, { webhookId: id }, createdAt, { actor })
    return { ...viewOf(ctx, endpointOf(ctx, tenantId, id)), secret }
  })
}

export function listWebhooks(ctx: WebhookRegistry, tenantId: string) {
  return ctx.store.webhookEndpoints.list(tenantId).map((endpoint) => viewOf(ctx, endpoint))
}

export function removeWebhook(ctx: WebhookRegistry, { tenantId, actor }: Asking, id: string): void {
  ctx.store.transaction(() => {
    endpointOf(ctx, tenantId, id)
    ctx.store.webhookEndpoints.remove(id)
    ctx.store.events.append('webhook.removed', null, { webhookId: id }, ctx.clock.now(), { actor })
  })
}

/** A third secret within the overlap ends the first at once: two are valid at the most. */
export function rotateWebhookSecret(
  ctx: WebhookRegistry,
  { tenantId, actor }: Asking,
  id: string,
  overlapHours: number,
) {
  const secret = newWebhookSecret()
  return ctx.store.transaction(() => {
    endpointOf(ctx, tenantId, id)
    const now = ctx.clock.now()
    ctx.store.webhookEndpoints.rotate(id, secret, new Date(now.getTime() + overlapHours * HOUR_MS))
    ctx.store.events.append('webhook.rotated', null, { webhookId: id }, now, { actor })
    return { ...viewOf(ctx, endpointOf(ctx, tenantId, id)), secret }
  })
}

/** It goes on where it stopped: with what waits, then with what the log holds since. */
export function enableWebhook(ctx: WebhookRegistry, { tenantId, actor }: Asking, id: string) {
  return ctx.store.transaction(() => {
    const { disabledBecause } = endpointOf(ctx, tenantId, id)
    const now = ctx.clock.now()
    ctx.store.webhookEndpoints.enable(id)
    ctx.store.webhookDeliveries.renew(id, now)
    if (disabledBecause !== null) {
      ctx.store.events.append('webhook.enabled', null, { webhookId: id }, now, { actor })
    }
    return viewOf(ctx, endpointOf(ctx, tenantId, id))
  })
}

/** One message of its own type, about nobody. */
export function testWebhook(ctx: WebhookRegistry, tenantId: string, id: string) {
  const [deliveryId, createdAt] = [ctx.newId(), ctx.clock.now()]
  return ctx.store.transaction(() => {
    endpointOf(ctx, tenantId, id)
    const about = { eventSeq: null, eventId: ctx.newId(), identityId: null, type: TEST_EVENT }
    const body = testMessage(id, createdAt)
    ctx.store.webhookDeliveries.add({ id: deliveryId, endpointId: id, ...about, body, createdAt })
    return deliveryOf(ctx, id, deliveryId)
  })
}

export interface DeliveryQuery {
  readonly state?: DeliveryState | undefined
  readonly after?: string | undefined
  readonly limit: number
}

export function listDeliveries(ctx: WebhookRegistry, tenantId: string, id: string, query: DeliveryQuery) {
  endpointOf(ctx, tenantId, id)
  const { state, after, limit } = query
  const found = ctx.store.webhookDeliveries.list(id, {
    ...(state ? { state } : {}),
    ...(after ? { after } : {}),
    limit: limit + 1,
  })
  const deliveries = found.slice(0, limit).map(deliveryViewOf)
  const last = deliveries.at(-1)
  return { deliveries, ...(found.length > limit && last ? { next: last.deliveryId } : {}) }
}

/** Whatever became of it; one that is under way is sent again only if that fails. */
export function resendDelivery(
  ctx: WebhookRegistry,
  { tenantId, actor }: Asking,
  id: string,
  deliveryId: string,
) {
  return ctx.store.transaction(() => {
    endpointOf(ctx, tenantId, id)
    const now = ctx.clock.now()
    if (!ctx.store.webhookDeliveries.resend(id, deliveryId, now)) throw new AppError('not_found')
    ctx.store.events.append('webhook.resent', null, { webhookId: id, deliveryId }, now, { actor })
    return deliveryOf(ctx, id, deliveryId)
  })
}

/** As the API calls them. */
export function webhookWorkflows(ctx: Context) {
  /** What is carried out under a repeat key is not carried out twice; its answer is kept nowhere, since it may hold a secret. */
  const once = async <T>(caller: Caller, work: (asking: Asking) => T): Promise<T> => {
    const done = ctx.store.transaction(() => {
      markDone(ctx, caller)
      return work({ tenantId: caller.tenantId, actor: actorOf(caller) })
    })
    ctx.wakeWebhooks()
    return done
  }
  return {
    registerWebhook: (caller: Caller, input: Parameters<typeof registerWebhook>[2]) =>
      once(caller, (asking) => registerWebhook(ctx, asking, input)),
    listWebhooks: async ({ tenantId }: Caller) => ({ webhooks: listWebhooks(ctx, tenantId) }),
    getWebhook: async ({ tenantId }: Caller, id: string) => viewOf(ctx, endpointOf(ctx, tenantId, id)),
    removeWebhook: (caller: Caller, id: string) => once(caller, (asking) => removeWebhook(ctx, asking, id)),
    rotateWebhookSecret: (caller: Caller, id: string, overlapHours: number) =>
      once(caller, (asking) => rotateWebhookSecret(ctx, asking, id, overlapHours)),
    enableWebhook: (caller: Caller, id: string) => once(caller, (asking) => enableWebhook(ctx, asking, id)),
    testWebhook: (caller: Caller, id: string) =>
      once(caller, ({ tenantId }) => testWebhook(ctx, tenantId, id)),
    listWebhookDeliveries: async ({ tenantId }: Caller, id: string, query: DeliveryQuery) =>
      listDeliveries(ctx, tenantId, id, query),
    resendWebhookDelivery: (caller: Caller, id: string, deliveryId: string) =>
      once(caller, (asking) => resendDelivery(ctx, asking, id, deliveryId)),
  }
}

/** Nobody's proofing waits for it: what is parked or switched off is for an operator to see. */
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
  const detail = `${pending} pending${age}, ${parked} parked, ${disabled} switched off`
  return { status: parked > 0 || disabled > 0 ? 'DEGRADED' : 'UP', detail }
}

function endpointOf({ store }: WebhookRegistry, tenantId: string, id: string): WebhookEndpoint {
  const endpoint = store.webhookEndpoints.find(tenantId, id)
  if (!endpoint) throw new AppError('not_found', { resource: 'webhook' })
  return endpoint
}

function viewOf({ store, clock }: WebhookRegistry, endpoint: WebhookEndpoint) {
  const { id, url, events, createdAt, previousValidUntil, disabledBecause } = endpoint
  const overlaps = previousValidUntil !== null && previousValidUntil > clock.now()
  return {
    webhookId: id,
    url,
    events: events.filter(isWebhookEventType),
    creationDateTime: specDateTime(createdAt),
    pending: store.webhookDeliveries.count('PENDING', id),
    parked: store.webhookDeliveries.count('PARKED', id),
    ...(overlaps ? { previousSecretValidUntil: specDateTime(previousValidUntil) } : {}),
    ...(disabledBecause ? { disabledBecause } : {}),
  }
}

function deliveryOf({ store }: WebhookRegistry, endpointId: string, id: string) {
  const delivery = store.webhookDeliveries.find(endpointId, id)
  if (!delivery) throw new AppError('not_found')
  return deliveryViewOf(delivery)
}

function deliveryViewOf(delivery: WebhookDelivery) {
  const { id, eventId, type, state, attempts, identityId, lastStatus, lastError } = delivery
  const { createdAt, lastTriedAt, nextTryAt, deliveredAt } = delivery
  return {
    deliveryId: id,
    eventId,
    type,
    ...(identityId ? { identityId } : {}),
    state,
    attempts,
    creationDateTime: specDateTime(createdAt),
    ...(lastTriedAt ? { lastTryDateTime: specDateTime(lastTriedAt) } : {}),
    ...(lastStatus === null ? {} : { lastStatus }),
    ...(lastError === null ? {} : { lastError }),
    ...(state === 'PENDING' ? { nextTryDateTime: specDateTime(nextTryAt) } : {}),
    ...(deliveredAt ? { deliveryDateTime: specDateTime(deliveredAt) } : {}),
  }
}
