/** What the browser tests of the counter stand on: an appliance with its built screens, staff, and a day's visits. */
import { v7 as uuidv7 } from 'uuid'
import { TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import type { Role } from '../../server/counter/access.ts'
import { accountsOf } from '../../server/counter/staff/accounts.ts'
import type { Visit, VisitOutcome } from '../../server/store/visits.ts'
import { aPassport, picture, scriptedVision } from '../server/app/scripted-vision.ts'
import { documentForm, portraitForm, startTestApp } from '../support/app.ts'
import type { TestApp } from '../support/app.ts'

export const PASSWORD = 'four quiet lanterns below the bridge'

export interface Stage {
  readonly app: TestApp
  readonly url: string
  /** The set-up code of a new account. */
  invite(login: string, name: string, roles: readonly Role[]): string
  /** A proofing as a relying service leads it, with its visit. */
  proofing(reference: string): Promise<string>
  visit(visit: Partial<Visit>): void
}

export async function startStage(screensDir: string): Promise<Stage> {
  const app = await startTestApp({ screensDir, vision: scriptedVision() })
  const { store } = app.appliance
  const accounts = accountsOf({ store, clock: { now: () => new Date() }, newId: () => uuidv7() })
  const visit: Stage['visit'] = (given) =>
    store.visits.add({
      id: uuidv7(),
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
  return {
    app,
    url: app.url.replace('127.0.0.1', 'localhost'),
    invite: (login, name, roles) =>
      accounts.create(
        { login, name, roles, language: 'en' },
        { author: { actor: 'operator' }, staffId: null },
      ).setUpCode,
    visit,
    proofing: async (reference) => {
      const created = await app.json('POST', '/v1/identities', { payload: [] })
      const { id } = created.body as { id: string }
      const consents = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
      await app.call('POST', `/v1/identities/${id}/consents`, { payload: consents })
      const pictures = [
        ['id-documents/capture', documentForm(aPassport())],
        ['attributes/portrait/capture', portraitForm(picture({ shows: 'person', face: 'A' }))],
      ] as const
      for (const [path, body] of pictures) {
        await app.call('POST', `/v1/identities/${id}/${path}`, { body })
        await app.runJobs()
      }
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

/** From the set-up code to the first page, as a person does it. */
export async function setUp(page: Page, url: string, login: string, code: string): Promise<void> {
  await page.goto(`${url}/counter/`)
  const instead = page.getByRole('button', { name: 'I have a set-up code' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  if (await instead.isVisible()) await instead.click()
  await page.getByLabel('Sign-in name').fill(login)
  await page.getByLabel('Set-up code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save the password' }).click()
  const secret = await page.locator('.secret').innerText()
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: secret.replaceAll(/\s/g, '') })
  await page.getByLabel('The six digits that the app shows now').fill(totp.generate())
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Show my codes' }).click()
  await page.getByLabel('I have kept the codes').check()
  await page.getByRole('button', { name: 'Start working' }).click()
}

export async function newPage(browser: Browser, width = 1366, height = 768): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
  return context.newPage()
}
