/** The webhooks of an application, as the API calls them. */
import type { Context } from '../../context.ts'
import type { Caller } from '../../proofing/types.ts'
import { markDone } from '../identity/record-call.ts'
import * as manage from './manage-webhooks.ts'

/**
 * Runs the work once under a repeat key. Its answer is not stored for repetition, because it may hold a secret.
 */
async function runOnce<T>(ctx: Context, caller: Caller, work: (asking: manage.Asking) => T): Promise<T> {
  const done = ctx.store.transaction(() => {
    markDone(ctx, caller)
    return work(manage.toAsking(ctx, caller))
  })
  ctx.wakeWebhooks()
  return done
}

export async function registerWebhook(
  ctx: Context,
  caller: Caller,
  input: Parameters<typeof manage.registerWebhook>[2],
) {
  return runOnce(ctx, caller, (asking) =>
    manage.registerWebhook(ctx, { ...asking, applicationId: caller.applicationId }, input),
  )
}

export async function listWebhooks(ctx: Context, caller: Caller) {
  return { webhooks: manage.listWebhooks(ctx, manage.toAsking(ctx, caller)) }
}

export async function getWebhook(ctx: Context, caller: Caller, id: string) {
  return manage.toWebhookView(ctx, manage.getEndpoint(ctx, manage.toAsking(ctx, caller), id))
}

export async function removeWebhook(ctx: Context, caller: Caller, id: string) {
  return runOnce(ctx, caller, (asking) => manage.removeWebhook(ctx, asking, id))
}

export async function rotateWebhookSecret(ctx: Context, caller: Caller, id: string, overlapHours: number) {
  return runOnce(ctx, caller, (asking) => manage.rotateWebhookSecret(ctx, asking, id, overlapHours))
}

export async function enableWebhook(ctx: Context, caller: Caller, id: string) {
  return runOnce(ctx, caller, (asking) => manage.enableWebhook(ctx, asking, id))
}

export async function testWebhook(ctx: Context, caller: Caller, id: string) {
  return runOnce(ctx, caller, (asking) => manage.testWebhook(ctx, asking, id))
}

export async function listWebhookDeliveries(
  ctx: Context,
  caller: Caller,
  id: string,
  query: manage.DeliveryQuery,
) {
  return manage.listDeliveries(ctx, manage.toAsking(ctx, caller), id, query)
}

export async function resendWebhookDelivery(ctx: Context, caller: Caller, id: string, deliveryId: string) {
  return runOnce(ctx, caller, (asking) => manage.resendDelivery(ctx, asking, id, deliveryId))
}
