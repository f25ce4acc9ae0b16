/** Ours: who is told of what happens, and what was told. */
import { z } from 'zod'
import { WEBHOOK_EVENT_TYPES } from '../../webhooks/event-types.ts'
import { DateTime, Id, given } from './primitives.ts'
import type { Frozen } from './primitives.ts'

/** Long enough for any address, short enough for a row. */
const MAX_URL = 2_000
const MAX_OVERLAP_HOURS = 168
const DEFAULT_OVERLAP_HOURS = 24
const MAX_PAGE = 200
const DEFAULT_PAGE = 50

const EventType = z.enum(WEBHOOK_EVENT_TYPES)
const DeliveryState = z.enum(['PENDING', 'DELIVERED', 'PARKED'])

export const WebhookRequest = z
  .object({
    url: z
      .string()
      .max(MAX_URL)
      .describe('Where to send: https, a public address unless the appliance is configured otherwise')
      .meta({ examples: ['https://hooks.bank.example/counterproof'] }),
    events: given(z.array(EventType).min(1).max(WEBHOOK_EVENT_TYPES.length)).describe(
      'Types of events to be told of; all of them unless given',
    ),
  })
  .describe('A receiver of events')

export const WebhookRotation = z
  .object({
    overlapHours: given(z.number().min(0).max(MAX_OVERLAP_HOURS))
      .transform((hours) => hours ?? DEFAULT_OVERLAP_HOURS)
      .describe('How long the present secret signs beside the new one; 24 unless given, 0 to 168'),
  })
  .describe('How a secret is replaced')

export const Webhook = z
  .object({
    webhookId: Id,
    url: z.string().describe('Where it is sent to'),
    events: z.array(EventType).describe('Types of events it is told of'),
    creationDateTime: DateTime.describe('When it was registered'),
    pending: z.int().min(0).describe('Deliveries that wait'),
    parked: z.int().min(0).describe('Deliveries that failed for a day, to be sent again by hand'),
    previousSecretValidUntil: DateTime.optional().describe('Until then two secrets sign'),
    disabledBecause: z
      .enum(['GONE'])
      .optional()
      .describe('Nothing is sent and nothing is lost until it is enabled. GONE: it answered 410'),
    secret: z
      .string()
      .optional()
      .describe('Standard Webhooks secret, whsec_ and base64: shown when it is made and never again'),
  })
  .describe('A receiver of events and how it fares')

export const WebhookList = z
  .object({ webhooks: z.array(Webhook).describe('The oldest first') })
  .describe('Every receiver of the tenant')

export const WebhookDelivery = z
  .object({
    deliveryId: Id,
    eventId: z.string().describe('The `webhook-id`: the same at every try'),
    type: z.string().describe('Type of the event, or `webhook.test`'),
    identityId: z.string().optional().describe('Whom it is about; absent of a test'),
    state: DeliveryState.describe('PENDING, DELIVERED, PARKED: not tried again until you resend it'),
    attempts: z.int().min(0).describe('Tries so far'),
    creationDateTime: DateTime.describe('Since when it is to be delivered'),
    lastTryDateTime: DateTime.optional().describe('When it was tried last'),
    lastStatus: z.int().optional().describe('HTTP status of the last try, where there was an answer'),
    lastError: z
      .string()
      .optional()
      .describe(
        'Why the last try failed: status, gone, redirect, timeout, certificate, connection or address_refused',
      ),
    nextTryDateTime: DateTime.optional().describe(
      'When it is tried next at the earliest: after those about the same identity before it',
    ),
    deliveryDateTime: DateTime.optional().describe('When it was taken'),
  })
  .describe('One event for one receiver')

export const WebhookDeliveryList = z
  .object({
    deliveries: z.array(WebhookDelivery).describe('The newest first'),
    next: z.string().optional().describe('Give it as `after` for the next page; absent: there is none'),
  })
  .describe('A page of deliveries')

export const DeliveryPageQuery = z.object({
  state: given(DeliveryState),
  after: given(z.uuid()),
  limit: given(z.coerce.number().int().min(1).max(MAX_PAGE)).transform((limit) => limit ?? DEFAULT_PAGE),
})

export type WebhookRequest = Frozen<z.output<typeof WebhookRequest>>
export type Webhook = Frozen<z.infer<typeof Webhook>>
export type WebhookList = Frozen<z.infer<typeof WebhookList>>
export type WebhookDelivery = Frozen<z.infer<typeof WebhookDelivery>>
export type WebhookDeliveryList = Frozen<z.infer<typeof WebhookDeliveryList>>
export type DeliveryPageQuery = Frozen<z.output<typeof DeliveryPageQuery>>
