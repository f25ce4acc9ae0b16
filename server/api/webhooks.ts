/** /v1/webhooks: endpoints that receive events, and their deliveries. */
import { sendJson, sendNothing } from './answer.ts'
import { readJson } from '../http/body.ts'
import { DeliveryPageQuery, WebhookRequest, WebhookRotation } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

type Operations =
  | 'registerWebhook'
  | 'listWebhooks'
  | 'getWebhook'
  | 'removeWebhook'
  | 'rotateWebhookSecret'
  | 'enableWebhook'
  | 'testWebhook'
  | 'listWebhookDeliveries'
  | 'resendWebhookDelivery'

export function webhookHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  return {
    async registerWebhook(req, res) {
      const request = parse(WebhookRequest, await readJson(req, config.uploadLimits.jsonBytes))
      sendJson(res, 'Webhook', await workflows.registerWebhook(buildCaller(req, res), request))
    },

    async listWebhooks(req, res) {
      sendJson(res, 'WebhookList', await workflows.listWebhooks(buildCaller(req, res)))
    },

    async getWebhook(req, res) {
      sendJson(res, 'Webhook', await workflows.getWebhook(buildCaller(req, res), idParam(req, 'webhookId')))
    },

    async removeWebhook(req, res) {
      await workflows.removeWebhook(buildCaller(req, res), idParam(req, 'webhookId'))
      sendNothing(res)
    },

    async rotateWebhookSecret(req, res) {
      const webhookId = idParam(req, 'webhookId')
      const body = await readJson(req, config.uploadLimits.jsonBytes)
      const { overlapHours } = parse(WebhookRotation, body)
      const caller = buildCaller(req, res)
      sendJson(res, 'Webhook', await workflows.rotateWebhookSecret(caller, webhookId, overlapHours))
    },

    async enableWebhook(req, res) {
      sendJson(
        res,
        'Webhook',
        await workflows.enableWebhook(buildCaller(req, res), idParam(req, 'webhookId')),
      )
    },

    async testWebhook(req, res) {
      const webhookId = idParam(req, 'webhookId')
      sendJson(res, 'WebhookDelivery', await workflows.testWebhook(buildCaller(req, res), webhookId))
    },

    async listWebhookDeliveries(req, res) {
      const query = parse(DeliveryPageQuery, req.query)
      const webhookId = idParam(req, 'webhookId')
      const page = await workflows.listWebhookDeliveries(buildCaller(req, res), webhookId, query)
      sendJson(res, 'WebhookDeliveryList', page)
    },

    async resendWebhookDelivery(req, res) {
      const ids = [idParam(req, 'webhookId'), idParam(req, 'deliveryId')] as const
      sendJson(res, 'WebhookDelivery', await workflows.resendWebhookDelivery(buildCaller(req, res), ...ids))
    },
  }
}
