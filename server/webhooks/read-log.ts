/**
 * Reads the audit log for each endpoint from its cursor onwards. Deliveries and cursor are committed together, so that
 * every event before the cursor has its delivery and every later event will get one.
 */
import type { Store } from '../store/open.ts'
import type { Audience } from '../store/scope.ts'
import type { WebhookEndpoint } from '../store/webhook-endpoints.ts'
import { isWebhookEventType } from './event-types.ts'
import { buildMessage } from './message.ts'

type Reading = {
  readonly store: Store
  newId(): string
  /** The events that the endpoint's application may receive. */
  readonly findAudience: (endpoint: WebhookEndpoint) => Audience
}

/** Page size, so that other work does not wait long for the database. */
const PAGE = 200
/** For events without a subscriber the cursor moves only this often, because each move is a disk write. */
const LAG = 500

/** Returns whether there is more to read. */
export function readLog(ctx: Reading, endpoint: WebhookEndpoint, now: Date): boolean {
  const page = readPage(ctx, endpoint)
  if (page.events.length === 0 && page.upTo - endpoint.cursor < LAG) return false
  return ctx.store.transaction(() => {
    // A command may have removed the endpoint or read further meanwhile.
    const current = ctx.store.webhookEndpoints.find(endpoint, endpoint.id)
    if (!current || current.disabledBecause !== null) return false
    const { events, upTo, isFull } = readPage(ctx, current)
    for (const event of events) {
      if (!isWebhookEventType(event.type)) continue
      const { seq, id, identityId, type } = event
      const body = buildMessage(type, event)
      const about = { eventSeq: seq, eventId: id, identityId, type, body }
      ctx.store.webhookDeliveries.add({
        id: ctx.newId(),
        endpointId: endpoint.id,
        ...about,
        createdAt: now,
      })
    }
    ctx.store.webhookEndpoints.moveCursor(endpoint.id, upTo)
    return isFull
  })
}

function readPage({ store, findAudience }: Reading, endpoint: WebhookEndpoint) {
  const { events, cursor } = endpoint
  return store.tenantEvents.after(findAudience(endpoint), events.filter(isWebhookEventType), cursor, PAGE)
}
