/**
 * The counter's console in Debian's Chromium, against a whole appliance: an account is set up, the day is looked at, a
 * proofing opened, the screen locked and unlocked; and no state of it has a finding of axe-core.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RESOURCES_DIR } from '../../server/config/resources.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import type { Role } from '../../server/counter/access.ts'
import {
  dataDirWith,
  fillTries,
  fillDay,
  openConsole,
  PASSWORD,
  setUp,
  staffAt,
  startStage,
} from './counter-stage.ts'
import type { Stage } from './counter-stage.ts'
import { visiblePicture } from './visible-pictures.ts'
import { lastBackup } from '../../server/store/last-backup.ts'
import { picture } from '../server/app/scripted-vision.ts'
import { codeFor, startCentre } from '../support/central.ts'
import { enrolKiosk } from '../support/kiosk-client.ts'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')
/** Hashing of passwords takes its time on purpose, and the machine may be busy. */
const JOURNEY_MS = 120_000

describe.skipIf(!present)('the counter in a browser', () => {
  let stage: Stage
  let browser: Browser
  let identityId: string
  const backups = mkdtempSync(join(tmpdir(), 'counterproof-backups-'))

  beforeAll(async () => {
    for (const name of ['data', 'keys']) mkdirSync(join(backups, name))
    stage = await startStage(await ensureRendererBuilt(), {
      dataDir: dataDirWith({
        backup: { folder: join(backups, 'data'), keysFolder: join(backups, 'keys') },
      }),
    })
    // A drawn picture stands in for the camera.
    browser = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'])
  }, JOURNEY_MS)

  afterAll(async () => {
    await browser.close()
    await stage.app.close()
    rmSync(backups, { recursive: true, force: true })
  })

  const at = (login: string, ...roles: readonly Role[]) => staffAt(browser, stage, login, roles)

  type Signed = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>
  let signed: Signed | null = null
  /** The officer of the day, on a page of her own; her account is set up once. */
  async function officer() {
    if (signed) {
      const opened = await openConsole(browser, stage, { storageState: signed })
      await opened.page.goto(`${stage.url}/counter/`)
      return opened
    }
    const opened = await at('olga', 'officer')
    await opened.page.getByRole('heading', { name: 'Today' }).waitFor()
    signed = await opened.page.context().storageState()
    return opened
  }
  /** Signs out and in again: unlocking creates another session. */
  async function leave(page: Page): Promise<void> {
    signed = await page.context().storageState()
    await page.close()
  }

  test(
    'a machine without staff says how the first account is made',
    async () => {
      const { page } = await openConsole(browser, stage)
      await page.goto(`${stage.url}/counter/`)
      await page.getByText('Nobody has an account here yet').waitFor()
      expect(await page.locator('.command').innerText()).toMatch(/^npm run staff -- create/)
      await expectAccessible(page)
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'an officer sets the account up, answers a call for help, opens a proofing and looks at a portrait: each is an event',
    async () => {
      fillDay(stage)
      identityId = await stage.proofing('9ZQ2-WX4T')
      const { page, problems } = await officer()
      await page.getByRole('heading', { name: 'Today' }).waitFor()
      // A call waits: the tab counts it.
      await expect.poll(() => page.title()).toBe('(1) Today – Counter')
      await page.getByRole('link', { name: '9ZQ2-WX4T' }).waitFor()
      // Lists contain no names, and pages hide what the role does not allow.
      expect(await page.locator('main').innerText()).not.toMatch(/ERIKSSON/)
      expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
      await expectAccessible(page)

      await page.getByRole('button', { name: 'I am coming' }).click()
      await page.getByText('Kiosk 1 now shows: I am coming').waitFor()

      await page.getByRole('link', { name: '9ZQ2-WX4T' }).click()
      await page.getByRole('heading', { name: 'Proofing 9ZQ2-WX4T' }).waitFor()
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
      expect(await page.locator('.name').innerText()).toBe('ANNA MARIA ERIKSSON')
      await page.getByRole('button', { name: 'Show: Photo of the face' }).click()
      await page.locator('.image-shown .watermark').waitFor()
      await expectAccessible(page)

      const types = stage.app.appliance.store.events.after(0, 10_000).map(({ type }) => type)
      expect(types).toEqual(
        expect.arrayContaining(['help.answered', 'proofing.opened', 'proofing.portrait_seen']),
      )
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'whoever is needed knows it: on the page, by a sound, in the tab’s title and on the desktop; one of the staff at a time has it',
    async () => {
      const { store } = stage.app.appliance
      // Records the sounds and notifications of an officer's computer.
      const edges = (page: Page) =>
        page.addInitScript(() => {
          const told = { notes: [] as string[], rings: 0, asked: 0 }
          Object.assign(window, { told })
          window.OscillatorNode = class extends OscillatorNode {
            override start(when?: number) {
              told.rings += 1
              super.start(when)
            }
          }
          class Note extends EventTarget {
            static permission = 'default'
            static requestPermission() {
              told.asked += 1
              Note.permission = 'granted'
              return Promise.resolve('granted')
            }
            constructor(title: string, { body }: { body: string }) {
              super()
              told.notes.push(`${title}: ${body}`)
            }
          }
          Object.assign(window, { Notification: Note })
        })
      const told = (page: Page) =>
        page.evaluate(
          () => (window as unknown as { told: { notes: string[]; rings: number; asked: number } }).told,
        )
      for (const visit of store.visits.listOpen()) store.visits.save({ ...visit, helpAskedAt: null })
      const first = (await officer()).page
      await edges(first)
      await first.reload()
      const second = (await at('wilma', 'officer')).page
      await second.getByRole('heading', { name: 'Today' }).waitFor()
      const screen = (await at('wall', 'display')).page
      // Its only page, and nothing beside it.
      await screen.getByRole('heading', { name: 'Who waits' }).waitFor()
      await screen.getByText('Nobody waits for you now.').waitFor()
      expect(await screen.locator('.rail, .top').count()).toBe(0)
      await first.getByText('Nobody waits for you now.').waitFor()
      expect((await told(first)).asked).toBe(0)
      await first.getByRole('button', { name: 'Notify me on this computer' }).click()
      await first.getByText('Notifications are on').waitFor()

      const sentId = stage.visit({
        reference: '5F2R-8KQZ',
        step: 'portrait',
        language: 'fr',
        sent: { at: new Date(Date.now() - 125_000), because: 'CHOSEN' },
      })
      const call = (page: Page) => page.locator('.call', { hasText: '5F2R-8KQZ' })
      await call(first).getByText('Sent to you, 2 min').waitFor()
      await call(first).getByText('wants to go on with a person').waitFor()
      // The calls are on top of the page, before the counts and the list.
      const [list, counts] = [first.locator('.calls'), first.locator('.counts')]
      expect((await list.boundingBox())!.y).toBeLessThan((await counts.boundingBox())!.y)
      await expect.poll(() => first.title()).toMatch(/^\(1\) Today/)
      expect(await told(first)).toMatchObject({
        rings: 4,
        notes: ['Kiosk 1: Somebody comes to the counter.'],
      })
      const big = screen.locator('.wall-call')
      await big.waitFor()
      expect(await big.innerText()).toMatch(/Kiosk 1[^]*Sent to you, 2 min/)
      // 32 pixels and more: a capital of 6 mm on a laptop’s screen.
      expect(
        await big.evaluate((line) => parseFloat(getComputedStyle(line).fontSize)),
      ).toBeGreaterThanOrEqual(32)
      await expectAccessible(first, 'sent')
      await expectAccessible(screen, 'wall')
      await shot(first, 'today-sent')
      await shot(screen, 'waiting')

      // Both press; one has it, and the other reads who.
      await call(second).getByRole('button', { name: 'I see to it' }).waitFor()
      await call(first).getByRole('button', { name: 'I see to it' }).click()
      await call(first).getByText('You see to it').waitFor()
      const late = call(second).getByRole('button', { name: 'I see to it' })
      if (await late.isVisible()) await late.click()
      await call(second).getByText('Olga Example sees to it').waitFor()
      const { staffId } = (await (await first.request.get(`${stage.url}/counter/api/session`)).json()) as {
        staffId: string
      }
      expect(store.visits.find(sentId)?.held?.by).toBe(staffId)
      // An attended call disappears from the team's screen and from the title.
      await screen.locator('.wall-call').waitFor({ state: 'detached' })
      await expect.poll(() => first.title()).toMatch(/^Today/)

      // A call that is taken back is gone by itself; without sound nothing rings, also after the page was loaded again.
      await first.getByLabel('Sound').uncheck()
      await first.reload()
      await first.getByRole('heading', { name: 'Waiting for you' }).waitFor()
      expect(await first.getByLabel('Sound').isChecked()).toBe(false)
      const helpId = stage.visit({ step: 'document', reference: '6G3S-9LRA', helpAskedAt: new Date() })
      await first.getByText('6G3S-9LRA').first().waitFor()
      expect((await told(first)).rings).toBe(0)
      const calling = store.visits.find(helpId)
      if (calling) store.visits.save({ ...calling, helpAskedAt: null })
      await first.locator('.call', { hasText: '6G3S-9LRA' }).waitFor({ state: 'detached' })
      const sent = store.visits.find(sentId)
      if (sent) store.visits.save({ ...sent, sent: null, endedAt: new Date() })
      for (const page of [second, screen]) await page.close()
      await leave(first)
    },
    JOURNEY_MS,
  )

  test(
    'a locked screen shows nothing of the work, and the same person finds it as it was',
    async () => {
      const { page } = await officer()
      await page.getByRole('heading', { name: 'Today' }).waitFor()
      await page.getByLabel('State', { exact: true }).selectOption('ended')
      expect(new URL(page.url()).hash).toBe('#/today?state=ended')
      await page.getByRole('button', { name: 'Lock', exact: true }).click()
      await page.getByRole('heading', { name: 'This screen is locked' }).waitFor()
      expect(await page.locator('body').innerText()).not.toMatch(/7K4P-/)
      await expectAccessible(page)
      await page.getByLabel('Password', { exact: true }).fill('a wrong password')
      await page.getByRole('button', { name: 'Unlock' }).click()
      await page.getByText('That does not fit.').waitFor()
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Unlock' }).click()
      await page.getByRole('heading', { name: 'Today' }).waitFor()
      expect(await page.getByLabel('State', { exact: true }).inputValue()).toBe('ended')
      await leave(page)
    },
    JOURNEY_MS,
  )

  test(
    'a scanner finds the visit from anywhere; the code is in no address',
    async () => {
      const { page } = await officer()
      await page.getByRole('heading', { name: 'Today' }).waitFor()
      await page.getByRole('heading', { level: 1 }).click()
      // All at once, as a scanner types: keys sent one by one wait for a busy machine, which looks like fingers.
      await page.evaluate(() => {
        for (const key of [...'9ZQ2WX4T', 'Enter'])
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      })
      await page.getByRole('heading', { name: 'Found' }).waitFor()
      expect(new URL(page.url()).hash).toBe('#/search')
      // A reference opens nothing: the page says what does, and leads to where it is typed.
      await page.getByText('scan the receipt or type its code of fifteen characters').waitFor()
      await expectAccessible(page)
      await page.getByRole('link', { name: 'Open', exact: true }).click()
      await page.getByText('scan the receipt or type its code of fifteen characters').waitFor()
      expect(await page.getByRole('link', { name: 'Go on at the counter' }).count()).toBe(0)
      await page.getByRole('link', { name: 'Type the code' }).click()
      await page.getByLabel('Code', { exact: true }).waitFor()
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'a screen that was turned to the person stays with the person until it is given back, also once the answer has come',
    async () => {
      const { page, problems } = await officer()
      await page.getByRole('link', { name: 'Begin at the counter' }).click()
      await page.getByRole('button', { name: 'Begin', exact: true }).click()
      await page.getByRole('button', { name: 'Turn this screen' }).click()
      await page.getByRole('button', { name: 'Yes, I agree' }).click()
      const thanks = page.getByRole('heading', { name: 'Thank you' })
      const yes = page.locator('dialog.turned').getByRole('button', { name: 'Yes', exact: true })
      while (
        await thanks
          .or(yes)
          .first()
          .waitFor()
          .then(() => yes.isVisible())
      )
        await yes.click()
      // The page of the staff below it has heard of the answer.
      await page.waitForResponse(async (response) => {
        const view: unknown = /\/assist\/[0-9a-f-]{36}$/.test(response.url()) ? await response.json() : null
        return (view as { consent?: { state: string } } | null)?.consent?.state === 'GIVEN'
      })
      expect(await thanks.isVisible()).toBe(true)
      await page.getByRole('button', { name: 'Give back' }).click()
      await page.getByRole('heading', { name: 'Photograph the document' }).waitFor()
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'the language chosen on the sign-in page stays for this session; without a choice it is the one of the account',
    async () => {
      const { page } = await openConsole(browser, stage)
      await page.goto(`${stage.url}/counter/`)
      await page.getByRole('button', { name: 'English' }).click()
      const code = stage.invite('nele', 'Nele Example', ['officer'], 'de')
      const recoveryCodes = await setUp(page, stage.url, 'nele', code)
      await page.getByRole('heading', { name: 'Today' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'Today' }).waitFor()
      await page.getByRole('link', { name: 'Nele Example' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Sign-in name').fill('nele')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: /phone/ }).click()
      await page.locator('form input').fill(recoveryCodes[0] ?? '')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('html[lang=de]').waitFor()
      expect(await page.locator('.rail').innerText()).toMatch(/Heute/)
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'every area of an administrator, an auditor and a supervisor stands without a finding, and so on a narrow screen',
    async () => {
      const { page, problems } = await at('ada', 'supervisor', 'auditor', 'administrator')
      for (const role of ['Supervisor', 'Auditor', 'Administrator'])
        await page.getByLabel(role, { exact: true }).check()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Today' }).waitFor()
      const areas = ['today', 'devices', 'devices/inspection', 'devices/ledger', 'sync', 'sync/webhooks']
      areas.push(
        'audit',
        'charts',
        'charts/why',
        'checklist',
        'settings',
        'settings/journey',
        'settings/brand',
        'settings/policy',
        'staff',
        'keys',
        'key-requests',
        'me',
        'search',
        'nothing',
        `proofings/${identityId}`,
      )
      for (const width of [1366, 320]) {
        await page.setViewportSize({ width, height: 768 })
        for (const area of areas) {
          await page.evaluate((to) => {
            location.hash = `#/${to}`
          }, area)
          await page.locator('.skeleton').first().waitFor({ state: 'detached' })
          await expectAccessible(page, area)
          expect([area, await rawNames(page)]).toEqual([area, []])
          const wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
          expect([area, width, wider]).toEqual([area, width, false])
        }
      }
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'a supervisor sees why people fail, in bars as long as the numbers say, and takes the table out',
    async () => {
      fillTries(stage)
      const { page, problems } = await at('sven', 'supervisor')
      await page.getByRole('link', { name: 'Charts', exact: true }).click()
      await page.getByRole('tab', { name: 'Why people fail' }).click()
      const reasons = page.getByRole('region', { name: 'Reasons' })
      const glare = reasons.getByRole('row', { name: /Reflections on the document/ })
      await glare.waitFor()
      // The name first, then where, tries, visits, who left, and what came next.
      expect(await glare.getByRole('cell').locator('.cell-value').allInnerTexts()).toEqual([
        'Document',
        '9',
        '9',
        '0',
        '20 s',
        'tried again: 9',
      ])
      const ended = reasons.getByRole('row', { name: /The document has expired/ })
      expect(await ended.innerText()).toContain('stopped: 3')
      // Fewer than five visits: no time.
      expect(await ended.getByRole('cell').locator('.cell-value').nth(4).innerText()).toBe('–')
      const bars = await reasons.locator('.row-chart li').evaluateAll((rows) =>
        rows.map((row) => {
          const bar = row.querySelector('.chart-bar')?.getBoundingClientRect()
          return { value: Number(row.querySelector('b')?.textContent), width: bar?.width ?? 0 }
        }),
      )
      expect(bars.map(({ value }) => value)).toEqual([9, 3, 1])
      const unit = (bars[0]?.width ?? 0) / 9
      for (const { value, width } of bars) expect(Math.abs(width - value * unit)).toBeLessThan(1)
      await expectAccessible(page)

      // With the keyboard: focus the chart and move along its rows.
      await reasons.locator('.row-chart li').first().focus()
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.getAttribute('title'))).toContain(
        'The document has expired',
      )
      await page.getByLabel('Step', { exact: true }).selectOption('consent')
      await glare.waitFor({ state: 'detached' })
      await page.getByLabel('Step', { exact: true }).selectOption('')
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save as CSV: Why people fail' }).click()
      expect((await download).suggestedFilename()).toBe('why-people-fail.csv')
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'an administrator goes through the checklist: camera, voice, printer and backup are tested where they stand',
    async () => {
      const { page, problems } = await at('carla', 'administrator')
      await page.getByRole('link', { name: 'Set-up', exact: true }).click()
      const row = (name: string) =>
        page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
      await row('Camera for faces').getByText('Not known').waitFor()
      await expectAccessible(page, 'checklist')

      // The scripted vision does not recognise Chromium's fake camera: a specimen replaces its picture on the
      // way to the server.
      const still = visiblePicture('face', picture({ shows: 'document', lines: null, face: null }))
      await page.route('**/checklist/tests/face-camera', (route) => route.continue({ postData: still }))
      await page.getByRole('button', { name: 'Test: Camera for faces' }).click()
      const live = page.getByLabel('Picture of the camera')
      await page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0)
      expect(await live.isVisible()).toBe(true)
      await page.getByRole('button', { name: 'Take a picture and judge it' }).click()
      await page.getByText('The picture is good.').waitFor()
      await expectAccessible(page, 'camera test')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
      await row('Camera for faces').getByText('Works', { exact: true }).waitFor()

      await page.getByRole('button', { name: 'Test: Printer' }).click()
      await page.getByRole('button', { name: 'Print', exact: true }).click()
      await page.getByRole('button', { name: 'Yes', exact: true }).click()
      await row('Printer').getByText('Works', { exact: true }).waitFor()

      // This browser has no voices: nothing can be heard, and the row says in which languages.
      await page.getByRole('button', { name: 'Test: Voice' }).click()
      await page.getByText('No voice here').first().waitFor()
      expect(await page.getByRole('button', { name: 'I heard every language' }).isDisabled()).toBe(true)
      await expectAccessible(page, 'voice test')
      await page.getByRole('button', { name: 'I did not hear all' }).click()
      await row('Voice').getByText('Has a problem').waitFor()
      expect(await row('Voice').innerText()).toContain('No voice for: English')

      const { store } = stage.app.appliance
      const before = lastBackup(store.meta)?.at ?? 0
      await page.getByRole('button', { name: 'Make one now and restore it' }).click()
      await row('Backup').getByText('The backup is being made').waitFor()
      await row('Backup').getByText('The backup is being made').waitFor({ state: 'detached' })
      expect(lastBackup(store.meta)).toMatchObject({ outcome: 'whole' })
      expect(lastBackup(store.meta)?.at).toBeGreaterThan(before)
      await row('Backup').getByText('Works', { exact: true }).waitFor()

      expect(await row('Staff').innerText()).toMatch(/Nobody can sign in as: |Every role/)
      await page.reload()
      await row('Printer').getByText('Works', { exact: true }).waitFor()
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'an administrator changes a text and the brand, sees both on the kiosk, is told every fault of a broken policy, and brings back what was',
    async () => {
      const { page, problems } = await at('sara', 'administrator')
      const kiosk = await openConsole(browser, stage, { width: 1080, height: 1920 })
      const onKiosk = async (text: string) => {
        await kiosk.page.goto(`${stage.url}/kiosk/`)
        await kiosk.page.getByText(text).first().waitFor()
      }
      await onKiosk('It takes about 5 minutes.')

      await page.getByRole('link', { name: 'Settings', exact: true }).click()
      await page.getByRole('heading', { name: 'Assurance policy' }).waitFor()
      await expectAccessible(page, 'settings')
      await page.getByRole('link', { name: 'Change: Visit at the kiosk' }).click()
      await page.getByLabel('Find a text to replace').fill('about 5 minutes')
      await page.getByRole('button', { name: 'Replace: welcome.time' }).click()
      await page
        .getByRole('textbox', { name: 'welcome.time' })
        .fill('Bring your passport. It takes {wrong} minutes.')
      await page.getByText('Cannot be saved. Problems: 1').waitFor()
      const save = page.getByRole('button', { name: 'Save and put in force' })
      expect(await save.isDisabled()).toBe(true)
      await page
        .getByRole('textbox', { name: 'welcome.time' })
        .fill('Bring your passport. It takes four minutes.')
      await page.getByText('This can be saved.').waitFor()
      await expectAccessible(page, 'journey form')
      await save.click()
      await page.getByText('Saved. It is in force.').waitFor()
      await onKiosk('Bring your passport. It takes four minutes.')

      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByRole('cell', { name: 'sara Example' }).waitFor()
      await expectAccessible(page, 'history')
      await page.getByRole('button', { name: 'Bring back' }).click()
      await page.getByRole('dialog').getByText('welcome.time').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click()
      await page.getByText('Brought back. It is in force.').waitFor()
      await onKiosk('It takes about 5 minutes.')

      await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
      await page.getByRole('link', { name: 'Change: Assurance policy' }).click()
      const text = page.getByLabel('Content of the file')
      const policy = JSON.parse(await text.inputValue()) as Record<string, unknown>
      await text.fill('{ "id": ')
      await page.getByText('This is not JSON.').waitFor()
      const broken = {
        ...policy,
        version: '3',
        caps: { ...(policy.caps as object), CLOCK_UNVERIFIED: 'LOA9' },
        levels: [],
      }
      await text.fill(JSON.stringify(broken, null, 2))
      await page.getByText(/Cannot be saved. Problems: [1-9]/).waitFor()
      expect(await save.isDisabled()).toBe(true)
      const better = { ...policy, version: '3', title: 'Ours' }
      await text.fill(JSON.stringify(better, null, 2))
      await page.getByRole('heading', { name: 'What each level would need' }).waitFor()
      expect(await page.locator('main').innerText()).toContain('Needs: a document and a live face.')
      await expectAccessible(page, 'policy as text')
      await page.getByRole('button', { name: 'Discard' }).click()

      // The row of the checklist leads to where the organisation is set up.
      await page.getByRole('link', { name: 'Set-up', exact: true }).click()
      await page.getByRole('link', { name: 'Set name, logo and colours' }).click()
      await page.getByLabel('Name of the organisation').fill('Harbour Bank')
      await page
        .getByLabel('Logo', { exact: true })
        .setInputFiles(join(RESOURCES_DIR, 'brands/lantern/logo.svg'))
      for (const language of ['English', 'French', 'Spanish', 'German', 'Arabic'])
        await page.getByLabel(`Welcome: ${language}`).fill(`Welcome (${language})`)
      await page.getByText('This can be saved.').waitFor()
      await expectAccessible(page, 'brand form')
      await save.click()
      await page.getByText('Saved. It is in force.').waitFor()
      await onKiosk('Harbour Bank')
      // The page that saved it wears it, too.
      await page.locator('.top .place').getByText('Harbour Bank').waitFor()
      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByRole('button', { name: 'Bring back' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click()
      await page.getByText('Brought back. It is in force.').waitFor()
      expect([...problems, ...kiosk.problems]).toEqual([])
      await page.close()
      await kiosk.page.close()

      const { page: desk } = await officer()
      expect(await desk.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0)
      const answer = await desk.evaluate(() => fetch('/counter/api/settings').then(({ status }) => status))
      expect(answer).toBe(403)
      await leave(desk)
    },
    JOURNEY_MS,
  )

  test(
    'an administrator joins the head office by typing its code, is told what is wrong with it, and the next proof arrives there',
    async () => {
      const centre = await startCentre()
      try {
        const code = await codeFor(centre)
        const [fingerprint] = /.{4}(-.{4}){3}$/.exec(code) ?? []
        const { page, problems } = await at('joiner', 'administrator')
        // An administrator begins with what this machine still lacks.
        await page.getByRole('heading', { name: 'Set-up', level: 1 }).waitFor()
        await page.getByRole('link', { name: 'Sync', exact: true }).click()
        await page.getByRole('heading', { name: 'Join the head office' }).waitFor()
        const join = async (url: string, typed: string) => {
          await page.getByLabel('Address of the head office').fill(url)
          await page.getByLabel('Enrolment code').fill(typed)
          await page.getByRole('button', { name: 'Join', exact: true }).click()
        }
        await join(centre.url, 'ABCD')
        await page.getByText('This is no enrolment code').waitFor()
        await join('http://centre.example', code)
        await page.getByText('The address must begin with https://').waitFor()
        await join('http://127.0.0.1:9', code)
        await page.getByText('The head office does not answer').waitFor()
        await join(stage.app.url, code)
        await page.getByText('it is no head office').waitFor()
        await join(centre.url, code.replace(/^.{4}/, 'ZZZZ'))
        await page.getByText('The head office does not accept this code').waitFor()
        const used = await codeFor(centre)
        await enrolKiosk(centre.url, used)
        await join(centre.url, used)
        await page.getByText('The head office does not accept this code').waitFor()
        await expectAccessible(page)

        // Typed in small letters and without hyphens, as after dictation.
        await page.getByLabel('Enrolment code').fill(code.toLowerCase().replaceAll('-', ''))
        // Nothing was asked yet, so there is no fingerprint of anything to show.
        expect(await page.locator('main').innerText()).not.toContain(fingerprint)
        await page.getByRole('button', { name: 'Join', exact: true }).click()
        await page.getByText('This machine has joined the head office').waitFor()
        const told = await page.locator('main').innerText()
        expect(told).toContain(fingerprint)
        expect(told).toContain('acme')
        await page.getByText('not encrypted (http)').waitFor()
        // No part of the page contradicts the other.
        await page.getByText('There is no head office.').waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Try now' }).waitFor()
        expect(await page.getByRole('heading', { name: 'Join the head office' }).count()).toBe(0)
        await expectAccessible(page)
        const { store } = stage.app.appliance
        expect(
          store.events.after(0, 100_000).findLast(({ type }) => type === 'sync.enrolled')?.actor,
        ).toMatch(/^STAFF:/)

        const id = await stage.proofing('7K4P-0001')
        expect((await stage.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
        await expect.poll(() => store.outbox.summary().backlog, { timeout: 30_000 }).toBe(0)
        expect(problems).toEqual([])
        await page.close()
      } finally {
        await centre.stop()
      }
    },
    JOURNEY_MS,
  )

  test(
    'a pair of keys is asked for, confirmed by a supervisor at another screen, and shown once to who asked',
    async () => {
      const { page, problems } = await at('keymaker', 'administrator')
      await page.getByRole('link', { name: 'Keys', exact: true }).click()
      await page.getByRole('button', { name: 'New application' }).first().click()
      await page.getByLabel('Name of the application').fill('kiosk')
      await page.getByRole('button', { name: 'Ask for the keys' }).click()
      await page.getByText('This name belongs to the appliance itself.').waitFor()
      await page.getByLabel('Name of the application').fill('head-office')
      await page.getByRole('button', { name: 'Ask for the keys' }).click()
      await page.getByRole('heading', { name: 'Waiting for a second person' }).waitFor()
      await page.getByText('waits for a supervisor').waitFor()
      expect(await page.getByRole('button', { name: 'Make the keys' }).count()).toBe(0)
      await expectAccessible(page)

      const supervisor = (await at('second', 'supervisor')).page
      await supervisor.getByRole('link', { name: 'Key requests' }).click()
      await supervisor.getByRole('heading', { name: 'New keys of head-office' }).waitFor()
      expect(await supervisor.locator('main').innerText()).toContain('keymaker Example')
      await expectAccessible(supervisor)
      await supervisor.getByRole('button', { name: 'Confirm', exact: true }).click()
      const question = supervisor.getByRole('dialog')
      await question.getByText('keymaker Example can then make the keys of head-office.').waitFor()
      await expectAccessible(supervisor)
      await question.getByRole('button', { name: 'Confirm', exact: true }).click()
      await supervisor.getByText('confirmed by second Example').waitFor()
      await supervisor.close()

      await page.getByText('confirmed by second Example').waitFor()
      await page.getByRole('button', { name: 'Make the keys' }).click()
      await page.getByRole('heading', { name: 'Keys of head-office' }).waitFor()
      const key = await page.locator('dialog .secret').first().innerText()
      expect((await stage.app.call('POST', '/v1/identities', { key, payload: [] })).status).toBe(200)
      await expectAccessible(page)
      await page.getByLabel('Both keys are kept').check()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('heading', { name: 'Waiting for a second person' }).waitFor({ state: 'detached' })
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'an account is made with a code that is shown once',
    async () => {
      const { page } = await at('root', 'administrator')
      await page.getByRole('link', { name: 'Staff', exact: true }).click()
      const add = page.getByRole('button', { name: 'New account' })
      await add.click()
      const create = page.getByRole('button', { name: 'Create the account' })
      // However low the display: the buttons are in sight.
      for (const height of [768, 480]) {
        await page.setViewportSize({ width: 1366, height })
        const box = await create.boundingBox()
        expect([height, box !== null && box.y + box.height < height]).toEqual([height, true])
      }
      await page.setViewportSize({ width: 1366, height: 768 })
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      expect(await add.evaluate((button) => button === document.activeElement)).toBe(true)
      await add.click()
      await page.getByLabel('Name', { exact: true }).fill('Nora Example')
      await page.getByLabel('Sign-in name').fill('nora')
      await page.getByLabel('Auditor', { exact: true }).check()
      await create.click()
      const shownOnce = page.getByRole('heading', { name: 'Set-up code for Nora Example' })
      await shownOnce.waitFor()
      await expectAccessible(page)
      // A dialog that is shown once does not close by accident, not even after two Escapes.
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.waitForTimeout(100)
      expect(await shownOnce.isVisible()).toBe(true)
      await page.getByRole('button', { name: 'I have handed it over' }).click()
      await page.getByRole('rowheader', { name: /Nora Example/ }).waitFor()
      await page.close()
    },
    JOURNEY_MS,
  )
})

/** A folder for pictures of the screens, to be looked at. */
const SHOTS = process.env.COUNTER_SHOTS
async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}

/** No finding of axe-core, for the page as it stands. */
/** Names of measures, checks and fields as the code writes them, which no reader should meet. Ids, hashes and addresses are none. */
async function rawNames(page: Page): Promise<string[]> {
  const words = (await page.locator('main').innerText()).split(/\s+/)
  const raw = words.filter((word) => /[A-Z]{3,}_[A-Z_]+|^\W*[a-z]+[A-Z][a-z]+\w*\W*$/.test(word))
  return [...new Set(raw)]
}

async function expectAccessible(page: Page, where = ''): Promise<void> {
  const findings = await scan(page)
  expect([where, findings]).toEqual([where, []])
}
