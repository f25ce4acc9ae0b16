/**
 * The health of this instance, for load balancers, orchestrators and operators. It contains nothing about proofs or kiosks.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import { PRODUCT_VERSION } from '../version.ts'
import type { CentralContext } from './context.ts'
import { SYSTEM } from './db/db.ts'

/** Answers 200 while the process can answer at all, also without its database: a restart does not bring the database back. */
export const LIVENESS_PATH = '/healthcheck/live'

export function isLivenessCall({ method, url }: IncomingMessage): boolean {
  return url === LIVENESS_PATH && (method === 'GET' || method === 'HEAD')
}

export function answerLiveness(res: ServerResponse): void {
  res
    .writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify({ status: 'UP', version: PRODUCT_VERSION }))
}

/**
 * Whether the instance takes requests. While it leaves it still serves them, so that none is lost until every proxy knows. A
 * storage that does not answer is named and takes no instance out of the load balancer: all instances share it, and the
 * fleet page, alarms and the status of kiosks need only the database.
 */
export function healthcheck(ctx: CentralContext, isLeaving: () => boolean) {
  return async (_req: Request, res: Response): Promise<void> => {
    const database = await ctx.db.query(SYSTEM, 'SELECT 1').then(
      () => 'UP' as const,
      () => 'DOWN' as const,
    )
    const status = database === 'UP' && !isLeaving() ? 'UP' : 'DOWN'
    const { isOutside, calls } = ctx.storage
    const storage = isOutside ? { storage: { status: calls.readState() } } : {}
    res
      .status(status === 'UP' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status, version: PRODUCT_VERSION, components: { database: { status: database }, ...storage } })
  }
}
