/**
 * The counter in Debian's Chromium, with pictures that viewers and the scripted vision both recognise: a
 * visit taken over from a kiosk, whose captures no officer saw, is inspected, photographed again, completed
 * by typing and sealed; and two faces are compared at the desk.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { visionInDoubt } from '../server/app/adjudicators.ts'
import { aPassport, picture } from '../server/app/scripted-vision.ts'
import { documentForm, portraitForm } from '../support/app.ts'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'
import { connectAddressRegister } from '../support/address-register.ts'
import { connectIssuer } from '../support/issuing-source.ts'
import { HOME, numberedPassport } from '../support/numbered-passport.ts'
import { dataDirWith, staffAt, startStage } from './counter-stage.ts'
import type { Stage } from './counter-stage.ts'
import { readsBehind, visiblePicture } from './visible-pictures.ts'

const ALBA = join(import.meta.dirname, '../../resources/specimens/alba')
const CAMERA = readFileSync(join(ALBA, 'live.jpg'))
/** A folder for pictures of the screens, to be looked at. */
const SHOTS = process.env.COUNTER_SHOTS
const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')
const JOURNEY_MS = 180_000

describe.skipIf(!present)('what was begun elsewhere', () => {
  let stage: Stage
  let browser: Browser
  let licences: Awaited<ReturnType<typeof connectIssuer>>
  let addresses: Awaited<ReturnType<typeof connectAddressRegister>>

  beforeAll(async () => {
    if (SHOTS) mkdirSync(SHOTS, { recursive: true })
    const sends = ['documentNumber', 'surname', 'givenName', 'dateOfBirth', 'cardNumber']
    licences = await connectIssuer({ sends, needs: ['cardNumber'] })
    addresses = await connectAddressRegister([HOME])
    const dataDir = dataDirWith({
      ...licences.config,
      connectors: { ...licences.config.connectors, ...addresses.config.connectors },
    })
    for (const [name, content] of Object.entries({ ...licences.files, ...addresses.files }))
      writeFileSync(join(dataDir, name), content, { mode: 0o600 })
    const vision = withEyes(readsBehind(visionInDoubt()))
    stage = await startStage(await ensureRendererBuilt(), { vision, dataDir })
    browser = await launchChromium()
  }, JOURNEY_MS)

  afterAll(async () => {
    await browser?.close()
    await stage?.app.close()
    await licences?.issuer.close()
    await addresses?.register.close()
  })

  test(
    'a kiosk’s passport is checked in hand, photographed again, typed for, and sealed with a receipt',
    async () => {
      const { page, problems } = await staffAt(browser, stage, 'hanna', ['officer'])

      const visitId = await calledForHelp()
      await open(page, `assist?help-call=${visitId}`)
      await page.getByText('This document was photographed at the kiosk').waitFor()
      await looked(page, 'handed-in-hand')

      // Nothing is written down before something was looked at, and the pictures were compared.
      const save = page.getByRole('button', { name: 'Write it down' })
      const same = page.getByLabel('The document in my hand is the one in the pictures')
      expect(await same.isDisabled()).toBe(true)
      await page.locator('.assist details summary', { hasText: /picture/ }).click()
      await same.check()
      expect(await save.isDisabled()).toBe(true)
      await page.getByLabel('Edges are clean, nothing split or glued: As it should').check()
      await save.click()
      await stage.app.runJobs()
      await page.getByRole('button', { name: /In your hands/ }).click()
      await page.getByText('It does not count as captured before you.').waitFor()
      await looked(page, 'handed-in-hand-noted')

      // Once more, before staff: the newer picture counts, and the earlier one is not lost.
      await page.getByRole('button', { name: 'Photograph it here' }).click()
      await page.getByLabel('Country').selectOption('UTO')
      await page.getByLabel('Kind of document').selectOption('PASSPORT')
      await page.getByRole('button', { name: 'Picture file' }).click()
      await page.locator('.assist input[type=file]').setInputFiles({
        name: 'front.jpg',
        mimeType: 'image/jpeg',
        buffer: visiblePicture('passport', aPassport()),
      })
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await stage.app.runJobs()
      await page.getByText('Earlier pictures stay with the case.').waitFor()
      await looked(page, 'handed-photographed')

      // A second document that no camera reads.
      await page.getByRole('button', { name: 'Another document or photo' }).click()
      await page.getByLabel('Country').selectOption('UTO')
      await page.getByLabel('Kind of document').selectOption('DRIVING_LICENSE')
      await page.getByRole('button', { name: 'Type it' }).click()
      await page.getByLabel('Given names').fill('Anna Maria')
      await page.getByLabel('Family name').fill('Erikson')
      await page.getByLabel('Born').fill('1974-08-12')
      await page.getByLabel('Document number').fill('UT-4471')
      await looked(page, 'handed-typed-document')
      await page.getByRole('button', { name: 'Keep it' }).click()
      await stage.app.runJobs()
      await page
        .getByRole('button', { name: /Data that was read|Data/ })
        .first()
        .click()
      const family = page.getByRole('row', { name: /Family name/ })
      await family.waitFor()
      // Both values stand, and nothing was overwritten.
      expect((await family.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/ERIKSSON.*Erikson.*different/)
      // A licence has a number of its own: it contradicts no passport's.
      expect(await page.getByRole('row', { name: /Document number/ }).innerText()).not.toContain('UT-4471')
      await looked(page, 'handed-data')

      await page
        .getByRole('button', { name: /Face|Portrait/ })
        .first()
        .click()
      await page.getByText('This face was photographed at the kiosk').waitFor()
      expect(await page.getByRole('button', { name: 'Yes, I was there' }).count()).toBe(0)
      await looked(page, 'handed-portrait')
      await page.getByRole('button', { name: 'Continue' }).click()
      const seal = page.getByRole('button', { name: 'Seal without confirming' })
      await seal.waitFor()
      // The page does not ask for an attestation that no officer can give.
      expect(await page.getByText('I was there and saw the person').count()).toBe(0)
      await looked(page, 'handed-finish')
      await seal.click()
      await page.getByRole('heading', { name: 'Seal although the person is not confirmed?' }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Seal without confirming' }).click()
      await page.getByRole('heading', { name: /^Finished .{4}-.{4}/ }).waitFor()
      expect(await page.locator('.receipt').innerText()).not.toMatch(/ERIKS|UT-4471|Confirmed/i)
      await looked(page, 'handed-result')
      expect(problems).toEqual([])
    },
    JOURNEY_MS,
  )

  test(
    'two faces lie side by side at one distance of the eyes, by keys alone, and a note is weighed before it is written',
    async () => {
      const { page, problems } = await staffAt(browser, stage, 'pavel', ['officer'])

      await twoFaces()
      await open(page, 'desk')
      await page.getByRole('button', { name: 'Next case' }).click()
      const sheets = page.locator('.sheet-picture')
      await page.locator('.sheet-picture img').nth(1).waitFor()
      const distances = () => sheets.evaluateAll(eyeDistances)
      // Each picture takes its place when it has come.
      const apart = async () => {
        const [one = 0, other = Infinity] = await distances()
        return Math.abs(one / other - 1)
      }
      await expect.poll(apart).toBeLessThan(0.02)
      const [one = 0] = await distances()
      expect(one).toBeGreaterThan(30)
      expect(await page.locator('.sheet figcaption').allInnerTexts()).toEqual([
        'Photo on the document',
        'Photo of the face',
      ])
      await looked(page, 'desk-faces')

      await page.locator('.viewer').focus()
      await page.keyboard.press('z')
      // Both are enlarged together, so that they stay comparable.
      await expect.poll(async () => ((await distances())[0] ?? 0) / one).toBeCloseTo(2, 1)
      expect(await apart()).toBeLessThan(0.02)
      await page.keyboard.press('b')
      const shown = () => page.locator('.sheet figcaption').allInnerTexts()
      await expect.poll(async () => (await shown())[0]).toBe('Photo of the face')
      await page.keyboard.press('2')
      await expect.poll(shown).toHaveLength(1)
      await page.keyboard.press('s')
      await expect.poll(shown).toHaveLength(2)

      await page
        .getByRole('group', { name: /Is it the same person/ })
        .getByLabel('Yes', { exact: true })
        .check()
      await page.getByLabel('Ears').check()
      await page.getByRole('button', { name: 'Send my answers' }).click()
      await page.getByRole('heading', { name: 'What the machine measured' }).waitFor()
      await page.getByRole('button', { name: 'Confirm…' }).click()
      await page.locator('dialog input[type=radio]').first().check()
      const note = page.getByLabel('Note, if it helps')
      await note.fill('Called back on 0151 234567')
      await page.getByText('This looks like personal data.').waitFor()
      await note.fill('Same scar, other hair.')
      await page.getByText('This looks like personal data.').waitFor({ state: 'hidden' })
      await looked(page, 'desk-faces-note')
      await page.keyboard.press('Control+Enter')
      await page.locator('.pending').waitFor()
      expect(problems).toEqual([])
    },
    JOURNEY_MS,
  )

  test(
    'the number and the address that sources need are typed by an officer with keys alone, and both sources confirm them',
    async () => {
      const { page, problems } = await staffAt(browser, stage, 'rosa', ['officer'])
      const visitId = await calledForHelp(numberedPassport(), ['GIV', 'ADDRESS'])
      await open(page, `assist?help-call=${visitId}`)
      await page.getByRole('button', { name: /Data/ }).first().click()
      const number = page.getByLabel('Card number')
      await number.waitFor()
      await looked(page, 'sources-asked')
      await number.focus()
      await page.keyboard.type('P1234567')
      await page.getByText('P123 4567').waitFor()
      await page.keyboard.press('Enter')
      await number.waitFor({ state: 'detached' })
      await stage.app.runJobs()

      // The keys continue where the form was.
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      for (const value of ['12 Long Street', '1000', 'Utopia City']) {
        await page.keyboard.type(value)
        await page.keyboard.press('Tab')
      }
      await looked(page, 'sources-typed')
      await page.keyboard.press('Enter')
      await page.getByText('Being asked').waitFor()
      await looked(page, 'sources-asking')
      await stage.app.runJobs()
      await page.getByText('The person lives there').waitFor()
      await looked(page, 'sources-confirmed')

      const { store } = stage.app.appliance
      const found = store.evidences.list(store.visits.find(visitId)?.identityId ?? '')
      const [document, address] = ['IDDOCUMENT', 'ADDRESS'].map((family) =>
        found.find((evidence) => evidence.family === family),
      )
      expect([document?.status, address?.status]).toEqual(['VERIFIED', 'VERIFIED'])
      expect(document?.evaluation.positiveIndicators).toContain('GIV_VERIFICATION_VERIFIED')
      expect(problems).toEqual([])
    },
    JOURNEY_MS,
  )

  /** Passport and face shown to the kiosk, and a call for help. */
  async function calledForHelp(
    passport = aPassport(),
    consents: readonly string[] = ['ATTRIBUTES', 'GIV'],
  ): Promise<string> {
    const { app } = stage
    const identityId = await stage.anIdentity()
    const payload = consents.map((type) => ({ type, approved: true }))
    await app.call('POST', `/v1/identities/${identityId}/consents`, { payload })
    const opened = await app.json('POST', `/v1/identities/${identityId}/id-documents/live-capture-session`, {
      payload: { sidesToCapture: ['FRONT'] },
    })
    const { sessionId } = opened.body as { sessionId: string }
    await app.json('POST', `/capture/sessions/${sessionId}/document`, {
      key: null,
      body: documentForm(visiblePicture('passport', passport)),
    })
    await app.runJobs()
    await app.call('POST', `/v1/identities/${identityId}/attributes/portrait/capture`, {
      body: portraitForm(visiblePicture('face', picture({ shows: 'person', face: 'A' }))),
    })
    await app.runJobs()
    return stage.visit({ identityId, step: 'portrait', reference: '7K4P-2M9X', helpAskedAt: new Date() })
  }

  /** A passport, and a face before the camera of which the machine cannot say whether it is the same. */
  async function twoFaces(): Promise<void> {
    const { app } = stage
    const identityId = await stage.anIdentity()
    await app.call('POST', `/v1/identities/${identityId}/id-documents/capture`, {
      body: documentForm(visiblePicture('passport', aPassport())),
    })
    await app.runJobs()
    const face = Buffer.concat([CAMERA, picture({ shows: 'person', face: 'A?' })])
    await app.call('POST', `/v1/identities/${identityId}/attributes/portrait/capture`, {
      body: portraitForm(face),
    })
    await app.runJobs()
  }
})

async function open(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = `#/${to}`
  }, address)
  await page.locator('.workplace h1').waitFor()
}

