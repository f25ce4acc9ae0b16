/**
 * The stage of the kiosk's tests of faults and of residue: a complete appliance with its own worker
 * processes, built screens, an SMS gateway, and an applicant. The stage defines what the cameras' pictures
 * show.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { confirmData } from './journey.ts'
import { SHARING_TENANT, startTestApp, type TestApp } from '../support/app.ts'
import { SIGHT_FILE } from '../support/seeing-fork.ts'
import type { Sight } from '../support/seeing-worker.ts'
import { startSmsGateway, type SmsGateway } from '../../server/tools/simulator/sms.ts'

export const KIOSK_SCREEN = { width: 1080, height: 1920 }
/** For tests of visits, which look at no pixel: the same layout, drawn with a quarter of the pixels and without motion. */
export const LIGHT_SCREEN = { deviceScaleFactor: 0.5, reducedMotion: 'reduce' } as const
/** The longest that one screen may take to follow another, beside other work. */
const NEXT_MS = 60_000

export type Seconds = Readonly<
  Record<'welcome' | 'reading' | 'capture' | 'result' | 'goodbye' | 'warning', number>
>

export interface KioskStage {
  readonly app: TestApp
  readonly gateway: SmsGateway
  readonly dataDir: string
  see(change: Partial<Sight>): void
  /** The server is gone, its workers with it; it comes again on the same folder and port. */
  crashServer(): Promise<void>
  startServer(): Promise<void>
  /** The log of all its runs. */
  log(): string
  /** Process ids of the present workers. */
  workerIds(): readonly number[]
  /** Has the page's prompts reach the person before the camera. */
  watch(context: BrowserContext): Promise<void>
  close(): Promise<void>
}

export interface StageOptions {
  readonly document: Uint8Array
  readonly idle?: Partial<Seconds>
  readonly piecesFile?: string
  readonly config?: object
  /** Files of the data folder. */
  readonly files?: Readonly<Record<string, string>>
}

const SECONDS: Seconds = { welcome: 300, reading: 300, capture: 300, result: 300, goodbye: 5, warning: 30 }

