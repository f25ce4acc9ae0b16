/**
 * Sends due deliveries. Instances share the work only through PostgreSQL: a delivery is claimed with SKIP
 * LOCKED and leased for longer than a try can take; if the instance dies, another one takes it afterwards.
 */
import { describeError, type Log } from '../../../log.ts'
import { SYSTEM, type Db } from '../../db/db.ts'
import type { Secrets } from '../deps.ts'
import type { HeadOfficeOptions } from '../options.ts'
import type { Sent } from '../../../outgoing/answer.ts'
import { pauseMs } from '../../../outgoing/back-off.ts'
import type { Sender } from '../../../outgoing/send.ts'
import { webhookSecretContext } from './secrets.ts'

export interface DeliveryRunner {
  /** Sends all due deliveries; resolves when all were tried. For tests and for the loop. */
  runOnce(): Promise<number>
  start(): void
  /** Claims nothing more and waits for the deliveries in progress. */
  stop(): Promise<void>
}

interface Claimed {
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly body: string
  readonly attempts: number
  readonly url: string
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
}

/** Parallel deliveries per webhook and instance: a slow receiver must not delay the others. */
const PER_WEBHOOK = 4
const LEASE_MARGIN_MS = 15_000
/** How long deliveries stay listed. */
const KEEP_DELIVERED = '30 days'
const PURGE_MS = 3_600_000

const CLAIM = `
  UPDATE deliveries d SET attempts = d.attempts + 1, sending_until = now() + $1 * interval '1 millisecond'
  FROM webhooks w
  WHERE w.id = d.webhook_id AND d.id IN (
    SELECT due.id FROM webhooks busy CROSS JOIN LATERAL (
      SELECT id FROM deliveries
      WHERE webhook_id = busy.id AND state = 'PENDING' AND next_try_at <= now()
        AND (sending_until IS NULL OR sending_until <= now())
      ORDER BY next_try_at LIMIT ${PER_WEBHOOK} FOR UPDATE SKIP LOCKED
    ) due
    WHERE NOT busy.id = ANY ($2::uuid[]) LIMIT $3
  )
  RETURNING d.id, d.webhook_id, d.event_id, d.body, d.attempts, w.url, w.secret,
    CASE WHEN w.previous_valid_until > now() THEN w.previous_secret END AS previous_secret`

/** The attempt number is the claim: a late instance whose claim was taken over changes nothing. */
const DONE = `
  UPDATE deliveries SET state = 'DELIVERED', sending_until = NULL, delivered_at = now(), last_status = $3, last_error = NULL
  WHERE id = $1 AND attempts = $2 AND state = 'PENDING'`
const FAILED = `
  UPDATE deliveries SET sending_until = NULL, last_status = $3, last_error = $4,
    next_try_at = now() + $5 * interval '1 millisecond',
    state = CASE WHEN now() + $5 * interval '1 millisecond' > since + $6 * interval '1 millisecond'
      THEN 'PARKED' ELSE 'PENDING' END
  WHERE id = $1 AND attempts = $2 AND state = 'PENDING' RETURNING state`

export function createDeliveryRunner(deps: {
  readonly db: Db
  readonly log: Log
  readonly secrets: Secrets
  readonly sender: Sender
  readonly options: HeadOfficeOptions['webhooks']
}): DeliveryRunner {
  const { db, log, secrets, sender, options } = deps
  const inFlight = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let purgedAt = 0

  const claim = async (): Promise<readonly Claimed[]> => {
    const free = options.concurrency - running.size
    if (free <= 0) return []
    const full = [...inFlight].filter(([, count]) => count >= PER_WEBHOOK).map(([id]) => id)
    return db.query<Claimed>(SYSTEM, CLAIM, [options.timeoutMs + LEASE_MARGIN_MS, full, free])
  }

  const send = async (claimed: Claimed): Promise<void> => {
    const { id, event_id: eventId, webhook_id: webhookId, attempts, url, body } = claimed
    const context = webhookSecretContext(webhookId)
    const signing = [claimed.secret, claimed.previous_secret].flatMap((sealed) =>
      sealed ? [Buffer.from(secrets.open(context, sealed)).toString('utf8')] : [],
    )
    const sent = await sender.send({ url, eventId, body, secrets: signing })
    await note(id, attempts, sent)
    log.info(
      { deliveryId: id, webhookId, attempts, status: sent.status, error: sent.error },
      'a webhook delivery was tried',
    )
  }

  const note = async (id: string, attempts: number, sent: Sent): Promise<void> => {
    const { isDelivered, status, error, slowDownMs } = sent
    if (isDelivered) {
      await db.query(SYSTEM, DONE, [id, attempts, status])
      return
    }
    const pause = Math.max(pauseMs(attempts, options, Math.random()), slowDownMs ?? 0)
    // A receiver that answers 410 wants no more deliveries: park them immediately for an operator.
    const giveUpAfterMs = error === 'gone' ? 0 : options.giveUpAfterHours * 3_600_000
    await db.query(SYSTEM, FAILED, [id, attempts, status, error, pause, giveUpAfterMs])
  }

  const begin = (claimed: Claimed): void => {
    const { webhook_id: webhookId } = claimed
    inFlight.set(webhookId, (inFlight.get(webhookId) ?? 0) + 1)
    const task = send(claimed)
      // If the result cannot be stored, the claim lasts until the lease ends, and the delivery is tried
      // again.
      .catch((error: unknown) => log.error(describeError(error), 'a webhook delivery could not be recorded'))
      .finally(() => {
        running.delete(task)
        const left = (inFlight.get(webhookId) ?? 1) - 1
        if (left > 0) inFlight.set(webhookId, left)
        else inFlight.delete(webhookId)
      })
    running.add(task)
  }

  const round = async (): Promise<number> => {
    const claimed = isStopped ? [] : await claim()
    for (const delivery of claimed) begin(delivery)
    return claimed.length
  }

  const purge = async (): Promise<void> => {
    if (Date.now() - purgedAt < PURGE_MS) return
    purgedAt = Date.now()
    await db.query(
      SYSTEM,
      `DELETE FROM deliveries WHERE state = 'DELIVERED' AND delivered_at < now() - interval '${KEEP_DELIVERED}'`,
    )
  }

  const loop = async (): Promise<void> => {
    try {
      // While more are due, the next claim follows as soon as a place is free.
      while ((await round()) > 0) if (running.size > 0) await Promise.race([...running])
      await purge()
    } catch (error) {
      log.warn(describeError(error), 'webhook deliveries could not be claimed')
    }
    if (!isStopped) timer = setTimeout(() => void (looping = loop()), options.pollMs).unref()
  }
  let looping: Promise<void> = Promise.resolve()

  return {
    runOnce: async () => {
      let count = 0
      for (;;) {
        const claimed = await round()
        if (claimed === 0 && running.size === 0) return count
        count += claimed
        await Promise.all([...running])
      }
    },
    start: () => {
      looping = loop()
    },
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await looping
      await Promise.all([...running])
      await sender.close()
    },
  }
}
