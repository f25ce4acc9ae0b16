/** GET /metrics: for who knows the token, or without one for this machine alone. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request, Router } from 'express'
import { AppError } from '../../errors.ts'
import { bearerOf } from './guard.ts'
import { setApiHeaders, type HeadOfficeHttp } from './http.ts'
import type { Metrics } from './metrics.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/
/** What a proxy on this machine adds: then the caller may be anybody. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

export function mountMetrics(
  router: Router,
  http: HeadOfficeHttp,
  metrics: Metrics,
  token: string | null,
): void {
  router.get(
    '/metrics',
    http.run('metrics', async (req, res) => {
      setApiHeaders(res)
      if (!(token === null ? isLocal(req) : bearerIs(req, token))) throw new AppError('unauthorized')
      const { contentType, text } = await metrics.read()
      res.setHeader('Content-Type', contentType)
      res.end(text)
    }),
  )
}

function isLocal(req: Request): boolean {
  return (
    LOOPBACK.test(req.socket.remoteAddress ?? '') &&
    FORWARDED.every((name) => req.headers[name] === undefined)
  )
}

function bearerIs(req: Request, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest()
  return timingSafeEqual(hash(bearerOf(req.headers.authorization) ?? ''), hash(token))
}
