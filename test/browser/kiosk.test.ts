/**
 * One whole proofing at the kiosk, in Debian's Chromium with a pretended camera that shows a specimen person:
 * from the first screen to a sealed proof that verifies with nothing but the public key.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { referenceOf } from '../../server/kiosk/reference.ts'
import { extractArchive } from '../../server/proof/multipart.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { writeCameraClip } from '../../server/specimen/camera-clip.ts'
import { startTestApp } from '../support/app.ts'
import type { TestApp } from '../support/app.ts'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')
const PERSON = 'amber'
const OTHER_PERSON = 'cole'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Two photographs through the whole vision worker on a busy machine. */
const JOURNEY_MS = 120_000
const KIOSK_SCREEN = { width: 1080, height: 1920 }
const COUNTER_SCREEN = { width: 1366, height: 768 }

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the kiosk in a browser', () => {
  let app: TestApp
  let browser: Browser
  let folder: string
  let camera: string

  /** What the camera shows from the next time that a page opens it. */
  const show = (clip: string) => renameSync(join(folder, `${clip}.mjpeg`), camera)
  const prepare = async (clip: string, picture: string, width: number, height: number) =>
    writeCameraClip(join(SPECIMENS, picture), join(folder, `${clip}.mjpeg`), { width, height, frames: 4 })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kiosk-camera-'))
    camera = join(folder, 'camera.mjpeg')
    await prepare('document', `${PERSON}/passport-photo.jpg`, 1920, 1440)
    show('document')
    const screensDir = await ensureRendererBuilt()
    app = await startTestApp({ screensDir })
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--use-fake-device-for-media-stream',
        '--use-fake-ui-for-media-stream',
        `--use-file-for-fake-video-capture=${camera}`,
        // Chromium's own sandbox cannot start for root.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    })
  }, JOURNEY_MS)

  afterAll(async () => {
    await browser.close()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test(
    'the holder of a passport is confirmed, and the sealed proof verifies with the public key alone',
    async () => {
      await prepare('document', `${PERSON}/passport-photo.jpg`, 1920, 1440)
      await prepare('face', `${PERSON}/live.jpg`, 1280, 960)
      show('document')
      const { page, problems } = await openKiosk(KIOSK_SCREEN)
      await agree(page)
      await photograph(page)
      show('face')
      await usePhoto(page)
      await page.getByRole('heading', { name: 'Look at the camera' }).waitFor()
      await expectAccessible(page)
      await photograph(page)
      await usePhoto(page)
      const reference = await page.locator('#reference').textContent({ timeout: JOURNEY_MS })
      expect(await page.locator('#outcome').textContent()).toBe('Your identity was confirmed.')
      await expectAccessible(page)

      const sealed = app.appliance.store.events.after(0, 10_000).filter(({ type }) => type === 'proof.sealed')
      expect(sealed).toHaveLength(1)
      const identityId = String(sealed[0]?.identityId)
      expect(reference).toBe(referenceOf(identityId))
      const answer = await app.call('GET', `/v1/identities/${identityId}/proof`)
      const archive = extractArchive(new Uint8Array(await answer.arrayBuffer()))
      const jwks: unknown = await (await fetch(`${app.url}/.well-known/jwks.json`)).json()
      expect(archive && (await verifyProof(archive, { jwks }))).toMatchObject({
        valid: true,
        identityId,
        test: true,
        levelOfAssurance: 'LOA1',
        problems: [],
      })
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'another person with that passport is sent to the counter, and the screen does not say why',
    async () => {
      await prepare('document', `${PERSON}/passport-photo.jpg`, 1920, 1440)
      await prepare('face', `${OTHER_PERSON}/live.jpg`, 1280, 960)
      show('document')
      const { page } = await openKiosk(COUNTER_SCREEN)
      await agree(page)
      await photograph(page)
      show('face')
      await usePhoto(page)
      await page.getByRole('heading', { name: 'Look at the camera' }).waitFor()
      await photograph(page)
      await usePhoto(page)
      await page.locator('#reference').waitFor({ timeout: JOURNEY_MS })
      expect(await page.locator('#outcome').textContent()).toBe(
        'A person needs to look at this. Go to the counter.',
      )
      expect(await page.locator('body').innerText()).not.toMatch(/match|face|score|1600/i)
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'a picture without a document is asked for again with advice; "Stop" then deletes everything',
    async () => {
      await prepare('document', 'nothing.jpg', 1280, 960)
      show('document')
      const { page } = await openKiosk(COUNTER_SCREEN)
      await agree(page)
      const before = app.appliance.store.events.after(0, 10_000).length
      await photograph(page)
      await usePhoto(page)
      await page.getByRole('heading', { name: 'One more photo of your document' }).waitFor()
      expect(await page.locator('.notice').first().innerText()).toMatch(/Show the whole page/)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await page.getByRole('button', { name: 'Stop and delete' }).click()
      await page.getByRole('heading', { name: 'You stopped' }).waitFor()
      // The screen does not wait for it.
      const events = () => app.appliance.store.events.after(0, 10_000).slice(before)
      await expect.poll(() => events().map(({ type }) => type)).toContain('identity.erased')
      await page.close()
    },
    JOURNEY_MS,
  )

  test('without a camera the person is told what to do and may use a picture file', async () => {
    const { page } = await openKiosk(COUNTER_SCREEN)
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotFoundError'))
    })
    await page.reload()
    await agree(page)
    await page.getByRole('heading', { name: 'There is no camera here' }).waitFor()
    await expectAccessible(page)
    await page.locator('input[type=file]').setInputFiles(join(SPECIMENS, PERSON, 'passport-photo.jpg'))
    await page.getByRole('heading', { name: 'Can you read every word?' }).waitFor()
    await page.close()
  })

  test('the way to the camera can be gone with the keyboard alone', async () => {
    const { page } = await openKiosk(COUNTER_SCREEN)
    await page.getByRole('button', { name: 'Start in English' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Before we start' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('consent-agree')
    await page.keyboard.press('Space')
    await page.getByRole('heading', { name: 'Show your document' }).waitFor()
    await page.close()
  })

  /** A fresh page at the welcome screen; `problems` gathers what a clean page never has. */
  async function openKiosk(viewport: { width: number; height: number }) {
    const problems: string[] = []
    const page = await browser.newPage({ viewport })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== app.url && protocol !== 'blob:') problems.push(`request to ${origin}`)
    })
    await page.goto(app.url)
    await page.getByRole('button', { name: 'Start in English' }).waitFor()
    expect(await page.locator('.test-banner').innerText()).toBe('Test mode: results are not for real use')
    await expectAccessible(page)
    return { page, problems }
  }
})

async function agree(page: Page) {
  await page.getByRole('button', { name: 'Start in English' }).click()
  await page.getByRole('heading', { name: 'Before we start' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Yes, I agree' }).click()
}

async function photograph(page: Page) {
  await page.locator('#take-photo:not([disabled])').click()
  await page.locator('#use-photo').waitFor()
}

async function usePhoto(page: Page) {
  await page.locator('#use-photo').click()
}

/** No finding of axe-core, for the screen as it stands. */
async function expectAccessible(page: Page) {
  await page.waitForTimeout(250) // the screen's fade, during which contrast is not the final one
  await page.evaluate(AXE)
  const findings = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
  expect(findings).toEqual([])
}
