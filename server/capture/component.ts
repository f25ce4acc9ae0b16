/** Hands out the built capture elements for pages of others: one script, one style sheet. No session comes near it. */
import { join } from 'node:path'
import { Router } from 'express'
import type { RequestHandler } from 'express'

/** Path under /capture → file of the build (electron.vite.config.ts). */
const FILES = {
  '/component.js': 'counterproof-capture.js',
  '/component.css': 'counterproof-capture.css',
} as const

export function serveComponent(folder: string): Router {
  const router = Router()
  for (const [path, file] of Object.entries(FILES)) router.get(path, send(join(folder, file)))
  return router
}

/** Their names stay, so a browser asks each time whether they changed. */
function send(file: string): RequestHandler {
  return (_req, res, next) => {
    // A style sheet is asked for without CORS; which page may is for the browser's origin check of the calls.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    res.sendFile(file, { headers: { 'Cache-Control': 'no-cache' }, cacheControl: false }, (error) => {
      if (error && !res.headersSent) next()
    })
  }
}
