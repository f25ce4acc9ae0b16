/**
 * Camera problems and the reaction of the capture elements: no data is lost, and the applicant is told what
 * to do.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DocumentCaptureElement } from '../../renderer/capture/elements.ts'
import type { RenderedSide } from '../../server/tools/specimen/documents/render.ts'
import { startCaptureBench, until, type CaptureBench } from '../support/capture-bench.ts'
import { heardOn, placeElement } from '../support/capture-page.ts'
import { installCameras, plugIn, unplug, type PretendedCamera } from '../support/pretended-cameras.ts'
import { CHROMIUM, scan } from '../support/chromium.ts'
import { renderDocument } from '../support/specimen-sides.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')
/** For a machine with two cores and other load. */
const SLOW_MS = 300_000
const WEBCAM = { deviceId: 'web', label: 'Integrated webcam (046d:082d)' }
const DESK = { deviceId: 'desk', label: 'IPEVO V4K (1778:d002)' }
const PRETENDED = { deviceId: 'obs', label: 'OBS Virtual Camera' }

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the capture elements in trouble', () => {
  let bench: CaptureBench
  /** The picture of every camera. */
  let shown: Buffer

  beforeAll(async () => {
    bench = await startCaptureBench()
  }, SLOW_MS)
  afterAll(() => bench.close())
  beforeEach(() => show('nothing.jpg'))

  const show = (specimen: string) => {
    shown = readFileSync(join(SPECIMENS, specimen))
  }
  const withCameras = (cameras: readonly PretendedCamera[]) =>
    bench.openPage((page) => installCameras(page, cameras, async () => shown.toString('base64')))
  const place = async (page: Page, attributes: Record<string, string> = {}, session?: object) => {
    const { id, sessionId } = await bench.documentSession(session)
    await placeElement(page, 'document-capture', {
      session: sessionId,
      base: bench.app.url,
      ...attributes,
    })
    return id
  }
  const element = (page: Page) => page.locator('document-capture')

  test(
    'documents and faces get the camera that suits them; another choice is remembered, and nothing else is',
    async () => {
      const { page } = await withCameras([PRETENDED, WEBCAM, DESK])
      await place(page)
      await until(page, 'camera-ready', { deviceId: 'desk' })
      await page.getByLabel('Which camera?').selectOption('web')
      await until(page, 'camera-ready', { deviceId: 'web' })
      await page.reload()
      await place(page)
      await until(page, 'camera-ready', { deviceId: 'web' })
      expect(await page.evaluate(() => Object.entries(localStorage))).toEqual([
        ['counterproof.camera.document', 'web'],
      ])
      await page.reload()
      await placeElement(page, 'portrait-capture', { base: bench.app.url })
      const face = (await until(page, 'camera-ready')).at(-1)
      expect(face?.detail).toMatchObject({
        deviceId: 'web',
        identity: { vendor: '046d', product: '082d' },
      })
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'a camera that is pulled out is said to have stopped, and continues by itself when it is back',
    async () => {
      const { page } = await withCameras([DESK])
      await place(page)
      await until(page, 'guidance', { code: 'NO_DOC' })
      await unplug(page, 'desk')
      await until(page, 'camera-problem', { problem: 'stopped', retries: true })
      expect(await element(page).innerText()).toMatch(/The camera stopped/)
      show('amber/passport-photo.jpg')
      await plugIn(page, DESK)
      await until(page, 'captured')
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'a camera that is not on the list is not used, and the right one is once it is there',
    async () => {
      const { page } = await withCameras([PRETENDED])
      await place(page, { allow: '1778:d002' })
      await until(page, 'camera-problem', { problem: 'wrong' })
      expect(await element(page).locator('.is-ready').count()).toBe(0)
      await plugIn(page, DESK)
      await until(page, 'camera-ready', { deviceId: 'desk' })
      await page.close()
    },
    SLOW_MS,
  )

  test('a refused camera is explained, with a button to try again', async () => {
    const { page } = await bench.openPage((fresh) =>
      fresh.addInitScript(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))
      }),
    )
    await place(page)
    await until(page, 'camera-problem', { problem: 'refused', retries: false })
    expect(await element(page).getByRole('status').innerText()).toMatch(/Allow it for this page/)
    await element(page).getByRole('button', { name: 'Try the camera again' }).focus()
    await expectAccessible(page)
    await page.close()
  })

  test(
    'a touch on the shutter while the camera still opens takes the photo as soon as there is a picture',
    async () => {
      const passport = readFileSync(join(SPECIMENS, 'amber/passport-photo.jpg'))
      // Too blurred for the automatic shutter.
      shown = await sharp(passport).blur(7).jpeg().toBuffer()
      const { page } = await withCameras([DESK])
      await page.evaluate(() => {
        const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
        navigator.mediaDevices.getUserMedia = async (wish) => {
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          return open(wish)
        }
      })
      await place(page)
      await element(page).evaluate((capture) => (capture as DocumentCaptureElement).takePhoto())
      expect((await heardOn(page)).map(({ type }) => type)).not.toContain('camera-ready')
      await until(page, 'ladder', { manualTries: 1 })
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'of two photos that are hard to read the better one is kept, and the person is told so',
    async () => {
      const passport = readFileSync(join(SPECIMENS, 'amber/passport-photo.jpg'))
      shown = await sharp(passport).blur(7).jpeg().toBuffer()
      const { page } = await withCameras([DESK])
      await place(page)
      const shutter = element(page).getByRole('button', { name: 'Take the photo myself' })
      await shutter.focus()
      await page.keyboard.press('Enter')
      await until(page, 'ladder', { manualTries: 1 })
      await expectAccessible(page)
      await page.keyboard.press('Enter')
      const heard = await until(page, 'captured')
      expect(heard.find(({ type }) => type === 'side-captured')?.detail).toMatchObject({
        by: 'manual',
        quality: 'hard-to-read',
      })
      expect(heard.map(({ detail }) => detail.code)).toContain('HARD_TO_READ')
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'pictures outlive a line that is down; after the element has stopped nothing of them is left',
    async () => {
      show('amber/passport-photo.jpg')
      const { page } = await withCameras([DESK])
      let refusals = 2
      await page.route('**/document', (route) => (refusals-- > 0 ? route.abort() : route.continue()))
      await place(page)
      const heard = await until(page, 'captured')
      expect(heard.filter(({ detail }) => detail.phase === 'waiting')).toHaveLength(2)
      expect(heard.map(({ detail }) => detail.code)).toContain('OFFLINE')
      const left = await page.evaluate(async () => {
        const video = document.querySelector('video')
        const { heard: all } = globalThis as unknown as {
          heard: { detail: { stillUrl?: string } }[]
        }
        const url = all.find(({ detail }) => detail.stillUrl)?.detail.stillUrl ?? ''
        const still = await fetch(url).then(
          () => true,
          () => false,
        )
        return {
          still,
          stream: video?.srcObject,
          image: document.querySelector('img')?.getAttribute('src'),
        }
      })
      expect(left).toEqual({ still: false, stream: null, image: null })
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'the front is taken once; the other side is waited for, and both arrive together',
    async () => {
      const [front, back] = await renderDocument('identity-card', 7)
      shown = await onATable(front)
      const { page } = await withCameras([DESK])
      const id = await place(page, {}, { idDocumentType: 'IDENTITY_CARD', issuingCountry: 'UTO' })
      await until(page, 'side-captured', { side: 'FRONT', next: 'BACK' })
      await until(page, 'guidance', { code: 'WRONG_SIDE' })
      // However often the front is looked at now, it is not taken again.
      for (let answers = 0; answers < 8; answers++) await page.waitForResponse(/\/frame$/)
      const sides = async () => (await heardOn(page)).filter(({ type }) => type === 'side-captured')
      expect(await sides()).toHaveLength(1)
      shown = await onATable(back)
      await until(page, 'captured')
      expect((await sides()).map(({ detail }) => detail.side)).toEqual(['FRONT', 'BACK'])
      await bench.app.runJobs()
      const { idDocuments } = await bench.client.ask('Identity', 'GET', `/v1/identities/${id}`)
      expect(idDocuments).toHaveLength(1)
      await page.close()
    },
    SLOW_MS,
  )
})

/** The view of a camera above a dark table. */
async function onATable({ pixels, widthPx, heightPx }: RenderedSide): Promise<Buffer> {
  const card = await sharp(pixels, { raw: { width: widthPx, height: heightPx, channels: 3 } })
    .png()
    .toBuffer()
  const table = { width: 1600, height: 1200, channels: 3, background: { r: 70, g: 62, b: 55 } } as const
  return sharp({ create: table })
    .composite([{ input: card }])
    .jpeg({ quality: 92 })
    .toBuffer()
}

/** No finding of axe-core on the page as it stands. */
async function expectAccessible(page: Page): Promise<void> {
  const findings = await scan(page)
  expect(findings).toEqual([])
}
