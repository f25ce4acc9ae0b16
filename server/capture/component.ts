/** Serves the built capture elements to the pages of relying services: one script and one style sheet. Knows no session. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router } from 'express'
import { buildCaptureStylesheet, type BrandColours } from '../brand/colours.ts'
import { AppError } from '../errors.ts'

export interface CaptureComponent {
  /** Output folder of the build (electron.vite.config.ts). */
  readonly folder: string
  /** Colours of the organisation's brand; a page may override them. */
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
      // Browsers load a style sheet without CORS. The origin check of the later calls decides which page may capture.
      res.set('Cross-Origin-Resource-Policy', 'cross-origin')
      // The file names never change, so the browser must ask each time whether the content did.
      res.set('Cache-Control', 'no-cache')
      res.type(type).send(text + more())
    })
  send('/component.js', 'counterproof-capture.js', 'text/javascript', () => '')
  send('/component.css', 'counterproof-capture.css', 'text/css', ofBrand)
  return router
}
