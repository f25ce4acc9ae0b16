/**
 * Where services outside say that something they were asked to do has ended. A signature stands in for a key; the body
 * is read as bytes, since the signature is over them. Nothing is answered but that it was taken.
 */
import { Router } from 'express'
import type { Request, Response } from 'express'
import { readBody } from '../api/body.ts'
import { limitCalls } from '../api/rate-limit.ts'
import { AppError } from '../errors.ts'
import type { Workflows } from '../workflows/index.ts'

/** A completion is some 150 bytes. */
const MOST_BODY_BYTES = 8 * 1024
/** One server for all its sessions; each of them ends once and is told of a few times at most. */
const CALLS_PER_MINUTE = 600

export function createCallbacks({
  workflows,
}: {
  workflows: Pick<Workflows, 'takeLivenessCallback' | 'takeAdjudicationAnswer'>
}): Router {
  const router = Router()
  const limit = limitCalls(
    60_000,
    () => ({ name: 'callback', limit: CALLS_PER_MINUTE }),
    (req) => req.socket.remoteAddress ?? '',
  )
  const takers = {
    '/biometrics': workflows.takeLivenessCallback,
    '/adjudication': workflows.takeAdjudicationAnswer,
  }
  for (const [path, take] of Object.entries(takers)) {
    router
      .route(path)
      .all(limit)
      .post(async (req: Request, res: Response) => {
        const body = Buffer.concat(await readBody(req, MOST_BODY_BYTES))
        const headers = {
          id: req.get('webhook-id'),
          timestamp: req.get('webhook-timestamp'),
          signature: req.get('webhook-signature'),
        }
        await take(headers, body)
        res.setHeader('Cache-Control', 'no-store').status(204).end()
      })
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
