/** /docs: the description of the API as a page, completely from this server, because a kiosk has no internet. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Router } from 'express'
import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { AppError } from '../errors.ts'

export const DOCS_PATH = '/docs'

const OURS = join(import.meta.dirname, '../../resources/docs')
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const FILES: Readonly<Record<string, string>> = {
  '/': join(OURS, 'index.html'),
  '/docs.js': join(OURS, 'docs.js'),
  '/docs.css': join(OURS, 'docs.css'),
  '/swagger-ui.css': join(SWAGGER_UI, 'swagger-ui.css'),
  '/swagger-ui-bundle.js': join(SWAGGER_UI, 'swagger-ui-bundle.js'),
  '/favicon-32x32.png': join(SWAGGER_UI, 'favicon-32x32.png'),
}

/** Mount it at DOCS_PATH. */
export function docs(): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use((req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next()
    res.setHeader('Allow', 'GET, HEAD')
    throw new AppError('method_not_allowed')
  })
  router.use(pagePolicy(), (req, res, next) => {
    const file = FILES[req.path]
    if (file === undefined) return next()
    // The addresses in the page are relative to the folder, so the path needs the slash.
    if (req.originalUrl.split('?', 1)[0] === DOCS_PATH) return res.redirect(`.${DOCS_PATH}/`)
    // The browser asks each time and gets a new copy only after an update.
    res.setHeader('Cache-Control', 'no-cache')
    res.sendFile(file, { cacheControl: false })
  })
  return router
}

/** Allows scripts and styles of this server; the style sheet of Swagger UI contains its pictures as data: addresses. */
function pagePolicy(): RequestHandler {
  return helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
  })
}
