/** Serves the organisation's brand to the screens: colours, logo, name. It contains no secret and no personal data. */
import { Router } from 'express'
import type { RequestHandler, Response } from 'express'
import type { Brand } from './brands.ts'
import { buildStylesheet } from './colours.ts'

const LOGO_TYPE = { svg: 'image/svg+xml', png: 'image/png' } as const

/**
 * If there is no brand, the stylesheet is empty and the answer is null; the screens keep their own colours.
 * @param brandNow called for each request, because the counter may change the brand
 */
export function brandRouter(brandNow: () => Brand | null): Router {
  const router = Router()
  router.get('/brand.css', (_req, res) => {
    const brand = brandNow()
    send(res, 'text/css', brand ? buildStylesheet(brand.colours) : '')
  })
  router.get('/brand.json', (_req, res) => {
    send(res, 'application/json', JSON.stringify(brandNow()?.view ?? null))
  })
  for (const kind of ['svg', 'png'] as const) {
    router.get(`/logo.${kind}`, alone(), (_req, res, next) => {
      const logo = brandNow()?.logo
      if (logo?.kind !== kind) return next()
      send(res, LOGO_TYPE[kind], logo.bytes)
    })
  }
  return router
}

/** The file name does not change with the brand, so the browser must ask each time. */
function send(res: Response, type: string, body: string | Buffer): void {
  res.set('Cache-Control', 'no-cache').type(type).send(body)
}

/** An SVG that is opened directly is a page, so a policy forbids it to load or run anything. */
function alone(): RequestHandler {
  return (_req, res, next) => {
    res.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    next()
  }
}
