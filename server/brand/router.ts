/** Hands out the organisation's face to the screens: colours, logo, name. No secret and no person is in it. */
import { Router } from 'express'
import type { RequestHandler } from 'express'
import type { Brand } from './brands.ts'
import { stylesheetOf } from './colours.ts'

const LOGO_TYPE = { svg: 'image/svg+xml', png: 'image/png' } as const

/** Where no brand is configured, the stylesheet is empty and the answer null: the screens keep their own colours. */
export function brandRouter(brand: Brand | null): Router {
  const router = Router()
  router.get('/brand.css', send('text/css', brand ? stylesheetOf(brand.colours) : ''))
  router.get('/brand.json', send('application/json', JSON.stringify(brand?.view ?? null)))
  if (brand) {
    const { kind, bytes } = brand.logo
    router.get(`/logo.${kind}`, alone(), send(LOGO_TYPE[kind], bytes))
  }
  return router
}

/** Its name stays when the brand changes: a browser asks each time. */
function send(type: string, body: string | Buffer): RequestHandler {
  return (_req, res) => {
    res.set('Cache-Control', 'no-cache').type(type).send(body)
  }
}

/** Opened by itself a drawing is a page: it may load and run nothing there either. */
function alone(): RequestHandler {
  return (_req, res, next) => {
    res.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    next()
  }
}
