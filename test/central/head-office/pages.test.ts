/** The fleet page and the verify page in Debian's Chromium: what a person sees and can do, with keyboard and axe. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'
import { aSealedProof, pem } from '../../server/proof/fixture.ts'
import { CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { expectAccessible } from './accessible.ts'
import {
  addAlarm,
  addKey,
  addKiosk,
  addProof,
  addTenant,
  aStatus,
  startOffice,
  type TestOffice,
} from './support.ts'

const DESK = { width: 1366, height: 768 }
const PHONE = { width: 390, height: 844 }
const HOUR_MS = 3_600_000

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the pages in a browser', () => {
  let office: TestOffice
  let browser: Browser
  let folder: string
  let key: string
  let readOnly: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pages-'))
    office = await startOffice({
      screensDir: await ensureRendererBuilt(),
      options: { callsPerMinute: 10_000, openCallsPerMinute: 10_000 },
    })
    await addTenant(office, 'default')
    key = await addKey(office, 'default')
    readOnly = await addKey(office, 'default', ['fleet:read'], 'wall screen')
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    await office.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (
    path: string,
    viewport = DESK,
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<{ page: Page; faults: string[] }> => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const context = await browser.newContext({ viewport, permissions, colorScheme })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    // A breach of the page's own policy is told on the console.
    page.on('console', (message) => {
      if (/policy|Trusted/i.test(message.text())) faults.push(message.text())
    })
    await page.goto(office.url + path)
    return { page, faults }
  }
  const signIn = async (page: Page, by = key) => {
    await page.getByLabel('Key').fill(by)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Kiosks' }).waitFor()
  }
  const kioskRows = (page: Page) => page.getByRole('region', { name: 'Kiosks' }).locator('tbody tr')
  const expectNoSidewaysScroll = async (page: Page) => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
  }

  test('a wrong key and a key without the scope get different messages, and neither is stored', async () => {
    const { page, faults } = await open('/fleet/')
    await expectAccessible(page)
    const withoutScope = await addKey(office, 'default', ['proofs:read'], 'other')
    for (const [given, words] of [
      ['cph_wrong', 'This key is not known'],
      [withoutScope, 'This key lacks the scope fleet:read.'],
    ] as const) {
      await page.getByLabel('Key').fill(given)
      await page.keyboard.press('Enter')
      await page.getByText(words).waitFor()
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    }
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('an empty fleet says what to do; a code is made, shown once and copied', async () => {
    const { page, faults } = await open('/fleet/')
    await signIn(page)
    await page.getByText('No kiosk has joined yet.').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Name of the kiosk').fill('Airport')
    await page.getByRole('button', { name: 'Make a code' }).click()
    const shown = (await page.locator('#code').textContent()) ?? ''
    expect(shown).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect(await page.locator('#code').isVisible()).toBe(false)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('kiosks stand with their state in words, the worst first; alarms are acknowledged; one is revoked', async () => {
    const now = Date.now()
    await addKiosk(office, 'default', { name: 'Harbour', status: aStatus(), seenAt: new Date() })
    const late = await addKiosk(office, 'default', {
      name: 'Town hall',
      status: aStatus({ backlog: 14, oldestPendingAt: now - 30 * HOUR_MS, health: { camera: 'DOWN' } }),
      seenAt: new Date(now - 5 * HOUR_MS),
    })
    await addKiosk(office, 'default', {
      name: 'Old <b>Market</b>',
      status: aStatus({ frozen: ['DISK_LOW'] }),
      seenAt: new Date(),
    })
    await addAlarm(office, 'default', late, 'GAP')
    const { page, faults } = await open('/fleet/')
    await signIn(page)
    const rows = await kioskRows(page).allInnerTexts()
    const flat = rows.map((row) => row.replaceAll(/\s+/g, ' '))
    expect(flat).toHaveLength(3)
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    expect(await focused()).toBe('Fleet')
    expect(flat[0]).toMatch(/^Old <b>Market<\/b> Frozen Takes no new proofings: disk low/)
    expect(flat[1]).toMatch(
      /^Town hall Late Silent for 5 h 0 min A proof waits there for 1 d 6 h 14 1 d 6 h 5 hours ago Down: camera 0.1.0/,
    )
    expect(flat[2]).toMatch(/^Harbour OK 0 – just now Good 0.1.0/)
    await expectAccessible(page)

    const alarm = page.getByRole('button', { name: 'Acknowledge: Town hall, GAP' })
    expect(await page.getByRole('region', { name: 'Alarms' }).locator('tbody tr').innerText()).toContain(
      '7, 9-12',
    )
    await alarm.focus()
    await page.keyboard.press('Enter')
    await page.getByText('No open alarm.').waitFor()
    expect(await focused()).toBe('Fleet')

    // With only the keyboard: details, revoke, reason, and back to the former focus.
    await page.getByRole('button', { name: 'Details of Town hall' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Town hall' }).waitFor()
    expect(await focused()).toBe('Town hall')
    await expectAccessible(page)
    await page.getByText('No proof was stored in this span.').last().waitFor()
    // The cross that closes it, the span and the export of the figures, then the button.
    for (let times = 0; times < 4; times++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Proofs that wait there: 14').waitFor()
    await expectAccessible(page)
    await page.keyboard.type('stolen from the branch')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/Refused since/).waitFor()
    expect((await office.call(key, 'GET', `/kiosks/${late}`)).body.revokedAt).not.toBeNull()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(`kiosk-${late}`)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('a proof under a legal hold is not erased; it is after the release, when the person has seen it', async () => {
    const [kiosk] = await office.db.query<{ id: string }>(
      SYSTEM,
      `SELECT id FROM kiosks WHERE name = 'Harbour'`,
    )
    const kioskId = kiosk?.id ?? ''
    const { proofId, identityId } = await addProof(office, 'default', kioskId, 1)
    const { page, faults } = await open('/fleet/')
    await signIn(page)
    const holds = page.getByRole('region', { name: 'Legal holds' })
    const erase = page.getByRole('region', { name: 'Erase by request' })
    await holds.getByLabel('Id').fill(proofId)
    await holds.getByLabel('Reference of the case').fill('case 1')
    await holds.getByRole('button', { name: 'Place the hold' }).click()
    await holds.getByText(`Proof ${proofId}`).waitFor()
    await erase.getByLabel('Id', { exact: true }).fill(identityId)
    await erase.getByLabel('Reference of the case').fill('request 1')
    const show = erase.getByRole('button', { name: 'Show the proofs' })
    await show.click()
    await page.getByText('A legal hold keeps at least one of these proofs.').waitFor()
    expect(await page.getByRole('button', { name: 'Delete for good' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await holds.getByRole('button', { name: 'Release: ' }).click()
    await page.getByRole('dialog').getByLabel('Reference of the case').fill('closed')
    await page.getByRole('dialog').getByRole('button', { name: 'Release', exact: true }).click()
    await holds.getByText('No open legal hold.').waitFor()
    await show.click()
    await page.getByText('The archives cannot be restored from this service.').waitFor()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('Proofs deleted: 1').waitFor()
    expect((await office.call(key, 'GET', `/proofs/${proofId}`)).body.deletedAt).not.toBeNull()
    await expectAccessible(page)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('on a narrow screen nothing is cut off; a key that may only look is offered nothing else', async () => {
    const { page, faults } = await open('/fleet/', PHONE)
    await signIn(page, readOnly)
    await page.getByText('This key may look and not change').waitFor()
    expect(await page.getByRole('button', { name: 'Make a code' }).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: /Acknowledge/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Details of Harbour' }).click()
    expect(await page.getByRole('button', { name: 'Revoke…' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Close' }).click()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Key').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('when the service is gone the page says so and keeps what it shows', async () => {
    const { page } = await open('/fleet/')
    await signIn(page)
    await page.route('**/head-office/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('The service cannot be reached.').waitFor()
    expect(await kioskRows(page).count()).toBe(3)
    await expectAccessible(page)
    await page.context().close()
  })

  test('the pages speak the language that the reader chooses, and have the colours of the system', async () => {
    const { page, faults } = await open('/fleet/', DESK, 'dark')
    await page.getByRole('button', { name: 'العربية' }).click()
    await page.getByRole('heading', { name: 'الأكشاك' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    expect(await page.evaluate(() => getComputedStyle(document.body).colorScheme)).toBe('dark')
    await page.getByLabel('المفتاح').fill(key)
    await page.keyboard.press('Enter')
    await page.locator('tbody tr').first().waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.goto(`${office.url}/verify/`)
    await page.getByRole('heading', { name: 'التحقق من إثبات' }).waitFor()
    await expectAccessible(page)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('an archive is verified by the keys given, each failure a sentence', async () => {
    const { bytes, fileName } = await aSealedProof()
    const [whole, altered, keys] = ['proof.zip', 'altered.zip', 'keys.pem'].map((name) => join(folder, name))
    const damaged = Buffer.from(bytes)
    damaged[bytes.indexOf('portrait bytes')] ^= 1
    writeFileSync(whole ?? '', bytes)
    writeFileSync(altered ?? '', damaged)
    writeFileSync(keys ?? '', pem)
    expect(fileName).toMatch(/\.zip$/)
    for (const viewport of [DESK, PHONE]) {
      const { page, faults } = await open('/verify/', viewport)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('Choose an archive first.').waitFor()
      await page.getByLabel('Archive').setInputFiles(whole ?? '')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('Choose the public keys').waitFor()
      await page.getByLabel('Public keys').setInputFiles(keys ?? '')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('heading', { name: 'This proof is valid' }).waitFor()
      expect(await page.locator('#result').innerText()).toContain('LOA2')
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.getByLabel('Archive').setInputFiles(altered ?? '')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('heading', { name: 'This proof is not valid' }).waitFor()
      expect(await page.locator('.problems').innerText()).toMatch(/was altered|damaged|not/)
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      expect(faults).toEqual([])
      await page.context().close()
    }
  })

  test('what is dropped on the page is taken', async () => {
    const { bytes } = await aSealedProof()
    const { page } = await open('/verify/')
    const transfer = await page.evaluateHandle(
      (content) => {
        const data = new DataTransfer()
        data.items.add(new File([Uint8Array.from(content)], 'dropped.zip'))
        return data
      },
      [...bytes],
    )
    await page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer })
    expect(await page.locator('#archive').evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe(
      'dropped.zip',
    )
    await page.context().close()
  })
})

test('a page that was not built says what to do, and the API still answers', async () => {
  const office = await startOffice({ screensDir: null })
  try {
    for (const path of ['/fleet/', '/verify/']) {
      const answer = await fetch(office.url + path)
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('npm run build')])
    }
    expect((await fetch(`${office.url}/openapi.json`)).status).toBe(200)
    expect((await fetch(`${office.url}/assets/page.css`)).status).toBe(404)
  } finally {
    await office.stop()
  }
})
