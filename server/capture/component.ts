/** Hands out the built capture elements for pages of others: one script, one style sheet. No session comes near it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router } from 'express'
import { buildCaptureStylesheet, type BrandColours } from '../brand/colours.ts'
import { AppError } from '../errors.ts'

export interface CaptureComponent {
  /** Of the build (electron.vite.config.ts). */
  readonly folder: string
  /** Of the organisation's brand: where the page has no colours of its own for the elements. */
  readonly colours: () => BrandColours | null
}

export function serveComponent({ folder, colours }: CaptureComponent): Router {
  const router = Router()
  const ofBrand = (): string => {
    const brand = colours()
    return brand ? buildCaptureStylesheet(brand) : ''
  }
  const send = (path: string, file: string, type: string, more: () => string) =>
    router.get(path, async (_req, res) => {
      const text = await readFile(join(folder, file), 'utf8').catch((error: unknown) => {
        throw new AppError('not_found', {}, { cause: error })
      })
      // A style sheet is asked for without CORS; which page may is for the browser's origin check of the calls.
      res.set('Cross-Origin-Resource-Policy', 'cross-origin')
      // Their names stay, so a browser asks each time whether they changed.
      res.set('Cache-Control', 'no-cache')
      res.type(type).send(text + more())
    })
  send('/component.js', 'counterproof-capture.js', 'text/javascript', () => '')
  send('/component.css', 'counterproof-capture.css', 'text/css', ofBrand)
  return router
}
