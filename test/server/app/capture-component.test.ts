/** The built capture component, as pages of others load it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { scriptedVision } from './scripted-vision.ts'

const BANK = 'https://bank.example'
let folder: string
let app: TestApp
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'capture-component-'))
  writeFileSync(join(folder, 'counterproof-capture.js'), 'export {}')
  writeFileSync(join(folder, 'counterproof-capture.css'), 'main {}')
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ allowedOrigins: [BANK] }))
  app = await startTestApp({ dataDir, vision: scriptedVision(), captureDir: folder })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string, origin?: string) =>
  app.call('GET', path, { key: null, ...(origin ? { headers: { origin } } : {}) })

test.each([
  ['/capture/component.js', 'text/javascript', 'export {}'],
  ['/capture/component.css', 'text/css', 'main {}'],
])(
  '%s is served to a page of an allowed origin, and the browser must ask again each time',
  async (path, type, text) => {
    const answer = await get(path, BANK)
    expect([answer.status, await answer.text()]).toEqual([200, text])
    const header = (name: string) => answer.headers.get(name)
    expect(header('content-type')).toContain(type)
    expect(header('cache-control')).toBe('no-cache')
    expect(header('access-control-allow-origin')).toBe(BANK)
    expect(header('cross-origin-resource-policy')).toBe('cross-origin')
    expect(header('x-content-type-options')).toBe('nosniff')
  },
)

test('a page of any other origin is refused', async () => {
  expect((await get('/capture/component.js', 'https://other.example')).status).toBe(403)
})

test('nothing else of the folder is given out, and nothing where none was built', async () => {
  expect((await get('/capture/counterproof-capture.js')).status).toBe(404)
  rmSync(join(folder, 'counterproof-capture.css'))
  expect((await get('/capture/component.css')).status).toBe(404)
})
