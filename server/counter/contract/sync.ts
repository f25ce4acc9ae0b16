/**
 * Unsent proofs, the connection to the head office, and webhook deliveries.
 * GET  sync                                     → SyncView          POST sync/try-now → SyncView (sync:act)
 * POST sync/join JoinBody                       → JoinAnswer (sync:join, with a fresh second factor)
 * GET  sync/items?after                         → OutboxPage        POST sync/items/{sequence}/send-again → OutboxItem
 * GET  webhooks                                 → { webhooks: WebhookView[] }
 * GET  webhooks/{webhookId}/deliveries?state&after                  → DeliveryPage
 * POST webhooks/{webhookId}/deliveries/{deliveryId}/send-again      → DeliveryView
 * POST webhooks/{webhookId}/enable              → WebhookView       POST webhooks/{webhookId}/test → DeliveryView
 */
import type { JoinRefusal } from '../../workflows/health/sync-state.ts'
import { z } from 'zod'
import type { FreezeReason } from '../../proofing/freeze.ts'

export const JoinBody = z.strictObject({
  /** URL of the central service. */
  url: z.string().trim().min(1).max(200),
  /** As typed. */
  code: z.string().trim().min(1).max(100),
})
export type JoinBody = z.infer<typeof JoinBody>

export type JoinAnswer =
  | {
      readonly state: 'JOINED'
      readonly centreId: string
      readonly tenantId: string
      /**
       * Fingerprint of the certificate authority that the head office sent, compared with the second half of
       * the code.
       */
      readonly fingerprint: string
      /** Number of earlier proofs that are sent now. */
      readonly queued: number
    }
  | { readonly state: 'REFUSED'; readonly reason: JoinRefusal }

export interface SyncView {
  /** ALONE: no central service was joined; proofs are fetched. BY_HAND: packets travel on a USB stick. */
  readonly line: 'ALONE' | 'BY_HAND' | 'LINE'
  /** Null: there is no connection. HTTP is accepted on this machine, or if an operator allowed it. */
  readonly transport: 'HTTPS' | 'HTTP' | null
  /** NOT_SET_UP: there is no head office, and nothing has been delivered. */
  readonly state: 'WELL' | 'WAITING' | 'TROUBLE' | 'NOT_SET_UP'
  /** Distinguishes the causes, so that staff do not check a cable when a key was refused. */
  readonly trouble: 'NO_NETWORK' | 'REFUSED_KEY' | 'REFUSED_DATA' | 'TEST_PROOF' | 'CENTRE_TROUBLE' | null
  readonly since: string | null
  readonly waiting: number
  readonly refused: number
  readonly oldestSince: string | null
  readonly lastSuccess: string | null
  readonly nextTry: string | null
  /** The numbers have no gap, and every row is unchanged. */
  readonly gapFree: boolean
  readonly freeze: readonly FreezeRule[]
}

/** A limit that will stop new proofings. */
export interface FreezeRule {
  readonly reason: FreezeReason
  readonly inForce: boolean
  /** False: the count is unknown, so the limit may be reached without a warning. */
  readonly isKnown: boolean
  /** Null: nothing to count. */
  readonly now: number | null
  readonly limit: number | null
  /** Distance to the limit, in its unit. */
  readonly left: number | null
  readonly unit: 'PROOFS' | 'HOURS' | 'MEGABYTES' | 'MINUTES' | null
}

export interface OutboxItem {
  readonly sequence: number
  /** The reference of the visit, if there is one. */
  readonly reference: string | null
  readonly state: 'QUEUED' | 'PACKED' | 'REFUSED' | 'ACKNOWLEDGED' | 'WITHDRAWN' | 'LOST'
  readonly sealedAt: string
  readonly attempts: number
  readonly nextTry: string | null
  /** Code of the last failure. */
  readonly lastError: string | null
  readonly trouble: SyncView['trouble']
  readonly bytes: number | null
}
export interface OutboxPage {
  readonly items: readonly OutboxItem[]
  readonly next: number | null
}
export const OutboxQuery = z.strictObject({
  /** `all`: includes delivered ones. */
  show: z.enum(['waiting', 'all']).default('waiting'),
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(25),
})
export type OutboxQuery = z.input<typeof OutboxQuery>

export interface WebhookView {
  readonly webhookId: string
  /** Only the host: a path may contain a secret of the receiver. */
  readonly host: string
  readonly events: readonly string[]
  readonly health: 'WELL' | 'WAITING' | 'SWITCHED_OFF' | 'PARKED'
  readonly disabledBecause: string | null
  readonly pending: number
  readonly parked: number
  readonly createdAt: string
}
export interface DeliveryView {
  readonly deliveryId: string
  readonly type: string
  readonly state: 'PENDING' | 'DELIVERED' | 'PARKED'
  readonly attempts: number
  readonly createdAt: string
  readonly lastTriedAt: string | null
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly nextTry: string | null
  readonly deliveredAt: string | null
}
export interface DeliveryPage {
  readonly deliveries: readonly DeliveryView[]
  readonly next: string | null
}
export const DeliveriesQuery = z.strictObject({
  state: z.enum(['PENDING', 'DELIVERED', 'PARKED']).optional(),
  after: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
})
export type DeliveriesQuery = z.input<typeof DeliveriesQuery>
