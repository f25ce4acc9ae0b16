/**
 * Sends events of the audit log to relying services, at least once and in order per identity. Decides when to send and
 * records the outcome; does not decide what happened or who may know it. Runs beside the jobs and waits only for the
 * receivers.
 */
import type { Context } from '../context.ts'
import { describeError } from '../log.ts'
import type { Sent } from '../outgoing/answer.ts'
import { scheduledPauseMs, STANDARD_SCHEDULE_MS } from '../outgoing/back-off.ts'
import type { Sender } from '../outgoing/send.ts'
import type { WebhookDelivery } from '../store/webhook-deliveries.ts'
import type { Audience } from '../store/scope.ts'
import type { WebhookEndpoint } from '../store/webhook-endpoints.ts'
import { readLog } from './read-log.ts'

export interface WebhookRunner {
  /** Announces that there may be something to send. */
  wake(): void
  /**
   * Starts nothing more. Deliveries under way get a moment to end; unfinished ones are sent again after the next start.
   */
  stop(): Promise<void>
}

type WebhookContext = Pick<Context, 'store' | 'clock' | 'log' | 'newId'> & {
  /** The events that an endpoint's application may receive; it receives nothing else. */
  readonly findAudience: (endpoint: WebhookEndpoint) => Audience
}

export interface WebhookOptions {
  /** Delays of each attempt, beginning with the first. */
  readonly schedule: readonly number[]
  /** Polling interval, because commands write beside the server without waking it. */
  readonly pollMs: number
  readonly random: () => number
  /** Time that deliveries under way may take to end. */
  readonly stopMs: number
}

const DEFAULT_OPTIONS: WebhookOptions = {
  schedule: STANDARD_SCHEDULE_MS,
  pollMs: 1_000,
  random: Math.random,
  stopMs: 3_000,
}

/** Parallel deliveries per endpoint; with at most 20 endpoints no receiver delays another. */
const PER_ENDPOINT = 4
/** About as long as one write attempt takes on a busy disk. */
const RECORD_AGAIN_MS = 1_000
/** Delivered messages remain listed this long. */
const KEEP_DELIVERED_MS = 30 * 86_400_000
const PURGE_MS = 3_600_000

interface Begun {
  readonly endpoint: WebhookEndpoint
  readonly delivery: WebhookDelivery
}

