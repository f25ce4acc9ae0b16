/**
 * Whole visits at the kiosk, in Debian's Chromium with a pretended camera that shows a specimen person: from the first
 * screen to a sealed proof that verifies with nothing but the public key, and every way out before that.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { extractArchive } from '../../server/proof/multipart.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { writeCameraClip } from '../support/camera-clip.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { actedClock } from '../support/acted-clock.ts'
import { SHARING_TENANT, startTestApp } from '../support/app.ts'
import type { TestApp } from '../support/app.ts'
import { BOTH_CAMERAS, installCameras } from '../support/pretended-cameras.ts'
import { lendVision } from '../support/remembering-vision.ts'
import { tellAsked, visitor } from '../support/visitor.ts'
import type { Visitor } from '../support/visitor.ts'
import { IDLE_SECONDS, agree, chooseByHand, confirmData, writeJourney } from './journey.ts'
import { CHROMIUM, cameraArgs, launchChromium, scan, settled } from '../support/chromium.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')
/** Two captures through the whole vision worker on a busy machine. */
const VISIT_MS = 240_000
const KIOSK_SCREEN = { width: 1080, height: 1920 }
const COUNTER_SCREEN = { width: 1366, height: 768 }
const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the kiosk in a browser', () => {
  let app: TestApp
  let browser: Browser
  let folder: string
  let screensDir: string
  const open: BrowserContext[] = []
  const lookedAt = new Set<object>()
  const clock = actedClock()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kiosk-camera-'))
    const camera = join(folder, 'camera.y4m')
    const size = { width: 1920, height: 1440, frames: 4 }
    await writeCameraClip(join(SPECIMENS, 'amber/passport-photo.jpg'), camera, size)
    screensDir = process.env.KIOSK_SCREENS ?? (await ensureRendererBuilt())
    app = await startKiosk()
    browser = await launchChromium(cameraArgs(camera))
  }, VISIT_MS)

  afterAll(async () => {
    await browser?.close()
    await app?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function startKiosk(options: { vision?: Vision; port?: number; dataDir?: string } = {}) {
    const { dataDir = mkdtempSync(join(tmpdir(), 'counterproof-kiosk-')) } = options
    writeJourney(dataDir, 'browser-test')
    const config = { tenant: SHARING_TENANT, kiosk: { journey: 'browser-test' } }
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
    const vision = options.vision ?? (await lendVision())
    return startTestApp({ ...options, vision, dataDir, screensDir, clock })
  }

  test(
    'the holder of a passport is confirmed, and the sealed proof verifies with the public key alone',
    async () => {
      const { page, problems } = await openKiosk(KIOSK_SCREEN, { before: await visitor('alba', clock) })
      const reference = await visit(page)
      expect(await page.locator('#outcome').innerText()).toMatch(/We have confirmed who you are/)
      await expectAccessible(page)

      const sealed = app.appliance.store.events.after(0, 10_000).filter(({ type }) => type === 'proof.sealed')
      expect(sealed).toHaveLength(1)
      const identityId = String(sealed[0]?.identityId)
      const answer = await app.call('GET', `/v1/identities/${identityId}/proof`)
      const archive = extractArchive(new Uint8Array(await answer.arrayBuffer()))
      const jwks: unknown = await (await fetch(`${app.url}/.well-known/jwks.json`)).json()
      expect(archive && (await verifyProof(archive, { jwks }))).toMatchObject({
        valid: true,
        identityId,
        test: true,
        problems: [],
      })
      expect(problems).toEqual([])

      // Nothing of the visit is left: not the reference, not the session, not a single thing in a store of the browser.
      await page.locator('#result-done').click()
      await page.getByRole('heading', { name: 'Take your document and your receipt' }).waitFor()
      expect(await page.content()).not.toContain(reference)
      await page.getByRole('button', { name: 'Start for the next person' }).click()
      await expectFresh(page)
    },
    VISIT_MS,
  )

  test(
    'another person with that passport is sent to the counter, and the screen does not say why',
    async () => {
      const before = await visitor('another-person', clock)
      const { page } = await openKiosk(COUNTER_SCREEN, { before })
      await visit(page)
      expect(await page.locator('#outcome').innerText()).toMatch(/We need a person to look at this/)
      // The next action is on the first page, even if the screen has two.
      expect(await page.getByText('Go to the counter with your document.').isVisible()).toBe(true)
      expect(await page.locator('body').innerText()).not.toMatch(/match|face|score|1600/i)
    },
    VISIT_MS,
  )

  test(
    'a page that is reloaded continues in the middle of the visit; "Stop" deletes it',
    async () => {
      const { page } = await openKiosk(COUNTER_SCREEN)
      await agree(page)
      await chooseByHand(page)
      const before = app.appliance.store.events.after(0, 10_000).length
      await page.getByRole('button', { name: 'Passport' }).click()
      await page.reload()
      await page.getByRole('heading', { name: 'Which document have you got?' }).waitFor()
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Stop and delete' }).click()
      await page.getByRole('heading', { name: 'You stopped' }).waitFor()
      const events = () => app.appliance.store.events.after(0, 10_000).slice(before)
      await expect.poll(() => events().map(({ type }) => type)).toContain('identity.erased')
      await expectAccessible(page)
      // By itself, after the goodbye's time.
      await page.getByRole('heading', { name: 'Check who you are' }).waitFor()
      await expectFresh(page)
    },
    VISIT_MS,
  )

  test(
    'a passport before the browser’s own camera is taken by itself, read and shown to be checked',
    async () => {
      const { page } = await openKiosk(KIOSK_SCREEN)
      await agree(page)
      await page.getByRole('heading', { name: 'Is this right?' }).waitFor({ timeout: VISIT_MS })
      expect(await page.locator('main').innerText()).toMatch(/MORAVANE/)
      // Covered until the person asks.
      expect(await page.locator('main').innerText()).not.toMatch(/1988|ZK8100519/)
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await page.getByRole('button', { name: 'Delete and start again' }).click()
      await expectFresh(page)
      expect(await page.content()).not.toMatch(/MORAVANE/)
    },
    VISIT_MS,
  )

  test('the applicant can agree only after the last page of the consent was shown', async () => {
    const { page } = await openKiosk(COUNTER_SCREEN)
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.locator('dialog').getByRole('button', { name: 'Very large' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Go on' }).click()
    await page.locator('.choices button').first().click()
    await page.getByRole('heading', { name: 'Before we start' }).waitFor()
    const agrees = page.locator('#consent-agree')
    const stop = page.getByText('You can stop at any time. We then delete everything.')
    const next = page.getByRole('button', { name: 'Next' })
    await next.waitFor()
    while (await next.isVisible()) {
      expect([await agrees.isVisible(), await stop.isVisible()]).toEqual([false, false])
      await next.click()
    }
    expect([await agrees.isVisible(), await stop.isVisible()]).toEqual([true, true])
    // From "Next" the focus moves on to the next control, not back.
    expect(await agrees.evaluate((button) => button === document.activeElement)).toBe(true)
  })

  test('the language is changed in the middle, and nothing is lost', async () => {
    const { page } = await openKiosk(COUNTER_SCREEN)
    await agree(page)
    await page.getByRole('button', { name: 'Language', exact: true }).click()
    await page.locator('dialog [lang=fr]').click()
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('fr')
    expect(await page.locator('.step-text').innerText()).toMatch(/^\D*2/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Texte', exact: true }).click()
    await page.locator('dialog').getByRole('button', { name: 'Contraste fort' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Continuer' }).click()
    await page.reload()
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('fr')
    // These settings outlast the visit's steps.
    expect(await page.evaluate(() => document.documentElement.dataset.contrast)).toBe('high')
  })

  test('help that no member of staff can see is told as such; a touch continues, and the call stays', async () => {
    const { page } = await openKiosk(KIOSK_SCREEN)
    await agree(page)
    await chooseByHand(page)
    await page.getByRole('button', { name: 'Help', exact: true }).click()
    const unstaffed = 'No member of staff can see your call now. Go to the counter with your document.'
    await page.locator('dialog').getByText(unstaffed).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Go on. The call stays' }).click()
    await page.getByRole('button', { name: 'Passport' }).waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })
    const calls = () =>
      app.appliance.store.visits.listOpen().filter(({ helpAskedAt }) => helpAskedAt !== null)
    expect(calls()).toHaveLength(1)
    await page.locator('.telling').getByText(unstaffed).waitFor()
    await page.getByRole('button', { name: 'Help', exact: true }).click()
    await page.getByRole('button', { name: 'I need no help any more' }).click()
    await expect.poll(calls).toHaveLength(0)
    await page.locator('.telling').getByText(unstaffed).waitFor({ state: 'detached' })
  })

  test(
    'an applicant who walks away leaves nothing behind: the kiosk warns, then starts clean',
    async () => {
      const { page } = await openKiosk(KIOSK_SCREEN, { ownClock: true })
      const { reading, warning } = IDLE_SECONDS
      await page.getByRole('button', { name: 'Text', exact: true }).click()
      await page.locator('dialog').getByRole('button', { name: 'High contrast' }).click()
      await page.locator('dialog').getByRole('button', { name: 'Go on' }).click()
      await agree(page)
      await chooseByHand(page)
      const warned = page.getByRole('heading', { name: 'Do you need more time?' })
      await page.clock.fastForward((reading / 2) * 1000)
      expect(await warned.count()).toBe(0)
      await page.clock.fastForward((reading / 2) * 1000)
      await warned.waitFor()
      await expectAccessible(page)
      // Any touch extends, beside the buttons too.
      await page.mouse.click(5, 5)
      await page.getByRole('heading', { name: 'Which document have you got?' }).waitFor()
      await page.locator('dialog').waitFor({ state: 'detached' })
      await page.clock.fastForward(reading * 1000)
      await warned.waitFor()
      await page.clock.fastForward(warning * 1000)
      await page.getByRole('heading', { name: 'Check who you are' }).waitFor()
      await expectFresh(page)
      expect(await page.evaluate(() => document.documentElement.dataset.contrast)).toBe('standard')
    },
    VISIT_MS,
  )

  test(
    'a server that is gone takes nothing from the person, and the machine continues by itself when it is back',
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-kiosk-'))
      // The test never reaches a picture.
      const vision = scriptedVision()
      const first = await startKiosk({ vision, dataDir })
      const { page } = await openKiosk(KIOSK_SCREEN, { kiosk: first })
      await agree(page)
      await chooseByHand(page)
      await first.stop()
      // The act cannot arrive, and is not forgotten.
      await page.getByRole('button', { name: 'Passport' }).click()
      await page.getByText('The line is down for a moment').waitFor()
      await expectAccessible(page)
      const second = await startKiosk({ vision, dataDir, port: Number(new URL(first.url).port) })
      try {
        await page.getByText('The line is down for a moment').waitFor({ state: 'detached' })
        expect(await page.locator('h1').innerText()).not.toBe('')
      } finally {
        await second.close()
      }
    },
    VISIT_MS,
  )

  test('the way to the camera can be gone with the keyboard alone, and with one switch', async () => {
    const { page } = await openKiosk(COUNTER_SCREEN)
    await page.locator('.choices button').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Before we start' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await focusOn(page, '#consent-agree', 'ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('heading', { name: 'Show your document' }).waitFor()
    await focusOn(page, '#choose-document', 'ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('heading', { name: 'Which document have you got?' }).waitFor()
    // Two switches, chosen by keys as well.
    await focusOn(page, '#bar-display', 'F3')
    await page.keyboard.press('F4')
    for (let i = 0; i < 30 && !(await focused(page)).includes('switches'); i++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    for (let i = 0; i < 30 && (await focused(page)) !== 'Go on'; i++) await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    for (let i = 0; i < 30 && (await focused(page)) !== 'Passport'; i++) await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /country/i }).waitFor()
  })

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

  async function focusOn(page: Page, selector: string, key: string) {
    for (let i = 0; i < 30; i++) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return
      await page.keyboard.press(key)
    }
    throw new Error(`${selector} cannot be reached`)
  }

  test.each([
    ['upright', KIOSK_SCREEN],
    ['lying', { width: 1920, height: 1080 }],
    ['of the counter', COUNTER_SCREEN],
  ])(
    'everything one touches is large and in reach, and nothing is hidden in very large letters: %s',
    async (_, screen) => {
      const { page } = await openKiosk(screen)
      for (const text of ['1', '2', '3']) {
        await page.evaluate((size) => (document.documentElement.dataset.text = size), text)
        await settled(page)
        const found = await page.evaluate(controlsOf)
        const scale = found.unit
        for (const control of found.controls) {
          expect(control.height, `${control.text} at text ${text}`).toBeGreaterThanOrEqual(63 * scale)
          expect(control.isHidden, `${control.text} at text ${text}`).toBe(false)
          if (screen === KIOSK_SCREEN && text === '1')
            expect(control.top, control.text).toBeGreaterThanOrEqual(1119)
        }
        expect(found.scrolls).toBe(false)
        expect(found.smallestPx).toBeGreaterThanOrEqual(34 * scale - 0.1)
      }
    },
  )

  /** A fresh page at the welcome screen; `problems` gathers what a clean page never has. */
  async function openKiosk(
    viewport: { width: number; height: number },
    { kiosk = app, before, ownClock = false }: { kiosk?: TestApp; before?: Visitor; ownClock?: boolean } = {},
  ) {
    await Promise.all(open.splice(0).map((former) => former.close()))
    const context = await browser.newContext({ viewport })
    open.push(context)
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      // The browser logs the 401 for "there is no visit" by itself.
      if (/401 \(Unauthorized\)/.test(message.text())) return
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== kiosk.url && protocol !== 'blob:') problems.push(`request to ${origin}`)
    })
    if (before) await standBefore(page, before)
    // It runs like any other, and the test can put it forward.
    if (ownClock) await page.clock.install()
    await page.goto(kiosk.url)
    await page.getByRole('heading', { name: 'Check who you are' }).waitFor()
    expect(await page.locator('.test-banner').innerText()).toBe('Test mode: results are not for real use')
    // Check each screen shape once.
    if (!lookedAt.has(viewport)) await expectAccessible(page)
    lookedAt.add(viewport)
    return { page, problems }
  }

  /** Two cameras: one over the table, one at the face. */
  async function standBefore(page: Page, { document, face, asked }: Visitor) {
    await page.exposeFunction('asked', asked)
    await page.addInitScript(tellAsked)
    await installCameras(page, BOTH_CAMERAS, (deviceId) => (deviceId === 'document' ? document() : face()))
  }

  /** Runs a visit from the welcome to the result; returns the reference on the receipt. */
  async function visit(page: Page): Promise<string> {
    await agree(page, expectAccessible)
    await page.getByRole('heading', { name: 'Show your document' }).waitFor()
    // The shutter is automatic.
    await page.getByRole('heading', { name: 'Is this right?' }).waitFor({ timeout: VISIT_MS })
    await expectAccessible(page)
    await confirmData(page)
    await page.getByRole('heading', { name: 'Look at the camera' }).waitFor()
    await expectAccessible(page)
    clock.stand()
    await page.locator('#start-portrait').click()
    await page
      .getByRole('heading', { name: /Looking at the photo|Checking|Finished|Please go to the counter/ })
      .waitFor({ timeout: VISIT_MS })
    clock.run()
    return (await page.locator('#reference').textContent({ timeout: VISIT_MS })) ?? ''
  }
})

