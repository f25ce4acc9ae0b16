/**
 * The pages /fleet/ and /verify/, and the description at /docs/ and /openapi.json. All of it comes from this service:
 * static files from a closed list, under a policy by which a browser runs and loads nothing else.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Router, type Response } from 'express'
import { describeApi } from './openapi.ts'

const require = createRequire(import.meta.url)
const PAGES = join(import.meta.dirname, 'pages')
const DOCS = join(import.meta.dirname, '../../../resources/docs')
const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist/package.json'))
const FONTS = join(dirname(require.resolve('@fontsource/noto-sans/package.json')), 'files')

const font = (weight: number, script: string) => {
  const name = `noto-sans-${script}-${weight}-normal.woff2`
  return [`/assets/${name}`, join(FONTS, name)] as const
}
const FILES: Readonly<Record<string, string>> = {
  '/fleet/': join(PAGES, 'fleet.html'),
  '/verify/': join(PAGES, 'verify.html'),
  ...Object.fromEntries(
    [
      ...[
        'tokens.css',
        'page.css',
        'fleet.css',
        'verify.css',
        'icon.svg',
        'dom.js',
        'words.js',
        'api.js',
        'fleet.js',
      ],
      ...['kiosk-table.js', 'kiosk-dialog.js', 'alarm-list.js', 'enrolment.js', 'verify.js'],
    ].map((name) => [`/assets/${name}`, join(PAGES, name)]),
  ),
  ...Object.fromEntries(
    [400, 600, 700].flatMap((weight) => [font(weight, 'latin'), font(weight, 'latin-ext')]),
  ),
  '/docs/': join(DOCS, 'index.html'),
  '/docs/docs.js': join(DOCS, 'docs.js'),
  '/docs/docs.css': join(DOCS, 'docs.css'),
  '/docs/swagger-ui.css': join(SWAGGER_UI, 'swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': join(SWAGGER_UI, 'swagger-ui-bundle.js'),
  '/docs/favicon-32x32.png': join(SWAGGER_UI, 'favicon-32x32.png'),
}
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
/** Pages of ours build elements one by one; Swagger UI does not. */
const OWN_POLICY = [...POLICY, "require-trusted-types-for 'script'", "trusted-types 'none'"]

export function pages(): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const description = JSON.stringify(describeApi())
  router.get('/openapi.json', (_req, res) => {
    setPageHeaders(res, POLICY)
    res.type('application/json').send(description)
  })
  // Whoever opens the address of the service in a browser.
  router.get('/', (_req, res) => res.redirect(302, './fleet/'))
  router.get(WITHOUT_SLASH, (req, res) => res.redirect(308, `.${req.path}/`))
  router.get(Object.keys(FILES), (req, res, next) => {
    const file = FILES[req.path]
    if (file === undefined) return next()
    setPageHeaders(res, req.path.startsWith('/docs/') ? POLICY : OWN_POLICY)
    res.sendFile(file, { cacheControl: false })
  })
  return router
}

function setPageHeaders(res: Response, policy: readonly string[]): void {
  res.setHeader('Content-Security-Policy', policy.join('; '))
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  // Asked for again each time, sent again only after an update.
  res.setHeader('Cache-Control', 'no-cache')
}
