/**
 * The health of this instance, for load balancers and operators. It contains nothing about proofs or kiosks.
 */
import type { Request, Response } from 'express'
import { PRODUCT_VERSION } from '../version.ts'
import type { CentralContext } from './context.ts'
import { SYSTEM } from './db/db.ts'

export function healthcheck(ctx: CentralContext, isDraining: () => boolean) {
  return async (_req: Request, res: Response): Promise<void> => {
    const database = await ctx.db.query(SYSTEM, 'SELECT 1').then(
      () => 'UP' as const,
      () => 'DOWN' as const,
    )
    const status = database === 'UP' && !isDraining() ? 'UP' : 'DOWN'
    res
      .status(status === 'UP' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status, version: PRODUCT_VERSION, components: { database: { status: database } } })
  }
}
