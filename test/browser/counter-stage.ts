/**
 * The stage of the counter's browser tests: an appliance with its built screens, staff, and a day's visits.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { TOTP } from 'otpauth'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Role } from '../../server/counter/access.ts'
import { openAccounts } from '../../server/counter/staff/accounts.ts'
import type { TryEnd } from '../../server/proofing/visit-words.ts'
import type { Visit, VisitOutcome } from '../../server/store/visits.ts'
import type { Clock } from '../../server/clock.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { HARD_TO_READ, UNSURE_FACE, visionInDoubt } from '../server/app/adjudicators.ts'
import { aPassport, picture } from '../server/app/scripted-vision.ts'
import { documentForm, portraitForm, SHARING_TENANT, startTestApp } from '../support/app.ts'
import type { TestApp } from '../support/app.ts'
import { readsBehind, visiblePicture } from './visible-pictures.ts'

/** A document of which the machine reads nothing. */
const UNREAD = picture({ shows: 'document', lines: null, face: 'A' })

export const PASSWORD = 'four quiet lanterns below the bridge'

export interface Stage {
  readonly app: TestApp
  readonly url: string
  now(): Date
  /** The set-up code of a new account. */
  invite(login: string, name: string, roles: readonly Role[], language?: string): string
  /** An identity with the consents to a document and a portrait. */
  anIdentity(): Promise<string>
  /** A proofing as a relying service leads it, with its visit. */
  proofing(reference: string): Promise<string>
  /** Evidence that waits for a person: a document that the machine cannot read, or two faces it is unsure of. @returns its case. */
  waiting(what: 'document' | 'unread document' | 'portrait'): Promise<string>
  /** @returns its id. */
  visit(visit: Partial<Visit>): string
}

export interface StageOptions {
  /** `worker`: the real one. Else the scripted one, unless another is given. */
  readonly vision?: Vision | 'worker'
  readonly clock?: Clock
  /** Contains the configuration; default: a new folder. */
  readonly dataDir?: string
}

export async function startStage(
  screensDir: string,
  { vision = readsBehind(visionInDoubt()), clock, dataDir }: StageOptions = {},
): Promise<Stage> {
  const app = await startTestApp({
    screensDir,
    ...(vision === 'worker' ? {} : { vision }),
    ...(clock ? { clock } : {}),
    ...(dataDir ? { dataDir } : {}),
  })
  const { store } = app.appliance
  const now = () => clock?.now() ?? new Date()
  const accounts = openAccounts({ store, clock: { now }, newId: () => uuidv7() })
  const visit: Stage['visit'] = (given) => {
    const id = given.id ?? uuidv7()
    store.visits.add({
      id,
      identityId: null,
      channel: 'KIOSK',
      journey: 'default/1',
      language: 'en',
      reference: null,
      step: 'document',
      startedAt: new Date(),
      endedAt: null,
      outcome: null,
      helpAskedAt: null,
      helpAnswer: null,
      takenOverBy: null,
      ...given,
    })
    return id
  }
  const anIdentity = async (): Promise<string> => {
    const created = await app.json('POST', '/v1/identities', { payload: [] })
    const { id } = created.body as { id: string }
    const consents = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
    await app.call('POST', `/v1/identities/${id}/consents`, { payload: consents })
    return id
  }
  const submit = async (id: string, path: string, body: FormData): Promise<string> => {
    const sent = await app.json('POST', `/v1/identities/${id}/${path}`, { body })
    await app.runJobs()
    return (sent.body as { id: string }).id
  }
  const document = (id: string, scene: Uint8Array) =>
    submit(id, 'id-documents/capture', documentForm(visiblePicture('passport', scene)))
  const portrait = (id: string, scene: Uint8Array) =>
    submit(id, 'attributes/portrait/capture', portraitForm(visiblePicture('face', scene)))
  return {
    app,
    url: app.url.replace('127.0.0.1', 'localhost'),
    now,
    invite: (login, name, roles, language = 'en') => {
      const asker = { author: { actor: 'operator' }, staffId: null } as const
      // A test that is tried again finds the accounts of its first try.
      const before = store.staff.findByLogin(login)
      const invited = before
        ? accounts.reset(before.id, asker)
        : accounts.create({ login, name, roles, language }, asker)
      return invited.setUpCode
    },
    anIdentity,
    visit,
    proofing: async (reference) => {
      const id = await anIdentity()
      await document(id, aPassport())
      await portrait(id, picture({ shows: 'person', face: 'A' }))
      const startedAt = new Date(Date.now() - 240_000)
      visit({
        identityId: id,
        reference,
        startedAt,
        endedAt: new Date(),
        outcome: 'CONFIRMED',
        step: 'result',
      })
      return id
    },
    waiting: async (what) => {
      const id = await anIdentity()
      let evidenceId: string
      if (what === 'portrait') {
        await document(id, aPassport())
        evidenceId = await portrait(id, UNSURE_FACE)
      } else {
        evidenceId = await document(id, what === 'document' ? HARD_TO_READ : UNREAD)
        await app.json('POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
      }
      return store.adjudications.latest(evidenceId)?.id ?? ''
    },
  }
}

/** A day at the branch: what an officer sees on a usual morning. */
export function fillDay(stage: Stage): void {
  const outcomes: readonly (VisitOutcome | null)[] = [
    'CONFIRMED',
    'CONFIRMED',
    'PERSON',
    'CONFIRMED',
    'WALKED_AWAY',
    'CONFIRMED',
    'LATER',
    'STOPPED',
    'CONFIRMED',
    'TAKEN_OVER',
    'REFUSED',
    null,
  ]
  const languages = ['en', 'fr', 'ar', 'es', 'de']
  for (let at = 0; at < 31; at += 1) {
    const outcome = outcomes[at % outcomes.length] ?? null
    const startedAt = new Date(Date.now() - at * 9_000 - 200_000)
    const digits = String(1000 + at * 37).padStart(4, '0')
    stage.visit({
      startedAt,
      language: languages[at % 5] ?? 'en',
      reference: outcome === 'REFUSED' ? null : `7K4P-${digits}`,
      step: outcome === null ? 'portrait' : 'result',
      outcome,
      endedAt: outcome === null ? null : new Date(startedAt.getTime() + 150_000 + at * 5_000),
    })
  }
  stage.visit({
    step: 'document',
    language: 'ar',
    reference: '3M8Q-7TZ2',
    startedAt: new Date(Date.now() - 180_000),
    helpAskedAt: new Date(Date.now() - 95_000),
  })
}

/** A data folder whose configuration has this beside the usual tenant. */
export function dataDirWith(config: object): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-stage-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant: SHARING_TENANT, ...config }))
  return dataDir
}

