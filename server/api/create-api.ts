/**
 * Mounts the HTTP interface of the spec from the route table. A handler parses, calls one workflow and answers. Accesses no
 * database, key or image content, and contains no rule about identities.
 */
import express from 'express'
import type { Express, Request, RequestHandler } from 'express'
import helmet from 'helmet'
import { AppError } from '../errors.ts'
import { additionalFileHandlers } from './additional-files.ts'
import { adjudicationDeskHandlers } from './adjudication-desk.ts'
import { attributeHandlers } from './attributes.ts'
import { claimHandlers } from './claims.ts'
import { consentHandlers } from './consents.ts'
import { allowOrigins } from './cors.ts'
import type { ApiDeps } from './deps.ts'
import { DOCS_PATH, docs } from './docs.ts'
import { errorHandler } from './error-response.ts'
import { refuseOversizedHead, refuseWhileDraining, requireKey, requireRole } from './guard.ts'
import type { Handlers } from './handlers.ts'
import { hostGuard } from '../http/host-guard.ts'
import { idDocumentHandlers } from './id-documents.ts'
import { repeatKeys } from './idempotency.ts'
import { identityHandlers } from './identities.ts'
import { portraitHandlers } from './portrait.ts'
import { proofHandlers } from './proof.ts'
import { createRateLimiters } from './rate-limiters.ts'
import { retentionHandlers } from './retention.ts'
import { reviewHandlers } from './reviews.ts'
import { supportedEvidenceHandlers } from './supported-evidence.ts'
import { expressPath, methodsByPath } from '../http/routes.ts'
import { getKeyHolder, openRequest } from './request-context.ts'
import { ROUTE_LIST } from './routes.ts'
import type { Route } from './route.ts'
import { serviceHandlers } from './service.ts'
import { accountUploads } from '../http/upload-budget.ts'
import { webhookHandlers } from './webhooks.ts'

/** Returns an Express app that answers every request: mount it last. */
export function createApi(deps: ApiDeps): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Keeps a query to one value per name, without nested objects.
  app.set('query parser', 'simple')

  const rates = createRateLimiters(deps.config.rateLimits)
  app.use(openRequest(deps))
  app.use(securityHeaders())
  app.use(refuseOversizedHead())
  app.use(hostGuard(deps.config))
  app.use(allowOrigins(deps.config))
  app.use(refuseWhileDraining(deps))
  // Unknown paths under /v1 need a key too, so that a caller without one cannot learn which paths exist.
  const account = accountUploads(deps.uploads, (_req, res) => getKeyHolder(res).applicationId)
  app.use('/v1', requireKey(deps), rates.keys, account)
  app.use(DOCS_PATH, rates.addresses, docs())

  const handlers = allHandlers(deps)
  const methodsOf = methodsByPath(ROUTE_LIST)
  const onceOnly = repeatKeys(deps)
  for (const route of ROUTE_LIST) {
    const { operation, method, access, head, deprecated } = route
    const path = expressPath(route.path)
    const handler = handlers[operation]
    if (head === false) app.head(path, refuseMethod(methodsOf.get(route.path) ?? []))
    app[method](
      path,
      ...rates.ofRoute(route),
      requireRole(access),
      announce(deprecated),
      rates.around(route, method === 'post' ? onceOnly(route, handler) : handler),
    )
  }
  for (const [path, methods] of methodsOf) app.all(expressPath(path), refuseMethod(methods))
  app.use((_req: Request) => {
    throw new AppError('not_found')
  })
  app.use(errorHandler(deps.log))
  return app
}

function allHandlers(deps: ApiDeps): Handlers {
  return {
    ...serviceHandlers(deps),
    ...identityHandlers(deps),
    ...consentHandlers(deps),
    ...idDocumentHandlers(deps),
    ...portraitHandlers(deps),
    ...additionalFileHandlers(deps),
    ...attributeHandlers(deps),
    ...reviewHandlers(deps),
    ...adjudicationDeskHandlers(deps),
    ...claimHandlers(deps),
    ...retentionHandlers(deps),
    ...supportedEvidenceHandlers(deps),
    ...webhookHandlers(deps),
    ...proofHandlers(deps),
  }
}

/** Forbids browsers to run, frame or load any answer, because only /docs is a page. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    },
    // The listener uses plain HTTP on the loopback address. A proxy that adds TLS also sets this header.
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  })
}

/** States the date of the deprecation and the successor of an operation (RFC 9745, RFC 8288). */
function announce(deprecated: Route['deprecated']): RequestHandler {
  return (req, res, next) => {
    if (deprecated) {
      const successor = deprecated.successor.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(req.params[name])),
      )
      res.setHeader('Deprecation', `@${Date.parse(deprecated.since) / 1000}`)
      res.setHeader('Link', `<${successor}>; rel="successor-version"`)
    }
    next()
  }
}

function refuseMethod(methods: readonly string[]): RequestHandler {
  return (_req, res) => {
    res.setHeader('Allow', methods.join(', '))
    throw new AppError('method_not_allowed')
  }
}
