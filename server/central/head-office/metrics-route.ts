/**
 * GET /metrics, for callers that have the token. Without a configured token the path does not exist, because
 * neither the address of a connection nor its Host header distinguishes this machine from a proxy on it.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request, Router } from 'express'
import { AppError } from '../../errors.ts'
import { readBearerKey } from './guard.ts'
import { setApiHeaders, type HeadOfficeHttp } from './http.ts'
import type { Metrics } from './metrics.ts'

export function mountMetrics(
  router: Router,
  http: HeadOfficeHttp,
  metrics: Metrics,
  token: string | null,
): void {
  if (token === null) return
  router.get(
    '/metrics',
    http.run('metrics', async (req, res) => {
      setApiHeaders(res)
      if (!bearerIs(req, token)) throw new AppError('unauthorized')
      const { contentType, text } = await metrics.read()
      res.setHeader('Content-Type', contentType)
      res.end(text)
    }),
  )
}

function bearerIs(req: Request, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest()
  return timingSafeEqual(hash(readBearerKey(req.headers.authorization) ?? ''), hash(token))
}
