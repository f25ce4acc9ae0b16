/**
 * A person proven at the counter, in Debian's Chromium with the real vision: consent on the person's own display, a passport
 * before the camera and in the hands of staff, a living face, and a sealed proof in which it stands that staff were there.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccounts } from '../../server/counter/staff/accounts.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { extractArchive } from '../../server/proof/multipart.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { actedClock } from '../support/acted-clock.ts'
import { startTestApp } from '../support/app.ts'
import type { TestApp } from '../support/app.ts'
import { BOTH_CAMERAS, installCameras } from '../support/pretended-cameras.ts'
import { lendVision } from '../support/remembering-vision.ts'
import { tellAsked, visitor } from '../support/visitor.ts'
import { giveBack, newPage, setUp, unlock } from './counter-stage.ts'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'

/** A folder for pictures of the screens, to be looked at. */
const SHOTS = process.env.COUNTER_SHOTS
const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')
/** Two captures through the whole vision worker on a busy machine. */
const VISIT_MS = 600_000

describe.skipIf(!present)('assisting at the counter, in a browser', () => {
  let app: TestApp
  let browser: Browser
  let url: string
  const clock = actedClock()
  const problems: string[] = []

  beforeAll(async () => {
    if (SHOTS) mkdirSync(SHOTS, { recursive: true })
    const vision = await lendVision()
    app = await startTestApp({ screensDir: await ensureRendererBuilt(), clock, vision })
    url = app.url.replace('127.0.0.1', 'localhost')
    browser = await launchChromium()
  }, VISIT_MS)

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  async function anOfficer(login: string, prepare: (page: Page) => Promise<void> = async () => undefined) {
    const accounts = openAccounts({ store: app.appliance.store, clock, newId: () => uuidv7() })
    const { setUpCode } = accounts.create(
      { login, name: `${login} Example`, roles: ['officer'], language: 'en' },
      { author: { actor: 'operator' }, staffId: null },
    )
    const page = await newPage(browser)
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (/Content Security|TrustedHTML/.test(message.text())) problems.push(message.text())
    })
    await prepare(page)
    await setUp(page, url, login, setUpCode)
    await page.getByRole('link', { name: 'Assist' }).click()
    await page.getByRole('heading', { name: 'Assist', exact: true }).waitFor()
    return page
  }

  /** Answers the consent on any display, from the question to the thanks. @returns the optional questions. */
  async function agree(display: Page): Promise<string[]> {
    await display.getByRole('heading', { name: 'Before we start' }).waitFor()
    await display.getByRole('button', { name: 'Yes, I agree' }).click()
    return answerOptions(display)
  }

  async function beginAgreed(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByRole('button', { name: 'Turn this screen' }).click()
    await agree(page)
    await giveBack(page)
  }

  async function choosePassport(page: Page): Promise<void> {
    await page.getByLabel('Country').selectOption('UTO')
    await page.getByLabel('Kind of document').selectOption('PASSPORT')
  }

  async function answerOptions(display: Page): Promise<string[]> {
    const questions: string[] = []
    // The optional questions, one by one.
    const thanks = display.getByRole('heading', { name: 'Thank you' })
    const yes = display.getByRole('button', { name: 'Yes', exact: true })
    while (questions.length < 10) {
      await thanks.or(yes).first().waitFor()
      if (await thanks.isVisible()) break
      const heading = await display.locator('.display h1').innerText()
      questions.push(heading)
      await yes.click()
      await display.waitForFunction(
        (before) => document.querySelector('.display h1')?.textContent !== before,
        heading,
      )
    }
    return questions
  }

  test(
    'the person agrees on the turned screen or a second one, and staff can say no word for them',
    async () => {
      const page = await anOfficer('ines')
      await expectAccessible(page, 'start')
      await shot(page, 'assist-start')
      await page.getByRole('button', { name: 'Begin' }).click()
      await page.getByRole('heading', { name: 'The person agrees' }).waitFor()
      await expectAccessible(page, 'consent')
      await shot(page, 'assist-consent')

      await page.getByRole('button', { name: 'Turn this screen' }).click()
      await page.getByRole('heading', { name: 'Before we start' }).waitFor()
      await expectAccessible(page, 'turned')
      await shot(page, 'assist-turned')
      // The officer's page is covered, and no key uncovers it.
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      expect(await page.locator('dialog.turned').isVisible()).toBe(true)
      await giveBack(page)
      await page.getByText('The question is on the person’s display').waitFor()

      const [display] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('button', { name: 'Second display' }).click(),
      ])
      const asked = await agree(display)
      // No gateway for messages and no register is connected: no consent for these is asked.
      expect(asked).toEqual(['May we also keep what you or we type in?'])
      await expectAccessible(display, 'second display')
      await display.close()
      await page.getByRole('heading', { name: 'Photograph the document' }).waitFor()
      await stop(page)
      expect(problems).toEqual([])
      await page.close()
    },
    VISIT_MS,
  )

  test(
    'what the person and the officer have answered outlasts a screen that is given back and a step that is left',
    async () => {
      const page = await anOfficer('nora')
      await page.getByRole('button', { name: 'Begin' }).click()
      await page.getByRole('button', { name: 'Turn this screen' }).click()
      await page.getByRole('button', { name: 'Yes, I agree' }).click()
      const option = page.getByRole('heading', { name: 'May we also keep what you or we type in?' })
      await option.waitFor()
      // The person asks something, gives the screen back, and continues where they were.
      await giveBack(page)
      await page.getByRole('button', { name: 'Turn this screen' }).click()
      await option.or(page.getByRole('heading', { name: 'Before we start' })).waitFor()
      expect(await option.isVisible()).toBe(true)
      await answerOptions(page)
      await giveBack(page)

      await choosePassport(page)
      await step(page, 'Data')
      await page.getByText('Type a value').click()
      await page.getByLabel('Family name').fill('Silverthorn')
      await step(page, 'Document')
      expect(await page.getByLabel('Kind of document').inputValue()).toBe('PASSPORT')
      await step(page, 'Data')
      expect(await page.getByLabel('Family name').inputValue()).toBe('Silverthorn')
      await stop(page)
      await page.close()
    },
    VISIT_MS,
  )

  test(
    'a screen that was turned for longer than a moment comes back locked, and the page behind it waits for the officer',
    async () => {
      const page = await anOfficer('vera')
      await page.getByRole('button', { name: 'Begin' }).click()
      await page.getByRole('button', { name: 'Turn this screen' }).click()
      await agree(page)
      await page.waitForTimeout(10_500)
      await page.getByRole('button', { name: 'Give back' }).click()
      await page.getByRole('button', { name: 'Unlock' }).waitFor()
      expect(await page.locator('.workplace').isVisible()).toBe(false)
      await unlock(page)
      await page.getByRole('heading', { name: 'Photograph the document' }).waitFor()
      await stop(page)
      await page.close()
    },
    VISIT_MS,
  )

  test(
    'nothing is being checked while the camera has taken no photo',
    async () => {
      const page = await anOfficer('ruth')
      await beginAgreed(page)
      await choosePassport(page)
      const opened = page.waitForResponse((response) => response.url().endsWith('/document/session'))
      await page.getByRole('button', { name: 'Camera', exact: true }).click()
      await opened
      // Loaded again, the page knows what the server knows.
      await page.reload()
      const steps = page.getByRole('navigation', { name: 'Steps' })
      await steps.waitFor()
      expect(await steps.getByRole('button', { name: /Document/ }).innerText()).toContain('To do')
      expect(await page.locator('main').innerText()).not.toContain('Being checked')
      await stop(page)
      await page.close()
    },
    VISIT_MS,
  )

  const step = (page: Page, name: string) =>
    page
      .getByRole('navigation', { name: 'Steps' })
      .getByRole('button', { name: new RegExp(name) })
      .click()

  async function stop(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Stop and erase' }).click()
    await page.getByLabel('The person wants to stop').check()
    await expectAccessible(page, 'stop')
    await page.locator('dialog').getByRole('button', { name: 'Stop and erase' }).click()
    await page.getByText('Stopped. Everything is erased.').waitFor()
  }

  test(
    'a passport in the hands of staff and a living face before them become a sealed proof that says so',
    async () => {
      const { document, face, asked } = await visitor('alba', clock)
      const page = await anOfficer('omar', async (fresh) => {
        await fresh.exposeFunction('asked', asked)
        await fresh.addInitScript(tellAsked)
        await installCameras(fresh, BOTH_CAMERAS, (id) => (id === 'document' ? document() : face()))
      })
      await beginAgreed(page)

      await choosePassport(page)
      await page.getByRole('button', { name: 'Camera', exact: true }).click()
      await page.locator('document-capture video').waitFor()
      await shot(page, 'assist-document')
      await page.getByText('Verified', { exact: true }).first().waitFor({ timeout: VISIT_MS })
      await expectAccessible(page, 'document')
      await shot(page, 'assist-document-read')

      await page.getByRole('button', { name: 'In your hands' }).click()
      for (const feature of ['Edges are clean', 'Binding', 'Nothing lies over', 'Picture changes'])
        await page
          .getByRole('row', { name: new RegExp(`^${feature}`) })
          .getByLabel(/As it should/)
          .check()
      await page.getByLabel(/I was there, saw the person/).check()
      await expectAccessible(page, 'handled')
      await shot(page, 'assist-handled')
      await page.getByRole('button', { name: 'Write it down' }).click()
      await page.getByRole('heading', { name: 'Data that was read' }).waitFor()
      await expectAccessible(page, 'data')
      await shot(page, 'assist-data')
      await page.getByRole('button', { name: 'Continue' }).click()

      await page.getByRole('heading', { name: 'Photograph the face' }).waitFor()
      await expectAccessible(page, 'portrait')
      await shot(page, 'assist-portrait')
      await page.getByText('The person cannot do it as usual').click()
      await page.getByLabel('A helper is there').check()
      // Such a face counts by the officer's statement, and the page says so before the capture.
      await page.getByLabel('Without turning the head').check()
      await page.getByText('Your statement counts here').waitFor()
      await expectAccessible(page, 'portrait without turning')
      await shot(page, 'assist-portrait-officer')
      await page.getByLabel('Without turning the head').uncheck()
      clock.stand()
      await page.getByRole('button', { name: 'Turn the screen and begin' }).click()
      await page.locator('portrait-capture').waitFor()
      await shot(page, 'assist-face')
      const shown = page.getByRole('heading', { name: 'Face', exact: true })
      const locked = page.getByRole('button', { name: 'Unlock' })
      await shown.or(locked).first().waitFor({ timeout: VISIT_MS })
      if (await locked.isVisible()) await unlock(page)
      await shown.waitFor({ timeout: VISIT_MS })
      clock.run()
      // The reason that the officer gave before the screen was turned is still there, and goes into the proof.
      expect(await page.getByLabel('A helper is there').isChecked()).toBe(true)
      await page.getByRole('button', { name: 'Yes, I was there' }).click({ timeout: VISIT_MS })
      await page.getByText('You were there: written down').waitFor()
      await page.getByRole('button', { name: /^6. Finish/ }).click({ timeout: VISIT_MS })
      await expectAccessible(page, 'finish')
      await shot(page, 'assist-finish')
      expect(await page.locator('main').innerText()).not.toContain('is sealed')
      await page.getByRole('button', { name: 'Seal and finish' }).click({ timeout: VISIT_MS })
      // Sealing cannot be undone, so that it takes two acts.
      await page.getByRole('heading', { name: 'Seal this proof?' }).waitFor()
      expect(app.appliance.store.events.after(0, 10_000).some(({ type }) => type === 'proof.sealed')).toBe(
        false,
      )
      await page.getByRole('dialog').getByRole('button', { name: 'Seal and finish' }).click()
      await page.getByRole('heading', { name: /^Finished/ }).waitFor()
      await page.getByText('The proof is sealed. Hand over the receipt.').waitFor()
      await expectAccessible(page, 'result')
      await shot(page, 'assist-result')
      expect(await page.locator('.receipt').innerText()).not.toMatch(/SILVERTHORN|LIVIA|Confirmed/i)

      const { store } = app.appliance
      const sealed = store.events.after(0, 10_000).filter(({ type }) => type === 'proof.sealed')
      expect(sealed).toHaveLength(1)
      const identityId = String(sealed[0]?.identityId)
      const findings = store.evidences
        .list(identityId)
        .flatMap(({ evaluation }) => evaluation.positiveIndicators)
      expect(findings).toEqual(expect.arrayContaining(['TACTILE_INSPECTION_OK', 'ATTENDED_CAPTURE_OK']))
      const answer = await app.call('GET', `/v1/identities/${identityId}/proof`)
      const archive = extractArchive(new Uint8Array(await answer.arrayBuffer()))
      const jwks: unknown = await (await fetch(`${app.url}/.well-known/jwks.json`)).json()
      expect(archive && (await verifyProof(archive, { jwks }))).toMatchObject({ valid: true, identityId })
      expect(problems).toEqual([])
    },
    VISIT_MS,
  )

  async function shot(page: Page, name: string): Promise<void> {
    if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) })
  }
})

/** No finding of axe-core, for the page as it stands. */
async function expectAccessible(page: Page, where: string): Promise<void> {
  const findings = await scan(page)
  expect([where, findings]).toEqual([where, []])
}