/** No finding of axe-core, nothing to scroll sideways, and a picture for who looks. */
async function looked(page: Page, name: string): Promise<void> {
  expect([name, await scan(page)]).toEqual([name, []])
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect([name, wider <= 0]).toEqual([name, true])
  if (!SHOTS) return
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}

interface Label {
  readonly file: string
  readonly landmarks: Readonly<Record<'rightPupil' | 'leftPupil', readonly [number, number]>>
}

/** The eyes of the specimens are where their labels say. */
function withEyes(vision: Vision): Vision {
  const labels = JSON.parse(readFileSync(join(ALBA, 'labels.json'), 'utf8')) as readonly Label[]
  const eyesOf = (file: string) => {
    const { leftPupil, rightPupil } = labels.find((label) => label.file === file)?.landmarks ?? {}
    if (!leftPupil || !rightPupil) throw new TypeError(`no labels for ${file}`)
    const [leftEye, rightEye] = [leftPupil, rightPupil].map(([x, y]) => ({ x, y }))
    return { leftEye, rightEye }
  }
  const eyes = { camera: eyesOf('live.jpg'), document: eyesOf('portrait.jpg') }
  return new Proxy(vision, {
    get: (target, call) => {
      if (call !== 'measurePortrait') return Reflect.get(target, call) as unknown
      const measure: Vision['measurePortrait'] = async (input) => {
        const found = await target.measurePortrait(input)
        const where = Buffer.from(input.image).includes(CAMERA.subarray(0, 2_000))
          ? eyes.camera
          : eyes.document
        const faces = found.faces.map((face) => ({ ...face, landmarks: { ...face.landmarks, ...where } }))
        return { ...found, faces }
      }
      return measure
    },
  })
}

/** Runs in the page: how far apart the eyes of each picture are drawn, in pixels of the screen. */
function eyeDistances(sheets: Element[]): number[] {
  const apart: Readonly<Record<number, number>> = { 480: 131.8, 1280: 105.82 }
  return sheets.flatMap((sheet) => {
    const { naturalWidth } = sheet.querySelector('img') ?? { naturalWidth: 0 }
    const { a, b } = new DOMMatrix(getComputedStyle(sheet).transform)
    const distance = apart[naturalWidth]
    return distance === undefined ? [] : [distance * Math.hypot(a, b)]
  })
}
