/**
 * The capture elements on a page that is not ours, in Debian's Chromium: with nothing but a session's id they bring a document
 * and a living face to an appliance of another origin.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Casting } from '../../server/tools/bench/liveness/actors.ts'
import type { LivenessType } from '../../server/proofing/types.ts'
import { writeCameraClip } from '../support/camera-clip.ts'
import { actedClock } from '../support/acted-clock.ts'
import { actedFace, castLive, tellAsked } from '../support/acted-face.ts'
import { documentForm } from '../support/app.ts'
import { PHONE, startCaptureBench, until, type CaptureBench } from '../support/capture-bench.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { dressLikeBank, lookAt, placeElement, type Worn } from '../support/capture-page.ts'
import { FACE_CAMERA, installCameras } from '../support/pretended-cameras.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')
/** For a machine with two cores and much other load. */
const SLOW_MS = 600_000
/** For events that follow only after the drawn subject has done everything before. */
const ACTED_MS = 400_000

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the capture elements on a page of another site', () => {
  const clock = actedClock()
  let bench: CaptureBench
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'capture-camera-'))
    const camera = join(folder, 'camera.y4m')
    const size = { width: 1920, height: 1440, frames: 4 }
    await writeCameraClip(join(SPECIMENS, 'amber/passport-photo.jpg'), camera, size)
    const browserArgs = [`--use-file-for-fake-video-capture=${camera}`]
    bench = await startCaptureBench({ clock, browserArgs })
  }, SLOW_MS)
  afterAll(async () => {
    await bench.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test(
    'a passport before the camera of a phone is taken by the automatic shutter and verified, and the element says so',
    async () => {
      const { id, sessionId } = await bench.documentSession()
      const { page, problems } = await bench.openPage(undefined, PHONE)
      await dressLikeBank(page)
      await placeElement(page, 'document-capture', { session: sessionId, base: bench.app.url, upload: '' })
      await until(page, 'camera-ready')
      expectOnPhone(await lookAt(page))
      const heard = await until(page, 'captured')
      const ended = await lookAt(page)
      expect(ended).toMatchObject({ picture: null, buttons: [], foreignFonts: [], scrollsSideways: false })
      expect(ended.words).toMatch(/^Done. Thank you\s+Photo of the front\s+We have what we need/)
      const side = heard.find(({ type }) => type === 'side-captured')
      expect(side?.detail).toMatchObject({ side: 'FRONT', by: 'automatic', quality: 'good', next: null })
      await bench.app.runJobs()
      const { idDocuments } = await bench.client.ask('Identity', 'GET', `/v1/identities/${id}`)
      expect(idDocuments[0].evidenceStatus).toMatchObject({ status: 'VERIFIED', errors: [] })
      // Chromium played a film in place of a camera: the element says so, and the appliance keeps it.
      const [evidence] = bench.app.appliance.store.evidences.list(id)
      expect(evidence?.content.captureDetails?.pretendedCamera).toBe(true)
      expect(problems).toEqual([])
      await page.close()
    },
    SLOW_MS,
  )

  // LIVENESS_PASSIVE_VIDEO is done before the kiosk's page and the counter's (kiosk.test.ts, assist.test.ts).
  test(
    'a living person who does what LIVENESS_ACTIVE asks is verified as the holder of her passport',
    async () => {
      const { heard, problems } = await expectVerified({ type: 'LIVENESS_ACTIVE' })
      expect(heard.map(({ type: name }) => name)).toContain('prompt')
      expect(problems).toEqual([])
    },
    SLOW_MS,
  )

  test(
    'soft colours are shown on the whole page, one after the other, and who is seen in their light is verified',
    async () => {
      const painted: string[] = []
      // Colours painted by the element itself, in a room that is not much brighter than the screen.
      const casting = { type: 'LIVENESS_MLC', colourSet: 'CALM', shareOfRoom: [0.25, 0.4] } as const
      const { heard } = await expectVerified(casting, { securityLevel: 'LOW' }, async (page) => {
        await until(page, 'prompt', { kind: 'SHOW_COLOUR' }, ACTED_MS)
        await page.waitForTimeout(200)
        painted.push(
          await page.evaluate(() => {
            const element = document.querySelector('portrait-capture') as Element
            return getComputedStyle(element, '::before').backgroundColor
          }),
        )
      })
      expect(painted).not.toContain('rgba(0, 0, 0, 0)')
      const colours = heard.filter(({ type }) => type === 'surround').map(({ detail }) => detail.colour)
      expect(colours.length).toBeGreaterThanOrEqual(4)
      expect(colours.at(-1)).toBeNull()
    },
    SLOW_MS,
  )

  /** Picture and buttons are on the upright screen without scrolling, in the letters of the page. */
  function expectOnPhone({ picture, buttons, foreignFonts, scrollsSideways }: Worn): void {
    expect({ foreignFonts, scrollsSideways }).toEqual({ foreignFonts: [], scrollsSideways: false })
    expect(picture?.width).toBeGreaterThan(0.9 * (PHONE.viewport.width - 32))
    expect(picture?.bottom).toBeLessThan(PHONE.viewport.height)
    for (const { text, height, bottom } of buttons) {
      expect(height, text).toBeGreaterThanOrEqual(44)
      expect(bottom, text).toBeLessThanOrEqual(PHONE.viewport.height)
    }
  }

  /** Alba, with her passport, before a camera of her own. */
  async function expectVerified(
    casting: Pick<Casting, 'type' | 'colourSet' | 'shareOfRoom'>,
    more: object = {},
    meanwhile: (page: Page) => Promise<void> = async () => undefined,
  ) {
    const { id, sessionId } = await portraitSession(casting.type, more)
    const { picture, asked } = actedFace(await castLive('alba', casting), clock)
    const { page, problems } = await bench.openPage(async (fresh) => {
      await fresh.exposeFunction('asked', asked)
      await fresh.addInitScript(tellAsked)
      await installCameras(fresh, [FACE_CAMERA], picture)
    }, PHONE)
    await dressLikeBank(page)
    clock.stand()
    await placeElement(page, 'portrait-capture', { session: sessionId, base: bench.app.url })
    await until(page, 'camera-ready')
    const live = await lookAt(page)
    await meanwhile(page)
    const heard = await until(page, 'captured', {}, ACTED_MS)
    clock.run()
    expectOnPhone(live)
    const { width = 0, height = 0 } = live.picture ?? {}
    expect(height / width, 'a face is upright').toBeGreaterThan(1.2)
    const ended = await lookAt(page)
    expect(ended).toMatchObject({ picture: null, foreignFonts: [], scrollsSideways: false })
    expect(ended.words).toMatch(/^Done. Thank you\s+Pictures of your face\s+We have what we need/)
    await bench.app.runJobs()
    const { portrait } = await bench.client.ask('Identity', 'GET', `/v1/identities/${id}`)
    expect(portrait?.evidenceStatus).toMatchObject({ status: 'VERIFIED', errors: [] })
    await page.close()
    return { heard, problems }
  }

  async function portraitSession(type: LivenessType, more: object = {}) {
    const { app, client } = bench
    const id = await bench.anIdentity()
    const body = documentForm(readFileSync(join(SPECIMENS, 'alba', 'passport-photo.jpg')))
    await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
    await app.runJobs()
    const mode = type === 'LIVENESS_MLC' ? '?mode=nativeSDK' : ''
    const path = `/v1/identities/${id}/attributes/portrait/capture-session${mode}`
    const payload = { type, ...(type === 'LIVENESS_ACTIVE' ? { nbChallenge: 1 } : {}), ...more }
    const { sessionId } = await client.ask('PortraitSessionAnswer', 'POST', path, { payload })
    return { id, sessionId }
  }
})
