/**
 * GET /metrics, for callers that have the token. Without a configured token the path does not exist, because
 * neither the address of a connection nor its Host header distinguishes this machine from a proxy on it.
 */
import type { Router } from 'express'
import { answerMetrics } from '../../http/metrics-answer.ts'
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
      await answerMetrics(req, res, token, () => metrics.read())
    }),
  )
}
