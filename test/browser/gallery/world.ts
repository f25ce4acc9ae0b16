/**
 * The world of `npm run screens`: a complete appliance with its own vision worker and models, an SMS gateway,
 * and kiosk pages in Chromium. Only the two cameras are simulated: they show rendered specimens and a drawn
 * person who follows the prompts.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'
import { startStage, type Stage } from '../counter-stage.ts'
import { workersIn } from '../kiosk-stage.ts'
import { actedClock } from '../../support/acted-clock.ts'
import { actedFace, castLive, tellAsked, type ActedFace } from '../../support/acted-face.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { BOTH_CAMERAS, installCameras, plugIn, unplug } from '../../support/pretended-cameras.ts'
import { startSmsGateway, type SmsGateway } from '../../../server/tools/simulator/sms.ts'
import { developed, specimenPictures, type Look, type Shown } from './specimen-pictures.ts'

/** Long enough for a machine that does other work; what ends by the clock is a stop of its own. */
const PATIENT = { welcome: 600, reading: 600, capture: 600, result: 600, goodbye: 60, warning: 120 }
/** A person whose screen ends by itself. */
const HASTY = { ...PATIENT, reading: 4, warning: 120 }

export type Who = 'alba' | 'another-person' | 'no-person'

export interface World {
  readonly stage: Stage
  readonly gateway: SmsGateway
  /**
   * The appliance's clock, which stands still while a face is drawn, so that a slow machine does not make the
   * actor slow.
   */
  readonly elapsedMs: () => number
  /** Process ids of the present vision workers. */
  readonly workerIds: () => readonly number[]
  readonly openKiosk: (options?: KioskOptions) => Promise<Kiosk>
  readonly close: () => Promise<void>
}

export interface KioskOptions {
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>
}

export interface Kiosk {
  readonly page: Page
  /** Before the document camera. */
  readonly show: (what: Shown) => void
  /** Before the face camera. */
  readonly stand: (who: Who, look?: Look) => Promise<void>
  /** Both cameras: with one left the kiosk continues. */
  readonly unplug: () => Promise<void>
  readonly plugIn: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface WorldOptions {
  readonly browser: Browser
  /** The idle times of the screens. */
  readonly pace?: 'patient' | 'hasty'
  /** Steps of the journey, where they are not the usual ones. */
  readonly steps?: readonly object[]
  readonly config?: object
}

const STEPS = [
  { kind: 'consent', required: ['ID_DOCUMENT', 'PORTRAIT'], optional: ['MOBILE_OTP'] },
  {
    kind: 'document',
    uploadAllowed: true,
    maxSubmissions: 3,
    countriesFirst: ['UTO', 'FRA', 'DEU', 'ESP'],
  },
  { kind: 'check' },
  {
    kind: 'portrait',
    uploadAllowed: false,
    maxSubmissions: 3,
    livenessType: 'LIVENESS_PASSIVE_VIDEO',
    withoutTurning: 'OFFICER',
  },
  { kind: 'phone', when: [{ connected: 'sms' }], mayBeSkipped: true },
]

export async function openWorld({
  browser,
  pace = 'patient',
  steps = STEPS,
  config = {},
}: WorldOptions): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'screens-'))
  const gateway = await startSmsGateway()
  const clock = actedClock()
  mkdirSync(join(dataDir, 'journeys'))
  const journey = {
    id: 'screens',
    version: 1,
    // A brand names its own.
    ...('brand' in config ? {} : { organisation: 'Example Bank' }),
    languages: ['en', 'fr', 'ar', 'es', 'de'],
    steps,
    confirmedFrom: 'LOA1',
    receipt: { print: true, openingHours: 'Monday to Friday, 9:00–17:00' },
    idleSeconds: pace === 'hasty' ? HASTY : PATIENT,
  }
  writeFileSync(join(dataDir, 'journeys/screens.json'), JSON.stringify(journey))
  const settings = {
    tenant: { ...SHARING_TENANT, name: 'Example Bank', mode: 'test' },
    kiosk: { journey: 'screens', name: 'Hall 1' },
    connectors: { sms: { url: gateway.url, allowHttp: true, timeoutMs: 2000 } },
    rateLimits: { otpPerMinute: 1000, relyingServicePerMinute: 10_000 },
    ...config,
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(settings))
  const stage = await startStage(await ensureRendererBuilt(), { vision: 'worker', clock, dataDir })
  const pictures = await specimenPictures()
  return {
    stage,
    gateway,
    elapsedMs: () => clock.elapsedMs(),
    workerIds: () => workersIn(stage.app.log()),
    openKiosk: async ({ viewport = { width: 1080, height: 1920 }, prepare } = {}) => {
      const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
      const page = await context.newPage()
      let shown: Shown = 'nothing'
      let turn = 0
      let person: { readonly face: ActedFace; readonly look: Look } | null = null
      const asked: ActedFace['asked'] = (prompt) => person?.face.asked(prompt)
      await page.exposeFunction('asked', asked)
      await page.addInitScript(tellAsked)
      const facePicture = async () => {
        if (person === null) return pictures.empty[turn++ % pictures.empty.length] ?? null
        const drawn = await person.face.picture()
        return drawn === null ? null : developed(drawn, person.look)
      }
      const documentPicture = () => pictures[shown][turn++ % pictures[shown].length] ?? null
      await installCameras(page, BOTH_CAMERAS, async (id) =>
        id === 'document' ? documentPicture() : facePicture(),
      )
      await prepare?.(page)
      await page.goto(stage.app.url)
      return {
        page,
        show: (what) => (shown = what),
        stand: async (who, look = {}) => {
          person =
            who === 'no-person'
              ? null
              : { face: actedFace(await castLive(who, { type: 'LIVENESS_PASSIVE_VIDEO' }), clock), look }
          // Drawing a face takes longer than a camera does.
          if (person) clock.stand()
          else clock.run()
        },
        unplug: async () => {
          for (const { deviceId } of BOTH_CAMERAS) await unplug(page, deviceId)
        },
        plugIn: async () => {
          for (const camera of BOTH_CAMERAS) await plugIn(page, camera)
        },
        close: async () => {
          clock.run()
          await context.close()
        },
      }
    },
    close: async () => {
      await stage.app.close()
      await gateway.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
