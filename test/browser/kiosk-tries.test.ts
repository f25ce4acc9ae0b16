/**
 * A try that did not help, and the next one: through a real server, in Debian's Chromium. What the pictures show is scripted, so that
 * each try ends as the test says.
 */
import { existsSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { faultsOfFace, measureFace } from './face-geometry.ts'
import { chooseByHand } from './journey.ts'
import { aPassport } from '../server/app/scripted-vision.ts'
import type { Sight } from '../support/seeing-worker.ts'
import { BOTH_CAMERAS, FACE_CAMERA, installCameras, plugIn } from '../support/pretended-cameras.ts'
import { noise } from '../support/noise-picture.ts'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'
import { connectAddressRegister } from '../support/address-register.ts'
import { connectIssuer } from '../support/issuing-source.ts'
import { HOME, NUMBER, numberedPassport } from '../support/numbered-passport.ts'
import {
  DOES,
  KIOSK_SCREEN,
  arriveAt,
  begin,
  startKioskStage,
  typeCode,
  type KioskStage,
} from './kiosk-stage.ts'

vi.mock('node:child_process', async (original) =>
  (await import('../support/seeing-fork.ts')).withSeeingWorker(await original()),
)

const VISIT_MS = 240_000
const COUNTER_SCREEN = { width: 1366, height: 768 }
const PASSPORT = sceneOf(aPassport())
const ENDED = sceneOf(aPassport({ expiryDate: '200101' }))

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('at the kiosk', () => {
  let stage: KioskStage
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    stage = await startKioskStage({ document: aPassport(), config: { brand: 'lantern' } })
    browser = await launchChromium()
  }, VISIT_MS)
  afterEach(async () => {
    await context?.close()
    stage.see({ document: PASSPORT, isPortraitDark: false, isFaceAway: false, held: [], prompt: null })
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  test(
    'the camera of another try stays open until the photo is taken, for the document and for the face',
    async () => {
      stage.see({ document: ENDED })
      const page = await openKiosk()
      await DOES.consent(page, stage)
      await page.getByRole('heading', { name: 'Another document' }).waitFor()
      stage.see({ document: null })
      await page.getByRole('button', { name: 'Other document' }).click()
      await staysOpen(page, 'document-capture')
      stage.see({ document: PASSPORT })

      await goToFace(page)
      stage.see({ isPortraitDark: true })
      await DOES.portrait(page, stage)
      await page.getByRole('heading', { name: 'One more photo of your face' }).waitFor()
      stage.see({ isPortraitDark: false, held: ['trackFace'] })
      await page.getByRole('button', { name: 'Try once more' }).click()
      await staysOpen(page, 'portrait-capture')
      const upright = await measureFace(page)
      await page.setViewportSize(COUNTER_SCREEN)
      const lying = await measureFace(page)
      await page.setViewportSize(KIOSK_SCREEN)
      stage.see({ held: [] })
      expect(faultsOfFace(upright, KIOSK_SCREEN)).toEqual([])
      expect(faultsOfFace(lying, COUNTER_SCREEN)).toEqual([])
      const filmsMore = await arriveAt(page, 'result')
      const paper = page.locator('.receipt')
      expect(await paper.locator('.receipt-head').textContent()).toBe('Example Bank')
      const logo = paper.locator('.brand-logo img')
      expect(
        await logo.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
      ).toBe(96)
      expect(await paper.textContent()).not.toMatch(/counterproof/i)
      // The branch counts what was handed in and typed, once each.
      const { visits } = stage.app.appliance.store
      const [visit] = visits.list({ since: new Date(0), until: new Date(Date.now() + 60_000) })
      const tries = visits.listNotes(visit?.id ?? '').filter(({ kind }) => kind === 'TRY')
      const portraits = Array.from({ length: 2 + filmsMore }, () => 'portrait')
      expect(tries.map(({ step }) => step)).toEqual(['document', 'document', 'phone', ...portraits])
    },
    VISIT_MS,
  )

  test(
    'a refused document that still lies before the camera is not photographed again by itself, and the screen says why',
    async () => {
      stage.see({ document: ENDED })
      const page = await openKiosk()
      await DOES.consent(page, stage)
      const again = page.getByRole('heading', { name: 'Another document' })
      await again.waitFor()
      await page.getByRole('button', { name: 'Other document' }).click()
      const line = page.locator('.guidance')
      await line.getByText('We wait. Move it, turn it, or show another document').waitFor()
      // The ring fills within 0.8 s, and a photo is looked at within seconds.
      await page.waitForTimeout(6000)
      expect(await again.count()).toBe(0)
      expect(await page.locator('#take-photo').isVisible()).toBe(true)

      stage.see({ document: null })
      await line.getByText('Show your document to the camera').waitFor()
      stage.see({ document: PASSPORT })
      await arriveAt(page, 'check')
    },
    VISIT_MS,
  )

  test(
    'a film in which the camera saw no face says so',
    async () => {
      const page = await openKiosk()
      await DOES.consent(page, stage)
      await goToFace(page)
      stage.see({ isFaceAway: true })
      await DOES.portrait(page, stage)
      await page
        .getByText('We did not see your face. Stand before the camera and look at it.')
        .waitFor({ timeout: 120_000 })
    },
    VISIT_MS,
  )

  test(
    'the reason of the second failed film is the heading above the tips',
    async () => {
      const page = await openKiosk()
      await DOES.consent(page, stage)
      await goToFace(page)
      stage.see({ isPortraitDark: true })
      await DOES.portrait(page, stage)
      const again = page.getByRole('button', { name: 'Try once more' })
      await page.getByRole('heading', { name: 'One more photo of your face' }).waitFor()
      await again.click()
      await page.getByRole('list', { name: 'Three tips' }).waitFor({ timeout: 120_000 })
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('More light needed')
    },
    VISIT_MS,
  )

  test('a kiosk whose camera is missing says so before the visit begins, until a camera is there', async () => {
    context = await browser.newContext({ viewport: KIOSK_SCREEN, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await installCameras(page, [], noise)
    await page.goto(stage.app.url)
    const told = page.getByText('No camera just now: a person takes your photos.')
    await told.waitFor()
    await plugIn(page, FACE_CAMERA)
    await told.waitFor({ state: 'hidden' })
  })

  test(
    'a photo without a document is told at once, and a passport may take the place of an identity card',
    async () => {
      stage.see({ document: null })
      const page = await openKiosk()
      // A glossy document reflects a bright screen.
      expect(await themeOf(page)).toBe('paper')
      await DOES.consent(page, stage)
      await arriveAt(page, 'capture')
      expect(await themeOf(page)).toBe('ink')
      const shutter = page.locator('#take-photo')
      await page.locator('document-capture .is-ready').waitFor()
      await shutter.click()
      await page.getByText('We could not use that photo.').waitFor()
      // The best of several is handed on to be looked at.
      const isNone = page.locator('main').getByText('There is no document in the photo')
      for (let i = 0; i < 5 && !(await isNone.isVisible()); i++) {
        await shutter.click()
        await isNone.waitFor({ timeout: 4000 }).catch(() => undefined)
      }
      expect(await isNone.isVisible()).toBe(true)
      expect(await page.getByText('Front done').count()).toBe(0)

      await chooseByHand(page)
      expect(await themeOf(page)).toBe('paper')
      await page.getByRole('button', { name: 'Identity card' }).click()
      stage.see({ document: PASSPORT, held: ['measureDocument'] })
      await page.getByRole('button', { name: 'Utopia' }).click()
      // The appliance looks at the photo: a longer wait shows its steps.
      const waits = page.locator('.wait-steps')
      await waits.getByText('Kind of document').waitFor()
      expect((await waits.innerText()).split('\n')).toEqual([
        'Photo',
        'done',
        'Kind of document',
        'now',
        'Data',
        'to do',
      ])
      stage.see({ held: [] })
      await page.locator('main').getByText('This looks like: Passport. Use this document?').waitFor()
      stage.see({ held: ['readSide'] })
      await page.getByRole('button', { name: 'Yes, use it' }).click()
      // A longer wait shows what is done and what comes.
      await page.getByRole('heading', { name: 'Reading your document' }).waitFor()
      expect((await page.locator('.rows').innerText()).split('\n')).toEqual([
        'Document',
        'now',
        'Phone',
        'to do',
        'Face',
        'to do',
        'Result',
        'to do',
      ])
      stage.see({ held: [] })
      await arriveAt(page, 'check')

      // On a low screen the data has several pages: confirming needs all of them.
      await page.setViewportSize({ width: 1366, height: 768 })
      const next = page.getByRole('button', { name: 'Next' })
      await next.waitFor()
      const right = page.locator('#check-right')
      expect(await right.isVisible()).toBe(false)
      // Number and year of birth are covered, and a value that was never shown is not confirmed.
      expect(await right.textContent()).toBe('Yes, what I see is right')
      await page.locator('#check-show').click()
      expect(await right.textContent()).toBe('Yes, this is right')
      await DOES.check(page, stage)
      await arriveAt(page, 'phone')
    },
    VISIT_MS,
  )

  test(
    'a number for the issuer and an address are typed with keys alone',
    async () => {
      const sends = ['documentNumber', 'surname', 'givenName', 'dateOfBirth', 'cardNumber']
      const licences = await connectIssuer({ sends, needs: ['cardNumber'] })
      const addresses = await connectAddressRegister([HOME])
      const { issuer } = licences
      const { register } = addresses
      const asking = await startKioskStage({
        document: numberedPassport(),
        config: {
          ...licences.config,
          connectors: {
            ...licences.config.connectors,
            ...addresses.config.connectors,
            sms: { url: stage.gateway.url, allowHttp: true, timeoutMs: 300 },
          },
        },
        files: { ...licences.files, ...addresses.files },
      })
      try {
        context = await browser.newContext({ viewport: KIOSK_SCREEN, reducedMotion: 'reduce' })
        await asking.watch(context)
        const page = await context.newPage()
        await installCameras(page, BOTH_CAMERAS, noise)
        await begin(page, asking.app.url)
        await DOES.consent(page, asking)
        for (const source of ['Licence office', 'Register of residents']) {
          await page.getByText(source).first().waitFor()
          await page.locator('.hands button').first().click()
        }
        await arriveAt(page, 'check')
        await DOES.check(page, asking)
        await goFromPhoneToFace(page)
        expect([issuer.requests, register.requests]).toEqual([[], []])
        await DOES.portrait(page, asking)

        await page.getByRole('heading', { name: 'Type the card number' }).waitFor({ timeout: VISIT_MS })
        await page.getByText('Licence office needs this number to confirm your document').waitFor()
        expect(await scan(page)).toEqual([])
        // The title has the focus, and the keys go to the field.
        await page.keyboard.type('P1234567')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Is this number right?' }).waitFor()
        expect(await page.locator('main strong').innerText()).toContain('P123 4567')
        expect(await scan(page)).toEqual([])
        expect(issuer.requests).toEqual([])
        await pressNext(page)

        for (const [title, value] of [
          ['House number and street', '12 Long Street'],
          ['Postcode', '1000'],
          ['Town or city', 'Utopia City'],
        ]) {
          await page.getByRole('heading', { name: title }).waitFor()
          await page.keyboard.type(value)
          await page.keyboard.press('Enter')
        }
        await page.getByRole('heading', { name: 'Is this your address?' }).waitFor()
        expect(register.requests).toEqual([])
        await pressNext(page)
        await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
        expect(await scan(page)).toEqual([])
        await pressNext(page)
        await arriveAt(page, 'result')

        const question = JSON.parse(issuer.requests[0].body) as { readonly values: object }
        expect(question.values).toMatchObject({ documentNumber: NUMBER, cardNumber: 'P1234567' })
        const { store } = asking.app.appliance
        const { identityId = '' } =
          store.visits.list({ since: new Date(0), until: new Date(8.64e15) })[0] ?? {}
        const found = store.evidences.list(identityId ?? '')
        const [document, address] = ['IDDOCUMENT', 'ADDRESS'].map((family) =>
          found.find((evidence) => evidence.family === family),
        )
        expect([document?.status, address?.status]).toEqual(['VERIFIED', 'VERIFIED'])
        expect(document?.evaluation.positiveIndicators).toContain('GIV_VERIFICATION_VERIFIED')
        expect(asking.log()).not.toMatch(/P1234567|Long Street/i)
      } finally {
        await asking.close()
        await issuer.close()
        await register.close()
      }
    },
    VISIT_MS,
  )

  /** The acts between the document's photo and the face. */
  async function goToFace(page: Page): Promise<void> {
    await arriveAt(page, 'check')
    await DOES.check(page, stage)
    await goFromPhoneToFace(page)
  }

  async function goFromPhoneToFace(page: Page): Promise<void> {
    await arriveAt(page, 'phone')
    await DOES.phone(page, stage)
    await typeCode(page, stage)
    await arriveAt(page, 'portrait')
  }

  /** The same camera, before and after the server said where the visit stands. */
  async function staysOpen(page: Page, element: 'document-capture' | 'portrait-capture'): Promise<void> {
    const camera = page.locator(`${element} .is-ready`)
    await camera.waitFor()
    const opened = await page.locator(element).elementHandle()
    await page.waitForResponse((response) => response.url().endsWith('/visit'))
    await page.waitForTimeout(200)
    expect(await opened?.evaluate((one) => one.isConnected)).toBe(true)
    expect(await camera.isVisible()).toBe(true)
  }

  async function openKiosk(): Promise<Page> {
    context = await browser.newContext({ viewport: KIOSK_SCREEN, reducedMotion: 'reduce' })
    await stage.watch(context)
    const page = await context.newPage()
    await installCameras(page, BOTH_CAMERAS, noise)
    await begin(page, stage.app.url)
    return page
  }
})

/** The first control after the title, by keys. */
async function pressNext(page: Page): Promise<void> {
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
}

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.surround)

function sceneOf(picture: Uint8Array): Sight['document'] {
  return JSON.parse(Buffer.from(picture).toString('utf8')) as Sight['document']
}
