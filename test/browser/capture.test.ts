/**
 * The capture elements on a page that is not ours, in Debian's Chromium: with nothing but a session's id they bring a document
 * and a living face to an appliance of another origin.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cast, type Actor } from '../../server/bench/liveness/actors.ts'
import { furnishRoom } from '../../server/bench/liveness/rooms.ts'
import { loadPeople } from '../../server/bench/liveness/sitters.ts'
import type { LivenessPrompt } from '../../server/proofing/liveness/types.ts'
import type { LivenessType } from '../../server/proofing/types.ts'
import { writeCameraClip } from '../../server/specimen/camera-clip.ts'
import { createRandom } from '../../server/specimen/head/noise.ts'
import { PACKS, readManifest } from '../../server/vision/manifest.ts'
import { defaultModelsDir } from '../../server/vision/packs.ts'
import { openSessions } from '../../server/vision/sessions.ts'
import { actedClock } from '../support/acted-clock.ts'
import { documentForm } from '../support/app.ts'
import { startCaptureBench, until, type CaptureBench } from '../support/capture-bench.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { placeElement } from '../support/capture-page.ts'
import { installCameras } from '../support/pretended-cameras.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')
/** Beside other work on two cores. */
const SLOW_MS = 300_000
/** About eleven pictures a second. */
const FRAME_MS = 92
const FACE_CAMERA = { deviceId: 'face', label: 'Integrated webcam (046d:082d)' }

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the capture elements on a page of somebody else', () => {
  const clock = actedClock()
  let bench: CaptureBench
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'capture-camera-'))
    const camera = join(folder, 'camera.mjpeg')
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
    'a passport before the camera is taken by the automatic shutter and verified',
    async () => {
      const { id, sessionId } = await bench.documentSession()
      const { page, problems } = await bench.openPage()
      await placeElement(page, 'document-capture', { session: sessionId, base: bench.app.url })
      const heard = await until(page, 'captured')
      const side = heard.find(({ type }) => type === 'side-captured')
      expect(side?.detail).toMatchObject({ side: 'FRONT', by: 'automatic', quality: 'good', next: null })
      await bench.app.runJobs()
      const { idDocuments } = await bench.client.ask('Identity', 'GET', `/v1/identities/${id}`)
      expect(idDocuments[0].evidenceStatus).toMatchObject({ status: 'VERIFIED', errors: [] })
      expect(problems).toEqual([])
      await page.close()
    },
    SLOW_MS,
  )

  test.each(['LIVENESS_PASSIVE_VIDEO', 'LIVENESS_ACTIVE'] as const)(
    'a living person who does what %s asks is verified as the holder of her passport',
    async (type) => {
      const { id, sessionId } = await portraitSession(type)
      const actor = await anActor(type, 1)
      const { page, problems } = await bench.openPage((fresh) => actBefore(fresh, actor))
      clock.stand()
      await placeElement(page, 'portrait-capture', { session: sessionId, base: bench.app.url })
      const heard = await until(page, 'captured')
      clock.run()
      expect(heard.map(({ type: name }) => name)).toContain('prompt')
      await bench.app.runJobs()
      const { portrait } = await bench.client.ask('Identity', 'GET', `/v1/identities/${id}`)
      expect(portrait?.evidenceStatus).toMatchObject({ status: 'VERIFIED', errors: [] })
      expect(problems).toEqual([])
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'soft colours are shown on the whole page, one after the other, and it is white again at the end',
    async () => {
      const { sessionId } = await portraitSession('LIVENESS_MLC', { securityLevel: 'LOW' })
      const actor = await anActor('LIVENESS_MLC', 1)
      const { page } = await bench.openPage((fresh) => actBefore(fresh, actor))
      clock.stand()
      await placeElement(page, 'portrait-capture', { session: sessionId, base: bench.app.url })
      await until(page, 'prompt', { kind: 'SHOW_COLOUR' })
      await page.waitForTimeout(200)
      const painted = await page.evaluate(
        () =>
          getComputedStyle(document.querySelector('portrait-capture') as Element, '::before').backgroundColor,
      )
      expect(painted).not.toBe('rgba(0, 0, 0, 0)')
      const heard = await until(page, 'captured')
      clock.run()
      const colours = heard.filter(({ type }) => type === 'surround').map(({ detail }) => detail.colour)
      expect(colours.length).toBeGreaterThanOrEqual(4)
      expect(colours.at(-1)).toBeNull()
      await page.close()
    },
    SLOW_MS,
  )

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

  /** Each picture is drawn when the one before was answered: as the camera of a quick machine delivers them. */
  async function actBefore(page: Page, actor: Actor): Promise<void> {
    const beganAtMs = clock.elapsedMs()
    const atMs = () => clock.elapsedMs() - beganAtMs
    let isDue = true
    await page.exposeFunction('asked', (prompt: LivenessPrompt | null) => {
      if (prompt) actor.see({ prompt, hint: 'FOLLOW_PROMPT' }, atMs())
      isDue = true
    })
    await page.addInitScript(tellAsked)
    await installCameras(page, [FACE_CAMERA], async () => {
      if (!isDue) return null
      isDue = false
      clock.pass(FRAME_MS)
      return (await actor.picture(atMs())).toString('base64')
    })
  }
})

/** Runs in the page. */
function tellAsked(): void {
  const tell = (prompt: object | null) =>
    (globalThis as unknown as { asked: (prompt: object | null) => void }).asked(prompt)
  document.addEventListener('prompt', (event) => tell((event as CustomEvent<object>).detail))
  document.addEventListener('progress', () => tell(null))
  // Until the session has begun, and should an answer ask for nothing.
  setInterval(() => tell(null), 1000)
}

/** Alba before a pretended webcam: she does what she is asked as fast as people do. */
async function anActor(type: LivenessType, seed: number): Promise<Actor> {
  const random = createRandom(seed)
  const sessions = await openSessions(readManifest(), defaultModelsDir(), PACKS)
  const [person, other] = await loadPeople(sessions, null, 'all')
  const room = await furnishRoom(createRandom(1))
  // What the element paints by itself.
  const scene = { type, person, other, room, noise: 'nominal', turn: 0, colourSet: 'CALM' } as const
  return cast('live', scene, random)
}
