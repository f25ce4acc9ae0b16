/** Ours: the endpoints that are told of events, and the deliveries to them. */
import { z } from 'zod'
import { WEBHOOK_EVENT_TYPES } from '../../webhooks/event-types.ts'
import { DateTime, Id, toOptionalField } from './primitives.ts'
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
      .describe('Address of the endpoint: https and public, unless the appliance is configured otherwise')
      .meta({ examples: ['https://hooks.bank.example/counterproof'] }),
    events: toOptionalField(z.array(EventType).min(1).max(WEBHOOK_EVENT_TYPES.length)).describe(
      'Event types to send (default: all)',
    ),
  })
  .describe('An endpoint to register')

export const WebhookRotation = z
  .object({
    overlapHours: toOptionalField(z.number().min(0).max(MAX_OVERLAP_HOURS))
      .transform((hours) => hours ?? DEFAULT_OVERLAP_HOURS)
      .describe('Hours in which the present secret also signs, 0 to 168 (default: 24)'),
  })
  .describe('Replacement of a secret')

export const Webhook = z
  .object({
    webhookId: Id,
    url: z.string().describe('Address of the endpoint'),
    events: z.array(EventType).describe('Event types that are sent'),
    creationDateTime: DateTime.describe('Time of the registration'),
    pending: z.int().min(0).describe('Number of waiting deliveries'),
    parked: z
      .int()
      .min(0)
      .describe('Number of deliveries that failed for a day and must be resent by an operator'),
    previousSecretValidUntil: DateTime.optional().describe('Time until which two secrets sign'),
    disabledBecause: z
      .enum(['GONE'])
      .optional()
      .describe(
        'Reason why the endpoint is disabled; events wait until it is enabled. GONE: it answered 410',
      ),
    secret: z
      .string()
      .optional()
      .describe('Standard Webhooks secret (whsec_ and base64); shown only when it is created'),
  })
  .describe('An endpoint with the state of its deliveries')

export const WebhookList = z
  .object({ webhooks: z.array(Webhook).describe('Endpoints, oldest first') })
  .describe('The endpoints of the caller')

export const WebhookDelivery = z
  .object({
    deliveryId: Id,
    eventId: z.string().describe('The `webhook-id`, equal in every try'),
    type: z.string().describe('Type of the event, or `webhook.test`'),
    identityId: z.string().optional().describe('Id of the identity; absent for a test'),
    state: DeliveryState.describe('PENDING, DELIVERED, or PARKED: not tried again until you resend it'),
    attempts: z.int().min(0).describe('Number of tries'),
    creationDateTime: DateTime.describe('Time from which it is due'),
    lastTryDateTime: DateTime.optional().describe('Time of the last try'),
    lastStatus: z.int().optional().describe('HTTP status of the last try, if there was an answer'),
    lastError: z
      .string()
      .optional()
      .describe(
        'Reason of the last failure: status, gone, redirect, timeout, certificate, connection or address_refused',
      ),
    nextTryDateTime: DateTime.optional().describe(
      'Earliest time of the next try; earlier deliveries about the same identity come first',
    ),
    deliveryDateTime: DateTime.optional().describe('Time of the delivery'),
  })
  .describe('An event for an endpoint')

export const WebhookDeliveryList = z
  .object({
    deliveries: z.array(WebhookDelivery).describe('Deliveries, newest first'),
    next: z.string().optional().describe('Value of `after` for the next page; absent on the last page'),
  })
  .describe('A page of deliveries')

export const DeliveryPageQuery = z.object({
  state: toOptionalField(DeliveryState),
  after: toOptionalField(z.uuid()),
  limit: toOptionalField(z.coerce.number().int().min(1).max(MAX_PAGE)).transform(
    (limit) => limit ?? DEFAULT_PAGE,
  ),
})

export type WebhookRequest = Frozen<z.output<typeof WebhookRequest>>
export type Webhook = Frozen<z.infer<typeof Webhook>>
export type WebhookList = Frozen<z.infer<typeof WebhookList>>
export type WebhookDelivery = Frozen<z.infer<typeof WebhookDelivery>>
export type WebhookDeliveryList = Frozen<z.infer<typeof WebhookDeliveryList>>
export type DeliveryPageQuery = Frozen<z.output<typeof DeliveryPageQuery>>
