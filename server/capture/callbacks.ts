/**
 * Receives the callbacks of external services that have completed a request. A signature replaces the key; the body is read
 * as bytes, because the signature covers them. The answer confirms the receipt and contains nothing else.
 */
import { Router } from 'express'
import type { Request, Response } from 'express'
import { readBody } from '../http/body.ts'
import { limitFailures } from '../http/limits.ts'
import { accountUploads, type UploadBudget } from '../http/upload-budget.ts'
import { AppError } from '../errors.ts'
import type { Workflows } from '../workflows/index.ts'

/** A usual callback has about 150 bytes. */
const MAX_BODY_BYTES = 8 * 1024
/** Refused callbacks of one address; a legitimate service causes a few after a change of its secret. */
const REFUSALS_PER_MINUTE = 600

export function createCallbacks({
  workflows,
  uploads,
}: {
  workflows: Pick<Workflows, 'takeLivenessCallback' | 'takeAdjudicationAnswer' | 'takeCallReport'>
  uploads: UploadBudget
}): Router {
  const router = Router()
  const limited = limitFailures(60_000, { name: 'callback', limit: REFUSALS_PER_MINUTE })
  router.use(accountUploads(uploads, () => null))
  const takers = {
    '/biometrics': workflows.takeLivenessCallback,
    '/adjudication': workflows.takeAdjudicationAnswer,
    '/voice': workflows.takeCallReport,
  }
  for (const [path, take] of Object.entries(takers)) {
    router
      .route(path)
      .post(
        limited(async (req: Request, res: Response) => {
          const body = await readBody(req, MAX_BODY_BYTES)
          const headers = {
            id: req.get('webhook-id'),
            timestamp: req.get('webhook-timestamp'),
            signature: req.get('webhook-signature'),
          }
          await take(headers, body)
          res.setHeader('Cache-Control', 'no-store').status(204).end()
        }),
      )
      .all((_req, res) => {
        res.setHeader('Allow', 'POST')
        throw new AppError('method_not_allowed')
      })
  }
  router.use(() => {
    throw new AppError('not_found')
  })
  return router
}
