/** The operator's actions on parked webhook deliveries. */
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { changeParked, listParked, type Change } from '../head-office/webhooks/parked.ts'
import type { CentralContext } from '../context.ts'
import { act, action, tenantId, type Operator } from './action.ts'

const choice = z
  .strictObject({
    deliveryId: z.uuid().optional(),
    webhookId: z.uuid().optional(),
    tenantId: tenantId.optional(),
  })
  .refine((order) => [order.deliveryId, order.webhookId, order.tenantId].filter(Boolean).length === 1, {
    message: 'give exactly one of deliveryId, webhookId, tenantId',
  })

async function change(
  { db }: CentralContext,
  chosen: z.output<typeof choice>,
  how: Change,
  { note }: Operator,
): Promise<number> {
  const { deliveryId = null, webhookId = null, tenantId: tenant = null } = chosen
  const order = { deliveryId, webhookId, tenantId: tenant }
  const count = await changeParked(db, order, how, (queries, its, number) =>
    note(queries, its, { subject: deliveryId ?? webhookId ?? String(number) }),
  )
  if (count === 0 && tenant === null) throw new AppError('not_found', { kind: 'delivery' })
  return count
}

export const DELIVERY_ACTIONS = {
  listDeliveries: action(
    z.strictObject({ tenantId: tenantId.optional(), after: z.uuid().optional() }),
    async ({ db }, { tenantId: tenant, after }) => ({
      deliveries: await listParked(db, { tenantId: tenant ?? null, after: after ?? null }),
    }),
  ),
  retryDeliveries: act(choice, async (ctx, order, operator) => ({
    retried: await change(ctx, order, 'retry', operator),
  })),
  dropDeliveries: act(choice, async (ctx, order, operator) => ({
    dropped: await change(ctx, order, 'drop', operator),
  })),
}