export function startWebhooks(
  ctx: WebhookContext,
  sender: Sender,
  given: Partial<WebhookOptions> = {},
): WebhookRunner {
  const options = { ...DEFAULT_OPTIONS, ...given }
  const { store, clock, log } = ctx
  const running = new Set<Promise<void>>()
  const inFlight = new Map<string, number>()
  let state: 'running' | 'stopping' | 'broken-off' = 'running'
  let timer: NodeJS.Timeout | undefined
  let purgedAt = 0

  const recovered = store.webhookDeliveries.recover()
  if (recovered > 0)
    log.warn({ deliveries: recovered }, 'webhook deliveries that a crash interrupted are sent again')
  warnOfHeld(ctx)

  const listDue = (endpoint: WebhookEndpoint, now: Date): readonly WebhookDelivery[] => {
    const free = PER_ENDPOINT - (inFlight.get(endpoint.id) ?? 0)
    return free > 0 ? store.webhookDeliveries.due(endpoint.id, ctx.findAudience(endpoint), now, free) : []
  }

  /** Each attempt is counted before it is sent, so that the row includes every attempt that the receiver has seen. */
  const begin = (endpoints: readonly WebhookEndpoint[], now: Date): readonly Begun[] => {
    if (!endpoints.some((endpoint) => listDue(endpoint, now).length > 0)) return []
    return store.transaction(() =>
      endpoints.flatMap((endpoint) =>
        listDue(endpoint, now).map((delivery) => ({
          endpoint,
          delivery: store.webhookDeliveries.begin(delivery, now),
        })),
      ),
    )
  }

  const send = async ({ endpoint, delivery }: Begun): Promise<void> => {
    const { id, eventId, body, attempts } = delivery
    const at = clock.now()
    const secrets = store.webhookEndpoints.listSecrets(endpoint.id, at)
    const sent = await sender.send({ url: endpoint.url, eventId, body, secrets, at })
    const { status, error } = sent
    log.info(
      { webhookId: endpoint.id, deliveryId: id, attempts, status, error },
      'a webhook delivery was tried',
    )
    while (state !== 'broken-off') {
      try {
        note(ctx, options, endpoint, delivery, sent)
        return
      } catch (fault) {
        // The disk cannot be written: until it can, the delivery is neither lost nor sent again.
        log.error({ deliveryId: id, ...describeError(fault) }, 'a webhook delivery could not be recorded')
      }
      if (state === 'stopping') return
      await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS))
    }
  }

  const launch = (begun: Begun): void => {
    const { id } = begun.endpoint
    inFlight.set(id, (inFlight.get(id) ?? 0) + 1)
    const task = send(begun)
      .catch((error: unknown) => {
        log.error(
          { deliveryId: begun.delivery.id, ...describeError(error) },
          'a webhook delivery was interrupted',
        )
      })
      .finally(() => {
        running.delete(task)
        inFlight.set(id, (inFlight.get(id) ?? 1) - 1)
        wake()
      })
    running.add(task)
  }

  const round = (): boolean => {
    const now = clock.now()
    const endpoints = store.webhookEndpoints.inUse(now)
    const isMore = endpoints.map((endpoint) => readLog(ctx, endpoint, now)).some((more) => more)
    for (const begun of begin(endpoints, now)) launch(begun)
    if (now.getTime() - purgedAt >= PURGE_MS) {
      purgedAt = now.getTime()
      store.webhookDeliveries.purge(new Date(purgedAt - KEEP_DELIVERED_MS))
    }
    return isMore
  }

  const look = (): void => {
    let isMore = false
    try {
      isMore = round()
    } catch (error) {
      log.error(describeError(error), 'webhook deliveries could not be checked')
    }
    // The round's own commits have also woken it, but they leave nothing to do.
    clearTimeout(timer)
    if (state === 'running') timer = setTimeout(look, isMore ? 0 : options.pollMs)
  }
  /** Never runs inside the caller's own work, so that many commits in a row cause one look. */
  const wake = (): void => {
    clearTimeout(timer)
    if (state === 'running') timer = setTimeout(look, 0)
  }
  wake()

  return {
    wake,
    stop: async () => {
      state = 'stopping'
      clearTimeout(timer)
      await Promise.race([
        Promise.all(running),
        new Promise((resolve) => setTimeout(resolve, options.stopMs).unref()),
      ])
      // An aborted delivery says nothing about its receiver: it stays begun, and `recover` finds it.
      state = 'broken-off'
      await sender.close()
      await Promise.all(running)
    },
  }
}

/**
 * Deliveries about identities that the application may not see, or may no longer see, wait: they are neither lost nor
 * sent.
 */
function warnOfHeld({ store, clock, log, findAudience }: WebhookContext): void {
  for (const endpoint of store.webhookEndpoints.inUse(clock.now())) {
    const held = store.webhookDeliveries.countHeld(endpoint.id, findAudience(endpoint))
    if (held === 0) continue
    const words =
      'webhook deliveries are held back: they are about identities that its application may not see (tenant.sharing)'
    log.warn({ webhookId: endpoint.id, deliveries: held }, words)
  }
  const unassigned = store.webhookEndpoints.unassigned()
  if (unassigned === 0) return
  const words =
    'webhooks of an older version belong to no application and receive nothing: assign them with npm run webhooks -- assign'
  log.warn({ webhooks: unassigned }, words)
}

/** Records the result of an attempt for the delivery and its endpoint, in one transaction. */
function note(
  { store, clock }: WebhookContext,
  { schedule, random }: WebhookOptions,
  { id: webhookId }: WebhookEndpoint,
  delivery: WebhookDelivery,
  sent: Sent,
): void {
  const now = clock.now()
  const later = (ms: number): Date => new Date(now.getTime() + ms)
  const { webhookDeliveries: deliveries, webhookEndpoints: endpoints, events } = store
  store.transaction(() => {
    if (sent.isDelivered) {
      deliveries.deliver(delivery, sent, now)
      return
    }
    if (sent.slowDownMs !== null) endpoints.slowDown(webhookId, later(sent.slowDownMs))
    if (sent.error === 'gone') {
      // The delivery, and everything after it, waits until the endpoint is enabled again or removed; nothing is lost.
      deliveries.retry(delivery, sent, now)
      if (endpoints.disable(webhookId, 'GONE')) events.append('webhook.disabled', null, { webhookId }, now)
      return
    }
    const pauseMs = scheduledPauseMs(schedule, delivery.tries, random())
    if (pauseMs !== null) {
      deliveries.retry(delivery, sent, later(Math.max(pauseMs, sent.slowDownMs ?? 0)))
    } else if (deliveries.park(delivery, sent)) {
      events.append('webhook.parked', null, { webhookId, deliveryId: delivery.id }, now)
    }
  })
}
