/** Hands out the organisation's face to the screens: colours, logo, name. No secret and no person is in it. */
import { Router } from 'express'
import type { RequestHandler, Response } from 'express'
import type { Brand } from './brands.ts'
import { buildStylesheet } from './colours.ts'

const LOGO_TYPE = { svg: 'image/svg+xml', png: 'image/png' } as const

/**
 * Without a brand the stylesheet is empty and the answer is null. The screens then keep their own colours.
 * @param brandNow the brand may be changed at the counter
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

/** Its name stays when the brand changes: a browser asks each time. */
function send(res: Response, type: string, body: string | Buffer): void {
  res.set('Cache-Control', 'no-cache').type(type).send(body)
}

/** Opened by itself a drawing is a page: it may load and run nothing there either. */
function alone(): RequestHandler {
  return (_req, res, next) => {
    res.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    next()
  }
}