/** Expects a welcome without any trace of an earlier visit. */
async function expectFresh(page: Page) {
  await page.getByRole('heading', { name: 'Check who you are' }).waitFor()
  expect(await page.context().cookies()).toEqual([])
  const kept = await page.evaluate(async () => ({
    local: localStorage.length,
    session: sessionStorage.length,
    caches: (await caches.keys()).length,
    databases: (await indexedDB.databases()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    address: location.hash + location.search,
    history: history.length,
    state: history.state as unknown,
  }))
  expect(kept).toMatchObject({
    local: 0,
    session: 0,
    caches: 0,
    databases: 0,
    workers: 0,
    address: '',
    state: null,
  })
  expect(kept.history).toBeLessThanOrEqual(2)
}

/** Runs in the page. */
function controlsOf() {
  const unit = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--u'))
  const bar = document.querySelector('.bar')?.getBoundingClientRect()
  const controls = [...document.querySelectorAll('button')]
    .filter((button) => button.checkVisibility({ visibilityProperty: true }))
    .map((button) => {
      const box = button.getBoundingClientRect()
      const isInBar = button.closest('.bar') !== null
      const isHidden =
        box.left < 0 ||
        box.right > innerWidth + 1 ||
        box.bottom > innerHeight + 1 ||
        (!isInBar && box.bottom > (bar?.top ?? 0) + 1)
      return { text: button.innerText, top: box.top, height: box.height, isHidden }
    })
  const letters = [...document.querySelectorAll('h1, h2, p, span, button')]
    .filter(
      (element) =>
        (element as HTMLElement).innerText?.trim() && element.checkVisibility({ visibilityProperty: true }),
    )
    .map((element) => Number.parseFloat(getComputedStyle(element).fontSize))
  return {
    unit,
    controls,
    smallestPx: Math.min(...letters),
    scrolls:
      document.documentElement.scrollHeight > innerHeight ||
      document.documentElement.scrollWidth > innerWidth,
  }
}

/** No finding of axe-core, for the screen as it stands. */
async function expectAccessible(page: Page) {
  await settled(page)
  const findings = await scan(page)
  expect(findings).toEqual([])
}
