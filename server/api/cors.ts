/** Lets web pages of the configured origins read answers. Off unless an origin is configured. */
import cors from 'cors'
import type { RequestHandler } from 'express'
import type { ApiConfig } from './deps.ts'
import { REPEAT_KEY_HEADER, REPLAYED_HEADER } from './idempotency.ts'
import { CORRELATION_HEADER } from './request-context.ts'

const PREFLIGHT_SECONDS = 600

const SENT_HEADERS = [
  'apikey',
  'content-type',
  'correlation-id',
  'tenant-role',
  REPEAT_KEY_HEADER.toLowerCase(),
  CORRELATION_HEADER.toLowerCase(),
]
const READ_HEADERS = [
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  CORRELATION_HEADER,
  'Deprecation',
  'Link',
  'Location',
  'Allow',
  REPLAYED_HEADER,
]

/**
 * Must follow the host guard, which refuses every other origin. A preflight has no key and ends here; any other OPTIONS
 * continues to the routes. Allows no credentials, because the page sends the key as a header.
 */
export function allowOrigins({ allowedOrigins }: Pick<ApiConfig, 'allowedOrigins'>): RequestHandler {
  if (allowedOrigins.length === 0) return (_req, _res, next) => next()
  const share = cors({
    origin: [...allowedOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: SENT_HEADERS,
    exposedHeaders: READ_HEADERS,
    credentials: false,
    maxAge: PREFLIGHT_SECONDS,
  })
  return (req, res, next) => {
    const asksFirst =
      req.get('access-control-request-method') !== undefined && req.get('origin') !== undefined
    if (req.method === 'OPTIONS' && !asksFirst) {
      res.vary('Origin')
      next()
    } else share(req, res, next)
  }
}
