/** Webhooks and their deliveries. */
import { BACK_END, type Parameter, type Route } from '../route.ts'

const DELIVERY_STATE: Parameter = {
  name: 'state',
  in: 'query',
  required: false,
  type: 'string',
  values: ['PENDING', 'DELIVERED', 'PARKED'],
  description: 'Only deliveries in this state.',
}

const DELIVERIES_AFTER: Parameter = {
  name: 'after',
  in: 'query',
  required: false,
  type: 'string',
  description: '`next` of the previous page.',
}

const DELIVERIES_LIMIT: Parameter = {
  name: 'limit',
  in: 'query',
  required: false,
  type: 'string',
  description: 'Number of deliveries on a page, 1 to 200 (default: 50).',
}

export const WEBHOOKS = {
  registerWebhook: {
    method: 'post',
    path: '/v1/webhooks',
    access: BACK_END,
    summary: 'Register an endpoint for events',
    body: { kind: 'json', schema: 'WebhookRequest' },
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [413],
  },
  listWebhooks: {
    method: 'get',
    path: '/v1/webhooks',
    access: BACK_END,
    summary: 'The endpoints of your application',
    answer: { kind: 'json', schema: 'WebhookList' },
  },
  getWebhook: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}',
    access: BACK_END,
    summary: 'One endpoint with the state of its deliveries',
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [404],
  },
  removeWebhook: {
    method: 'delete',
    path: '/v1/webhooks/{webhookId}',
    access: BACK_END,
    summary: 'Remove an endpoint',
    answer: { kind: 'none' },
    failures: [404],
  },
  rotateWebhookSecret: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/secret',
    access: BACK_END,
    summary: 'Replace the secret of an endpoint; both secrets are valid for a limited time',
    body: { kind: 'json', schema: 'WebhookRotation' },
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [404, 413],
  },
  enableWebhook: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/enable',
    access: BACK_END,
    summary: 'Enable an endpoint that was disabled',
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [404],
  },
  testWebhook: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/test',
    access: BACK_END,
    summary: 'Send a test message to an endpoint',
    answer: { kind: 'json', schema: 'WebhookDelivery' },
    failures: [404],
  },
  listWebhookDeliveries: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}/deliveries',
    access: BACK_END,
    summary: 'The deliveries to an endpoint with their tries and outcomes',
    parameters: [DELIVERY_STATE, DELIVERIES_AFTER, DELIVERIES_LIMIT],
    answer: { kind: 'json', schema: 'WebhookDeliveryList' },
    failures: [404],
  },
  resendWebhookDelivery: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend',
    access: BACK_END,
    summary: 'Send one delivery again, with all retries',
    answer: { kind: 'json', schema: 'WebhookDelivery' },
    failures: [404],
  },
} as const satisfies Record<string, Route>
