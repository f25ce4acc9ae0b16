/** Builds the gallery with vite and serves it, for tests and for `npm run screens`. Nothing of it is in the product. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { build } from 'vite'

const ROOT = join(import.meta.dirname, '../../..')
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
}

export interface Gallery {
  readonly url: string
  close(): void
}

export async function openGallery(): Promise<Gallery> {
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'))
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    base: './',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'chrome120',
      minify: false,
      rollupOptions: { input: join(ROOT, 'test/browser/gallery/index.html') },
    },
  })
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://gallery').pathname))
    try {
      const body = readFileSync(join(folder, path))
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream')
      response.end(body)
    } catch {
      response.statusCode = 404
      response.end()
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/test/browser/gallery/index.html`,
    close() {
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
