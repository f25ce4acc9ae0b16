/**
 * Where services outside say that something they were asked to do has ended. A signature stands in for a key; the body
 * is read as bytes, since the signature is over them. Nothing is answered but that it was taken.
 */
import { Router } from 'express'
import type { Request, Response } from 'express'
import { readBody } from '../http/body.ts'
import { limitFailures } from '../http/limits.ts'
import { accountUploads, type UploadBudget } from '../http/upload-budget.ts'
import { AppError } from '../errors.ts'
import type { Workflows } from '../workflows/index.ts'

/** A completion is some 150 bytes. */
const MAX_BODY_BYTES = 8 * 1024
/** Refused callbacks of an address: a service that knows its secret has a few, after a change of the secret. */
const REFUSALS_PER_MINUTE = 600

export function createCallbacks({
  workflows,
  uploads,
}: {
  workflows: Pick<Workflows, 'takeLivenessCallback' | 'takeAdjudicationAnswer'>
  uploads: UploadBudget
}): Router {
  const router = Router()
  const limited = limitFailures(60_000, { name: 'callback', limit: REFUSALS_PER_MINUTE })
  router.use(accountUploads(uploads, () => null))
  const takers = {
    '/biometrics': workflows.takeLivenessCallback,
    '/adjudication': workflows.takeAdjudicationAnswer,
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
