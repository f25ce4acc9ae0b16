/**
 * Faults during a visit, at each step: a sentence says what happens next, there is always a control to touch,
 * submitted evidence is kept, and the browser's log contains no personal data. The server, its watchdog, its
 * database and the page are real; the content of the pictures is scripted.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { noteSyncState, syncState } from '../../server/workflows/health/sync-state.ts'
import { aPassport } from '../server/app/scripted-vision.ts'
import { joinCentralService, QUICK_SYNC } from '../server/sync/kiosk.ts'
import { startChaosProxy } from '../../server/tools/bench/crash/chaos-proxy.ts'
import { noise } from '../support/noise-picture.ts'
import { applianceDatabase } from '../support/opened-databases.ts'
import { DOCUMENT_CAMERA, FACE_CAMERA, installCameras, plugIn, unplug } from '../support/pretended-cameras.ts'
import {
  DOES,
  HOLDS_THE_END,
  KIOSK_SCREEN,
  LIGHT_SCREEN,
  STEPS,
  arriveAt,
  begin,
  startKioskStage,
  typeCode,
  type KioskStage,
  type StepName,
} from './kiosk-stage.ts'
import { CHROMIUM, launchChromium } from '../support/chromium.ts'
import { startScriptedCentralService } from '../support/scripted-central-service.ts'

vi.mock('better-sqlite3', async (original) =>
  (await import('../support/opened-databases.ts')).withOpenedDatabases(await original()),
)
vi.mock('node:child_process', async (original) =>
  (await import('../support/seeing-fork.ts')).withSeeingWorker(await original()),
)

const VISIT_MS = 400_000
/** The page asks a calm visit's server every eight seconds, and again within eight after a failure. */
const TOLD_MS = 60_000
/** The holder's data; no log may contain it. */
const PERSONAL = /ZYXWCANARY|QZ7351908|6399801\d\d/
const ONCE = ['consent', 'document', 'check', 'phone', 'portrait', 'waiting', 'result']
const LINE_DOWN = /The line is down|line to this machine’s checks is down/

/** Ends the fault. */
type End = () => void | Promise<void>
interface Fault {
  readonly name: string
  readonly begin: (world: World) => End | Promise<End>
  /** The expected message, if there is one. */
  readonly told: Partial<Record<StepName, RegExp>>
}
interface World {
  readonly stage: KioskStage
  readonly page: Page
  readonly context: BrowserContext
  readonly step: StepName
}

const everywhere = (told: RegExp) =>
  Object.fromEntries(STEPS.map((step) => [step, told])) as Record<StepName, RegExp>

