/** The operator's actions on parked webhook deliveries. */
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { noteOperatorAccess } from '../head-office/access-log.ts'
import { changeParked, listParked, type Change } from '../head-office/webhooks/parked.ts'
import type { CentralContext } from '../context.ts'
import { action, name, tenantId } from './action.ts'

const choice = z
  .strictObject({
    deliveryId: z.uuid().optional(),
    webhookId: z.uuid().optional(),
    tenantId: tenantId.optional(),
    by: name,
  })
  .refine((order) => [order.deliveryId, order.webhookId, order.tenantId].filter(Boolean).length === 1, {
    message: 'give exactly one of deliveryId, webhookId, tenantId',
  })

async function change(
  { db, clock }: CentralContext,
  { by, ...chosen }: z.output<typeof choice>,
  how: Change,
): Promise<number> {
  const { deliveryId = null, webhookId = null, tenantId: tenant = null } = chosen
  const order = { deliveryId, webhookId, tenantId: tenant }
  const act = how === 'retry' ? 'retryDeliveries' : 'dropDeliveries'
  const count = await changeParked(db, order, how, (queries, its, number) =>
    noteOperatorAccess(queries, its, by, act, deliveryId ?? webhookId ?? String(number), clock.now()),
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
  retryDeliveries: action(choice, async (ctx, order) => ({ retried: await change(ctx, order, 'retry') })),
  dropDeliveries: action(choice, async (ctx, order) => ({ dropped: await change(ctx, order, 'drop') })),
}
