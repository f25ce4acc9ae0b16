/**
 * An appliance, an outside page with the capture component, and Chromium: for the browser tests of the
 * elements.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Clock } from '../../server/clock.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { startTestApp, type TestApp } from './app.ts'
import { heardOn, serveCapturePage, type CaptureOrigin, type Heard } from './capture-page.ts'
import { contractClient, type ContractClient } from './contract-client.ts'
import { launchChromium } from './chromium.ts'
import { lendVision } from './remembering-vision.ts'

const SCREEN = { width: 1280, height: 1000 }
/** A picture in portrait orientation. */
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
} as const

export interface CaptureBench {
  readonly app: TestApp
  readonly client: ContractClient
  readonly origin: CaptureOrigin
  /** Includes the consents for document and portrait. */
  anIdentity(): Promise<string>
  documentSession(payload?: object): Promise<{ id: string; sessionId: string }>
  /** `prepare` runs before the page is loaded; `problems` collects what a clean page never has. */
  openPage(
    prepare?: (page: Page) => Promise<unknown>,
    device?: BrowserContextOptions,
  ): Promise<{ page: Page; problems: string[] }>
  close(): Promise<void>
}

export async function startCaptureBench(
  options: {
    readonly clock?: Clock
    readonly browserArgs?: readonly string[]
    readonly vision?: Vision
  } = {},
): Promise<CaptureBench> {
  // Built with the screens, and shared by all tests.
  const captureDir = join(await ensureRendererBuilt(), 'capture')
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  let address = ''
  const origin = await serveCapturePage(() => address)
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ allowedOrigins: [origin.url] }))
  const { clock, vision = await lendVision() } = options
  const app = await startTestApp({
    dataDir,
    captureDir,
    ...(clock ? { clock } : {}),
    vision,
  })
  address = app.url
  const browser: Browser = await launchChromium([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    ...(options.browserArgs ?? []),
  ])
  const client = contractClient(() => app)
  const anIdentity = async () => {
    const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
    const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    return id
  }
  return {
    app,
    client,
    origin,
    anIdentity,
    documentSession: async (payload = { idDocumentType: 'PASSPORT' }) => {
      const id = await anIdentity()
      const path = `/v1/identities/${id}/id-documents/live-capture-session`
      const { sessionId } = await client.ask('DocumentSessionAnswer', 'POST', path, { payload })
      return { id, sessionId }
    },
    openPage: async (prepare, device = { viewport: SCREEN }) => {
      const page = await browser.newPage(device)
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('console', (message) => {
        // A busy appliance refuses a live picture, which is no fault of the page.
        const isRefusal = message.text().includes('status of 429')
        if (['error', 'warning'].includes(message.type()) && !isRefusal) problems.push(message.text())
      })
      await prepare?.(page)
      await page.goto(origin.url)
      return { page, problems }
    },
    close: async () => {
      await browser.close()
      await app.close()
      await origin.close()
    },
  }
}

/** Resolves with all events so far once such an event was received. */
export async function until(
  page: Page,
  type: string,
  detail: object = {},
  timeout = 150_000,
): Promise<readonly Heard[]> {
  const isIt = (event: Heard) =>
    event.type === type && Object.entries(detail).every(([key, value]) => event.detail[key] === value)
  await expect
    .poll(async () => (await heardOn(page)).some(isIt), { timeout, interval: 250, message: type })
    .toBe(true)
  return heardOn(page)
}
