/** The description as a page, in Debian's Chromium: complete, in its own look, and without a word to the outside. */
import { existsSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WEBHOOK_MESSAGES } from '../../../server/api/contract/webhook-messages.ts'
import { OTHER_ROUTES } from '../../../server/api/other-routes.ts'
import { ROUTE_LIST } from '../../../server/api/routes.ts'
import { CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { BACK_END_KEY, IDENTITY_ID, problemCode, startApi } from './support.ts'
import type { TestApi } from './support.ts'

const COUNTER_SCREEN = { width: 1366, height: 768 }
/** The bundle is 1.5 MB and the machine may be busy. */
const RENDER_MS = 60_000

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe('the page is served', () => {
  test('without a key, with a policy that runs and loads nothing but its own files', async () => {
    await using api = await startApi()
    const { status, headers, text } = await api.send('GET', '/docs/', { key: null })
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//)
  })

  test('also from its address without the slash, and a browser must check each time whether it has changed', async () => {
    await using api = await startApi()
    const { status, headers } = await api.send('GET', '/docs', { key: null })
    expect([status, new URL(headers.location ?? '', `${api.url}/docs`).pathname]).toEqual([302, '/docs/'])
    const file = await api.send('GET', '/docs/docs.js', { key: null })
    expect(file.headers['cache-control']).toBe('no-cache')
    const unchanged = await api.send('GET', '/docs/docs.js', {
      key: null,
      headers: { 'If-Modified-Since': file.headers['last-modified'] },
    })
    expect(unchanged.status).toBe(304)
  })

  test('neither under another host name nor with any other file', async () => {
    await using api = await startApi()
    const rebound = await api.send('GET', '/docs/', { key: null, headers: { Host: 'attacker.example' } })
    expect([rebound.status, problemCode(rebound)]).toEqual([403, 'host_refused'])
    for (const path of ['/docs/package.json', '/docs/..%2fpackage.json', '/docs/%2e%2e/package.json']) {
      expect([path, (await api.send('GET', path, { key: null })).status]).toEqual([path, 404])
    }
    expect((await api.send('POST', '/docs/', { key: null })).status).toBe(405)
  })
})

describe.skipIf(!present)('in a browser', () => {
  let api: TestApi
  let browser: Browser

  beforeAll(async () => {
    api = await startApi()
    browser = await launchChromium()
  }, RENDER_MS)
  afterAll(async () => {
    await browser.close()
    await api.close()
  })

  async function openDocs(): Promise<{ page: Page; problems: string[]; hosts: Set<string> }> {
    const page = await browser.newPage({ viewport: COUNTER_SCREEN })
    const problems: string[] = []
    const hosts = new Set<string>()
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url())
      if (protocol !== 'data:') hosts.add(host)
    })
    await page.goto(`${api.url}/docs`)
    await page.locator('.opblock').first().waitFor()
    return { page, problems, hosts }
  }

  test(
    'every operation is shown under our title, nothing fails, and no other host is asked',
    async () => {
      const { page, problems, hosts } = await openDocs()
      expect(await page.title()).toBe('Counterproof · API')
      expect(await page.locator('.opblock').count()).toBe(
        ROUTE_LIST.length + OTHER_ROUTES.length + Object.keys(WEBHOOK_MESSAGES).length,
      )
      expect(await page.locator('.topbar, .errors-wrapper').count()).toBe(0)
      await page.getByText('Codes of results and failures').click()
      await page.getByRole('cell', { name: '1117', exact: true }).waitFor()
      if (process.env.SCREENSHOT_DIR)
        await page.screenshot({ path: `${process.env.SCREENSHOT_DIR}/docs.png` })
      await page.locator('#operations-Portrait-submitPortrait').scrollIntoViewIfNeeded()
      await page.locator('#operations-Portrait-submitPortrait .opblock-summary').click()
      await page.getByText('Consent first:').waitFor()
      if (process.env.SCREENSHOT_DIR)
        await page.screenshot({ path: `${process.env.SCREENSHOT_DIR}/docs-operation.png` })
      expect(problems).toEqual([])
      expect([...hosts]).toEqual([new URL(api.url).host])
      await page.close()
    },
    RENDER_MS,
  )

  test(
    'an operation can be tried with a key',
    async () => {
      const { page, problems } = await openDocs()
      await page.getByRole('button', { name: 'Authorize' }).click()
      await page.locator('.auth-container input').first().fill(BACK_END_KEY)
      await page.locator('.auth-btn-wrapper .authorize').first().click()
      await page.locator('.btn-done').first().click()
      const operation = page.locator('#operations-Identity-getIdentityStatus')
      await operation.locator('.opblock-summary').click()
      await operation.getByRole('button', { name: 'Try it out' }).click()
      await operation.getByPlaceholder('id', { exact: true }).fill(IDENTITY_ID)
      await operation.getByRole('button', { name: 'Execute' }).click()
      await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
      expect(api.calls.at(-1)?.name).toBe('getIdentityStatus')
      expect(problems).toEqual([])
      await page.close()
    },
    RENDER_MS,
  )
})
