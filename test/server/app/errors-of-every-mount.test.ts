/** An error under any path of the appliance is answered with a problem document, never with a stack trace or a path. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { scriptedVision } from './scripted-vision.ts'

const ROOT = join(import.meta.dirname, '../../..')
const MOUNTS = ['', '/assets', '/kiosk', '/kiosk/api', '/counter', '/counter/api', '/capture', '/docs', '/v1']
/** Paths that a static file server or a router refuses in code of its own. */
const BAD_PATHS = ['', '/', '/none.js', '/%ff', '/%00', '/..%2f..%2fpackage.json', '/.git/config', '/a%5cb']

interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
}

let app: TestApp
let screensDir: string
beforeAll(async () => {
  screensDir = mkdtempSync(join(tmpdir(), 'screens-'))
  for (const folder of ['kiosk', 'counter', 'assets', 'capture']) {
    mkdirSync(join(screensDir, folder))
    writeFileSync(join(screensDir, folder, 'index.html'), '<!doctype html><title>screens</title>')
  }
  app = await startTestApp({ screensDir, vision: scriptedVision() })
})
afterAll(async () => {
  await app.close()
  rmSync(screensDir, { recursive: true })
})

/** Plain node:http, because fetch cleans addresses before it sends them. */
function send(method: string, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const { port } = new URL(app.url)
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (res) => {
      let text = ''
      res.setEncoding('utf8')
      res.on('data', (chunk: string) => (text += chunk))
      res.on('end', () => {
        resolve({ status: res.statusCode ?? 0, type: res.headers['content-type'] ?? '', text })
      })
    })
    call.once('error', reject)
    call.end()
  })
}

function expectProblem(what: string, { status, type, text }: Reply): void {
  expect([what, text.includes(ROOT), text.includes(screensDir), /\n\s+at |node_modules/.test(text)]).toEqual([
    what,
    false,
    false,
    false,
  ])
  expect([what, status]).not.toEqual([what, 500])
  if (status >= 400 && text !== '') {
    expect([what, type]).toEqual([what, 'application/problem+json; charset=utf-8'])
  }
}

describe.each(MOUNTS)('an error under %s/', (mount) => {
  test.each(['GET', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'is a problem document for %s, whatever is wrong with the path',
    async (method) => {
      for (const bad of BAD_PATHS) {
        const path = `${mount}${bad}` || '/'
        expectProblem(`${method} ${path}`, await send(method, path))
      }
    },
  )

  test('is a problem document when a header requests an unavailable version or range', async () => {
    for (const headers of [{ 'If-Match': '"none"' }, { Range: 'bytes=99999999-' }, { Range: 'bytes=abc' }]) {
      const path = `${mount}/index.html`
      expectProblem(`${path} ${JSON.stringify(headers)}`, await send('GET', path, headers as never))
    }
  })
})

test('a file of the screens that is not there is answered with 404', async () => {
  expect((await send('GET', '/assets/none.js')).status).toBe(404)
  expect((await send('GET', '/assets/index.html')).status).toBe(200)
})
