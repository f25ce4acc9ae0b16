/**
 * The pages /fleet/ and /verify/, and the description at /docs/ and /openapi.json. All of it comes from this service, under
 * a policy by which a browser runs and loads nothing else. The two pages are one of the built screens (renderer/fleet).
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import express, { Router, type Response } from 'express'
import { describeApi } from './openapi.ts'

const require = createRequire(import.meta.url)
const DOCS = join(import.meta.dirname, '../../../resources/docs')
const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist/package.json'))

const SCREENS = ['/fleet/', '/verify/']
const DOC_FILES: Readonly<Record<string, string>> = {
  '/docs/': join(DOCS, 'index.html'),
  '/docs/docs.js': join(DOCS, 'docs.js'),
  '/docs/docs.css': join(DOCS, 'docs.css'),
  '/docs/swagger-ui.css': join(SWAGGER_UI, 'swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': join(SWAGGER_UI, 'swagger-ui-bundle.js'),
  '/docs/favicon-32x32.png': join(SWAGGER_UI, 'favicon-32x32.png'),
}
const NOT_BUILT = 'This page is not built. Run "npm run build" and start the central service again.\n'
const WITHOUT_SLASH = ['/fleet', '/verify', '/docs']

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
]
/** Our own pages build each element by script; Swagger UI does not. */
const OWN_POLICY = [...POLICY, "require-trusted-types-for 'script'", "trusted-types 'none'"]

/** @param screensDir the built screens; null: there are none, and the two pages say what to do */
export function pages(screensDir: string | null): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const description = JSON.stringify(describeApi())
  router.get('/openapi.json', (_req, res) => {
    setPageHeaders(res, POLICY)
    res.type('application/json').send(description)
  })
  // The address of the service itself, in a browser.
  router.get('/', (_req, res) => res.redirect(302, './fleet/'))
  router.get(WITHOUT_SLASH, (req, res) => res.redirect(308, `.${req.path}/`))
  router.get(Object.keys(DOC_FILES), (req, res, next) => {
    const file = DOC_FILES[req.path]
    if (file === undefined) return next()
    setPageHeaders(res, POLICY)
    res.sendFile(file, { cacheControl: false })
  })
  const page = screensDir && join(screensDir, 'fleet', 'index.html')
  router.get(SCREENS, (_req, res) => {
    setPageHeaders(res, OWN_POLICY)
    if (page && existsSync(page)) res.sendFile(page, { cacheControl: false })
    else res.status(503).type('text/plain').send(NOT_BUILT)
  })
  if (screensDir) {
    // Named after their content: a browser need not ask twice.
    const setHeaders = (res: Response) => {
      setPageHeaders(res, OWN_POLICY)
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    }
    router.use(
      '/assets',
      express.static(join(screensDir, 'assets'), {
        index: false,
        redirect: false,
        cacheControl: false,
        setHeaders,
      }),
    )
  }
  return router
}

function setPageHeaders(res: Response, policy: readonly string[]): void {
  res.setHeader('Content-Security-Policy', policy.join('; '))
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  // The browser asks each time; the server sends the file again only after an update.
  res.setHeader('Cache-Control', 'no-cache')
}