const FAULTS: readonly Fault[] = [
  {
    name: 'a page without a line to the server',
    begin: async ({ context }) => {
      await context.setOffline(true)
      return () => context.setOffline(false)
    },
    told: { ...everywhere(LINE_DOWN), result: /This machine is resting|Take your document/ },
  },
  {
    name: 'a disk that takes nothing',
    begin: ({ stage }) => {
      const database = applianceDatabase()
      database.pragma('query_only = ON')
      const images = join(stage.dataDir, 'images')
      renameSync(images, `${images}.aside`)
      writeFileSync(images, '')
      return () => {
        rmSync(images)
        renameSync(`${images}.aside`, images)
        database.pragma('query_only = OFF')
      }
    },
    told: { consent: LINE_DOWN, capture: LINE_DOWN, phone: LINE_DOWN },
  },
  {
    name: 'a server that is dead and comes back',
    begin: async ({ stage }) => {
      await stage.crashServer()
      return () => stage.startServer()
    },
    told: { ...everywhere(LINE_DOWN), result: /This machine is resting|Take your document/ },
  },
  {
    name: 'vision workers that are killed',
    begin: ({ stage }) => {
      const killed = stage.workerIds()
      for (const id of killed) process.kill(id, 'SIGKILL')
      // The watchdog brings others.
      return () =>
        vi.waitFor(
          () => expect(stage.workerIds().filter((id) => !killed.includes(id))).toHaveLength(2),
          TOLD_MS,
        )
    },
    told: {},
  },
  {
    name: 'cameras that are unplugged',
    begin: async ({ page }) => {
      await unplug(page, 'document')
      await unplug(page, 'face')
      return async () => {
        await plugIn(page, DOCUMENT_CAMERA)
        await plugIn(page, FACE_CAMERA)
      }
    },
    told: {
      capture: /The camera stopped|There is no camera/,
      portrait: /The camera stopped|There is no camera/,
    },
  },
]

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('at each step', () => {
  let stage: KioskStage
  let browser: Browser
  let context: BrowserContext
  let heard: string[]

  beforeAll(async () => {
    stage = await startKioskStage({
      document: aPassport({ surname: 'ZYXWCANARY', documentNumber: 'QZ7351908' }),
      config: { sync: QUICK_SYNC },
    })
    browser = await launchChromium()
  }, VISIT_MS)
  afterEach(async () => {
    await context?.close()
    stage.see({ held: [], prompt: null })
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  test.each(FAULTS)(
    '$name: the person is told, and the same visit continues to its result',
    async (fault) => {
      const before = visits().map(({ id }) => id)
      const page = await openKiosk()
      for (const step of STEPS) {
        await arriveAt(page, step)
        // Keep the wait long enough for the fault.
        if (step === 'phone') stage.see({ held: HOLDS_THE_END })
        await struck(fault, step, page)
      }
      // It continues by itself, or is ready for the next applicant already.
      await page
        .getByRole('button', { name: 'Start for the next person' })
        .click({ timeout: 1000 })
        .catch(() => undefined)
      await page.getByRole('heading', { name: 'Check who you are' }).waitFor({ timeout: 30_000 })
      const mine = visits().filter(({ id }) => !before.includes(id))
      expect(mine.map(({ outcome }) => outcome)).toEqual(['CONFIRMED'])
      // Each step once: nothing was asked again. A full disk takes no note of one.
      const steps = stepsOf(mine[0]?.id ?? '')
      expect(steps).toEqual(ONCE.filter((step) => steps.includes(step)))
      const identity = await stage.app.json('GET', `/v1/identities/${mine[0]?.identityId}?detailed=true`)
      expect(JSON.stringify(identity.body)).toMatch(/ZYXWCANARY/)
      expect(heard.filter((line) => PERSONAL.test(line))).toEqual([])
      expect(stage.log()).not.toMatch(PERSONAL)
    },
    VISIT_MS,
  )

  test(
    'an unreachable central service delays no visit: the result says that the proof is sent later, and it is',
    async () => {
      const central = await startScriptedCentralService()
      const line = await startChaosProxy(central)
      const { store } = stage.app.appliance
      try {
        await joinCentralService(store, central, line.url)
        // Those of the visits before.
        await vi.waitFor(() => expect(store.outbox.summary().backlog).toBe(0), TOLD_MS)
        const before = store.outbox.list(0, 100).length
        line.weather.cutAfterBytes = 0
        line.cut()
        await vi.waitFor(() => expect(syncState({ store }).failingSince).not.toBeNull(), TOLD_MS)
        const page = await openKiosk()
        for (const step of STEPS) {
          // Nothing holds the checks here: they may end before the page shows them.
          if (step === 'waiting') continue
          await arriveAt(page, step)
          if (step === 'result') continue
          await DOES[step](page, stage)
          if (step === 'phone') await typeCode(page, stage)
        }
        await page.locator('#outcome[data-outcome=CONFIRMED]').waitFor()
        expect(await page.locator('main').innerText()).toMatch(/Example Bank may hear of it a little later/)
        line.weather.cutAfterBytes = null
        // The pauses have grown meanwhile: simulate an officer's "try now".
        noteSyncState({ store }, { wantedAt: Date.now() })
        await vi.waitFor(() => expect(store.outbox.summary().backlog).toBe(0), TOLD_MS)
        const mine = store.outbox.list(0, 100).slice(before)
        expect(mine.map(({ state }) => state)).toEqual(['ACKNOWLEDGED'])
        expect(central.taken).toContain(mine[0]?.proofId)
        await DOES.result(page, stage)
      } finally {
        await line.close()
        await central.close()
      }
    },
    VISIT_MS,
  )

  /** The fault begins, the person does what the step is about, reads what is said, and the fault ends. */
  async function struck(fault: Fault, step: StepName, page: Page): Promise<void> {
    const world = { stage, page, context, step }
    // A camera is only missed while it is looked through, and half a film is lost with the server.
    const isLate = step === 'portrait' && /^(cameras|a server)/.test(fault.name)
    if (isLate) {
      await DOES.portrait(page, stage)
      await page.locator('portrait-capture .is-ready').waitFor()
    }
    const end = await fault.begin(world)
    let hasEnded = false
    try {
      if (!isLate && step !== 'waiting') await DOES[step](page, stage)
      const told = fault.told[step]
      if (told)
        await expect
          .poll(() => page.locator('body').innerText(), { timeout: TOLD_MS, message: step })
          .toMatch(told)
      // Never a dead end.
      const touchable = page.locator('button:visible:not([aria-disabled=true])')
      expect(await touchable.count(), step).toBeGreaterThan(0)
      await end()
      hasEnded = true
    } finally {
      if (!hasEnded) await end()
    }
    if (step === 'waiting') await DOES.waiting(page, stage)
    if (step === 'phone') await typeCode(page, stage)
  }

  function stepsOf(visitId: string): readonly string[] {
    const notes = stage.app.appliance.store.visits.listNotes(visitId)
    return notes.filter(({ kind }) => kind === 'STEP').map(({ code }) => code)
  }

  function visits() {
    return stage.app.appliance.store.visits.list({ since: new Date(0), until: new Date(8.64e15) })
  }

  async function openKiosk(): Promise<Page> {
    context = await browser.newContext({ viewport: KIOSK_SCREEN, ...LIGHT_SCREEN })
    await stage.watch(context)
    const page = await context.newPage()
    heard = []
    page.on('console', (message) => heard.push(message.text()))
    page.on('pageerror', (error) => heard.push(error.message))
    await installCameras(page, [DOCUMENT_CAMERA, FACE_CAMERA], noise)
    await begin(page, stage.app.url)
    return page
  }
})