/** Twelve visits of today at the kiosk, most of which failed at something, as the kiosk notes them. */
export function fillTries(stage: Stage): void {
  const ends: readonly (readonly [outcome: VisitOutcome, ...ends: readonly TryEnd[]])[] = [
    ...Array.from({ length: 6 }, () => ['CONFIRMED', 'DOCUMENT_GLARE', 'GOOD'] as const),
    ...Array.from({ length: 3 }, () => ['STOPPED', 'DOCUMENT_GLARE', 'DOCUMENT_ENDED'] as const),
    ['WALKED_AWAY', 'DOCUMENT_BLUR'],
    ['CONFIRMED', 'GOOD'],
    ['WALKED_AWAY'],
  ]
  for (const [outcome, ...tries] of ends) {
    const startedAt = new Date(Date.now() - 150_000)
    const at = (seconds: number) => new Date(startedAt.getTime() + seconds * 1000)
    const visitId = stage.visit({ startedAt, endedAt: at(120), outcome })
    const note = (seconds: number, step: string, kind: 'STEP' | 'END', code: string) =>
      stage.app.appliance.store.visits.note({ visitId, at: at(seconds), step, kind, code })
    note(0, 'consent', 'STEP', 'consent')
    note(10, 'document', 'STEP', 'document')
    tries.forEach((end, index) => note(30 + index * 20, 'document', 'END', end))
    if (outcome === 'CONFIRMED') note(90, 'result', 'STEP', 'result')
  }
}

/**
 * Sets an account up through the pages, from the set-up code to the first page. `now`: the appliance's clock.
 * @returns the recovery codes.
 */
export async function setUp(
  page: Page,
  url: string,
  login: string,
  code: string,
  now = new Date(),
): Promise<string[]> {
  await page.goto(`${url}/counter/`)
  const instead = page.getByRole('button', { name: 'I have a set-up code' })
  // The heading can be older than the form, for example while the language changes: one of the two answers is waited for.
  await instead.or(page.getByLabel('Set-up code')).first().waitFor()
  if (await instead.isVisible()) await instead.click()
  await page.getByLabel('Sign-in name').fill(login)
  await page.getByLabel('Set-up code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save the password' }).click()
  const secret = await page.locator('.secret').innerText()
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: secret.replaceAll(/\s/g, '') })
  await page
    .getByLabel('The six digits that the app shows now')
    .fill(totp.generate({ timestamp: now.getTime() }))
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Show my codes' }).click()
  const codes = await page.locator('.codes').innerText()
  await page.getByLabel('I have kept the codes').check()
  await page.getByRole('button', { name: 'Start working' }).click()
  return codes.split(/\s+/)
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

/** @param storageState of a person who is signed in already. */
export async function newPage(
  browser: Browser,
  width = 1366,
  height = 768,
  storageState?: StorageState,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    ...(storageState ? { storageState } : {}),
  })
  return context.newPage()
}

export interface Console {
  readonly page: Page
  /**
   * Problems that a clean page never has: script errors, requests to other origins, violations of its policy.
   */
  readonly problems: string[]
}

export interface ConsoleOptions {
  readonly width?: number
  readonly height?: number
  readonly language?: string
  /** State of a signed-in browser, because setting an account up takes seconds. */
  readonly storageState?: StorageState
  /** Before anything is loaded. */
  readonly prepare?: (page: Page) => Promise<void>
}

/** A page of this stage that is watched. */
export async function openConsole(
  browser: Browser,
  { url }: Pick<Stage, 'url'>,
  { width, height, storageState, prepare }: ConsoleOptions = {},
): Promise<Console> {
  const problems: string[] = []
  const page = await newPage(browser, width, height, storageState)
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== url && protocol !== 'blob:' && protocol !== 'data:') problems.push(`request to ${origin}`)
  })
  page.on('console', (message) => {
    if (/Content Security|TrustedHTML/.test(message.text())) problems.push(message.text())
  })
  await prepare?.(page)
  return { page, problems }
}

/** A member of staff, invited and set up, at the first page of the day. */
export async function staffAt(
  browser: Browser,
  stage: Stage,
  login: string,
  roles: readonly Role[],
  options: ConsoleOptions = {},
): Promise<Console> {
  const opened = await openConsole(browser, stage, options)
  const code = stage.invite(login, `${login} Example`, roles, options.language)
  await setUp(opened.page, stage.url, login, code, stage.now())
  return opened
}

export async function unlock(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Unlock' }).click()
}

/** A slow machine may have had the screen turned for longer than a moment: then the console is locked. */
export async function giveBack(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Give back' }).click()
  await page.locator('dialog.turned').waitFor({ state: 'hidden' })
  if (await page.getByRole('button', { name: 'Unlock' }).isVisible()) await unlock(page)
}
