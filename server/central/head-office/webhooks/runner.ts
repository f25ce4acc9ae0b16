/**
 * Sends due deliveries (claim.ts: which ones). A call after the commit of an event wakes the runner, and it knows when the
 * next try is due, so that an idle instance asks the database twice a minute.
 */
import { describeError, type Log } from '../../../log.ts'
import { SYSTEM, type Db } from '../../db/db.ts'
import type { Secrets } from '../deps.ts'
import type { HeadOfficeOptions } from '../options.ts'
import type { Sent } from '../../../outgoing/answer.ts'
import { pauseMs } from '../../../outgoing/back-off.ts'
import type { Sender } from '../../../outgoing/send.ts'
import { IS_PENDING, Places, type Claimed, type Outcome } from './claim.ts'
import { webhookSecretContext } from './secrets.ts'

export interface DeliveryRunner {
  /** Sends all due deliveries; resolves when all were tried. For tests and for the loop. */
  runOnce(): Promise<number>
  start(): void
  /** Claims nothing more and waits for the deliveries in progress. */
  stop(): Promise<void>
}

const LEASE_MARGIN_MS = 15_000
/** A delivery that becomes due while others are sent is found after this time. */
const AFTER_CLAIM_MS = 1_000
/** A receiver that needs longer shares the places of those that do not answer. */
const QUICK_MS = 2_000

/** The attempt number is the claim: a late instance whose claim was taken over changes nothing. */
const DONE = `
  UPDATE deliveries SET state = 'DELIVERED', sending_until = NULL, delivered_at = now(), last_status = $3, last_error = NULL
  WHERE id = $1 AND attempts = $2 AND ${IS_PENDING}`
const FAILED = `
  UPDATE deliveries SET sending_until = NULL, last_status = $3, last_error = $4,
    next_try_at = now() + $5 * interval '1 millisecond',
    state = CASE WHEN now() + $5 * interval '1 millisecond' > since + $6 * interval '1 millisecond'
      THEN 'PARKED' ELSE 'PENDING' END
  WHERE id = $1 AND attempts = $2 AND ${IS_PENDING} RETURNING state`

export function createDeliveryRunner(deps: {
  readonly db: Db
  readonly log: Log
  readonly secrets: Secrets
  readonly sender: Sender
  readonly options: HeadOfficeOptions['webhooks']
}): DeliveryRunner {
  const { db, log, secrets, sender, options } = deps
  const places = new Places(options.concurrency)
  const running = new Set<Promise<void>>()
  let isStopped = false
  let wake: () => void = () => undefined

  const send = async (claimed: Claimed): Promise<boolean> => {
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
    return sent.isDelivered
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
    places.take(claimed)
    const begunAt = performance.now()
    const task = send(claimed)
      .catch((error: unknown) => {
        // The claim lasts until the lease ends, and the delivery is tried again.
        log.error(describeError(error), 'a webhook delivery could not be recorded')
        return false
      })
      .then((isDelivered) => {
        const taken: Outcome = performance.now() - begunAt < QUICK_MS ? 'quick' : 'slow'
        places.giveBack(claimed, isDelivered ? taken : 'failed')
        running.delete(task)
        wake()
      })
    running.add(task)
  }

  /** @returns whether deliveries were begun, and after how long to look again */
  const round = async (): Promise<{ count: number; pauseMs: number }> => {
    if (isStopped || places.free <= 0) return { count: 0, pauseMs: options.pollMs }
    const { claimed, nextMs } = await places.claim(db, options.timeoutMs + LEASE_MARGIN_MS)
    for (const delivery of claimed) begin(delivery)
    const pauseMs = claimed.length > 0 ? AFTER_CLAIM_MS : (nextMs ?? options.pollMs)
    return { count: claimed.length, pauseMs: Math.min(pauseMs, options.pollMs) }
  }

  const loop = async (): Promise<void> => {
    while (!isStopped) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      let pauseMs = options.pollMs
      try {
        ;({ pauseMs } = await round())
      } catch (error) {
        log.warn(describeError(error), 'webhook deliveries could not be claimed')
      }
      if (isStopped) return
      const timer = setTimeout(wake, pauseMs).unref()
      await woken
      clearTimeout(timer)
    }
  }
  let looping: Promise<void> = Promise.resolve()

  return {
    runOnce: async () => {
      let count = 0
      for (;;) {
        const begun = await round()
        if (begun.count === 0 && running.size === 0) return count
        count += begun.count
        await Promise.race([...running])
      }
    },
    start: () => {
      db.onWork('deliveries', () => {
        wake()
        return !isStopped && places.free > 0
      })
      looping = loop()
    },
    stop: async () => {
      isStopped = true
      wake()
      await looping
      await Promise.all([...running])
      await sender.close()
    },
  }
}