export async function startKioskStage({
  document,
  idle = {},
  piecesFile,
  config = {},
  files = {},
}: StageOptions): Promise<KioskStage> {
  const screensDir = process.env.KIOSK_SCREENS ?? (await ensureRendererBuilt())
  const folder = mkdtempSync(join(tmpdir(), 'kiosk-stage-'))
  const dataDir = join(folder, 'data')
  const gateway = await startSmsGateway()
  let sight: Sight = {
    document: JSON.parse(Buffer.from(document).toString('utf8')) as Sight['document'],
    face: 'A',
    prompt: null,
    held: [],
    piecesFile: piecesFile ?? null,
  }
  const sightFile = join(folder, 'sight.json')
  const see = (change: Partial<Sight>) => {
    sight = { ...sight, ...change }
    writeFileSync(`${sightFile}.new`, JSON.stringify(sight))
    // Atomically, because a worker may be reading it.
    renameSync(`${sightFile}.new`, sightFile)
  }
  see({})
  process.env[SIGHT_FILE] = sightFile

  mkdirSync(join(dataDir, 'journeys'), { recursive: true })
  writeFileSync(join(dataDir, 'journeys/staged.json'), JSON.stringify(journey(idle)))
  const settings = {
    tenant: SHARING_TENANT,
    kiosk: { journey: 'staged', name: 'Hall 1' },
    connectors: { sms: { url: gateway.url, allowHttp: true, timeoutMs: 300 } },
    rateLimits: { otpPerMinute: 1000, relyingServicePerMinute: 10_000 },
    ...config,
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(settings))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(dataDir, name), content, { mode: 0o600 })
  let app = await startTestApp({ dataDir, screensDir })
  let logged = ''
  const port = Number(new URL(app.url).port)
  return {
    get app() {
      return app
    },
    gateway,
    dataDir,
    see,
    crashServer: async () => {
      // Those, too, that come in the place of others meanwhile: nothing that was under way is waited for.
      const killing = setInterval(() => {
        for (const id of workersIn(app.log())) killIfThere(id)
      }, 20)
      await app.stop().finally(() => clearInterval(killing))
      logged += app.log()
    },
    log: () => logged + app.log(),
    startServer: async () => {
      app = await startTestApp({ dataDir, screensDir, port })
    },
    workerIds: () => workersIn(app.log()),
    watch: async (context) => {
      await context.exposeFunction('asked', (prompt: Sight['prompt']) => see({ prompt }))
      await context.addInitScript(tellPrompts)
    },
    close: async () => {
      await app.close()
      await gateway.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The log may be a moment behind. */
function killIfThere(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Runs in the page. */
function tellPrompts(): void {
  const { asked } = globalThis as unknown as { asked: (prompt: unknown) => void }
  document.addEventListener('prompt', (event) => asked((event as CustomEvent<unknown>).detail), true)
}

function journey(idle: Partial<Seconds>): object {
  return {
    id: 'staged',
    version: 1,
    organisation: 'Example Bank',
    languages: ['en'],
    steps: [
      { kind: 'consent', required: ['ID_DOCUMENT', 'PORTRAIT', 'MOBILE_OTP'] },
      { kind: 'document', uploadAllowed: false, maxSubmissions: 3, countriesFirst: ['UTO'] },
      { kind: 'check' },
      { kind: 'phone', mayBeSkipped: true },
      { kind: 'portrait', uploadAllowed: false, maxSubmissions: 3, livenessType: 'LIVENESS_PASSIVE_VIDEO' },
      { kind: 'details' },
    ],
    confirmedFrom: 'LOA1',
    idleSeconds: { ...SECONDS, ...idle },
  }
}

/** Those that began and have not ended, by the appliance's own log. */
export function workersIn(log: string): readonly number[] {
  const living = new Set<number>()
  for (const line of log.split('\n')) {
    const id = Number(/"workerPid":(\d+)/.exec(line)?.[1])
    if (line.includes('the vision worker is ready')) living.add(id)
    else if (line.includes('the vision worker ended')) living.delete(id)
  }
  return [...living]
}

// The applicant's acts
// ------------------------------------------------------------------------------------------------

export type StepName = 'consent' | 'capture' | 'check' | 'phone' | 'portrait' | 'waiting' | 'result'
export const STEPS: readonly StepName[] = [
  'consent',
  'capture',
  'check',
  'phone',
  'portrait',
  'waiting',
  'result',
]

const TITLES: Readonly<Record<StepName, string | RegExp>> = {
  consent: 'Before we start',
  capture: 'Show your document',
  check: 'Is this right?',
  phone: 'Your phone number',
  portrait: 'Look at the camera',
  waiting: /Looking at the photo|Sealing|Checking|One moment/,
  result: /Finished|Please go to the counter/,
}

/** A busy machine may take a film too slowly to judge it, or see no face in time: the page asks for another film, and gets it. */
const MAX_FILMS_MORE = 2

/** Returns how many more films the page asked for. */
export async function arriveAt(page: Page, step: StepName): Promise<number> {
  const there = page.getByRole('heading', { name: TITLES[step], level: 1 })
  const again = page.locator('.screen-again h1, .screen-tips h1')
  for (let more = 0; ; more++) {
    const isAfterFilm = step === 'waiting' || step === 'result'
    await (isAfterFilm && more < MAX_FILMS_MORE ? there.or(again) : there)
      .waitFor({ timeout: NEXT_MS })
      .catch(async (err: unknown) => {
        throw new Error(`'${step}' was not reached; the page shows: ${await shownText(page)}`, { cause: err })
      })
    if (await there.isVisible()) return more
    await page.getByRole('button', { name: 'Try once more' }).click()
    await again.waitFor({ state: 'hidden' })
  }
}

const shownText = async (page: Page) => (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ')

export async function begin(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: 'Start in English' }).click()
  await arriveAt(page, 'consent')
}

let calls = 10

/** The acts of each step, up to the call that ends it. */
export const DOES: Readonly<Record<StepName, (page: Page, stage: KioskStage) => Promise<void>>> = {
  consent: (page) => page.getByRole('button', { name: 'Yes, I agree' }).click(),
  // It happens by itself.
  capture: async () => undefined,
  check: confirmData,
  phone: async (page) => {
    // Another one each time: a number gets no more than a few messages in an hour.
    await page.locator('#phone-typed').fill(`6399801${String((calls += 1)).padStart(2, '0')}0`)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  },
  portrait: (page) => page.locator('#start-portrait').click(),
  waiting: async (_page, stage) => stage.see({ held: [] }),
  result: (page) => page.locator('#result-done').click(),
}

/** The digits of the newest message. */
export async function typeCode(page: Page, { gateway }: KioskStage): Promise<void> {
  await page.locator('#code-typed').waitFor({ timeout: NEXT_MS })
  await page.locator('#code-typed').fill(gateway.lastCode())
  await page.getByRole('button', { name: 'Go on', exact: true }).click()
}

/** Calls that end the portrait: as long as they get no answer, the visit waits. */
export const HOLDS_THE_END: readonly string[] = ['compareFaces']
