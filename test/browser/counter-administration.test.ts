/** The counter in the browser for supervisors, auditors and administrators: every area, charts, checklist, settings, keys and accounts. */
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RESOURCES_DIR } from '../../server/config/resources.ts'
import { lastBackup } from '../../server/store/last-backup.ts'
import { picture } from '../server/app/scripted-vision.ts'
import { codeFor, startCentralService } from '../support/central.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { enrolKiosk } from '../support/kiosk-client.ts'
import {
  expectAccessible,
  JOURNEY_MS,
  rawNames,
  shot,
  startCounterBench,
  type CounterBench,
} from './counter-bench.ts'
import { fillDay, fillTries, openConsole } from './counter-stage.ts'
import { visiblePicture } from './visible-pictures.ts'

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the counter of supervisors and administrators in a browser', () => {
  let bench: CounterBench
  beforeAll(async () => {
    bench = await startCounterBench()
  }, JOURNEY_MS)
  afterAll(() => bench.close())

  test(
    'every area of an administrator, an auditor and a supervisor stands without a finding, and so on a narrow screen',
    async () => {
      const { page, problems } = await bench.at('ada', 'supervisor', 'auditor', 'administrator')
      fillDay(bench.stage)
      const identityId = await bench.stage.proofing('9ZQ2-WX4T')
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
        'doctor',
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
      fillTries(bench.stage)
      const { page, problems } = await bench.at('sven', 'supervisor')
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
    'an administrator examines the machine, mends what is wrong, and checks again by the keyboard',
    async () => {
      const key = join(bench.stage.app.dataDir, 'keys', 'kek.key')
      chmodSync(key, 0o644)
      const { page, problems } = await bench.at('dora', 'administrator')
      await page.getByRole('link', { name: 'Diagnosis', exact: true }).click()
      // The worst check is the first.
      const first = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { level: 2 }) })
        .first()
      await first.getByText('Wrong', { exact: true }).waitFor()
      expect(await first.innerText()).toMatch(/^Keys\s+Wrong\s+Other users can read/)
      await expectAccessible(page, 'doctor')
      await shot(page, 'doctor')
      chmodSync(key, 0o600)
      await page.getByRole('button', { name: 'Check again' }).focus()
      await page.keyboard.press('Enter')
      await page.getByText('Other users can read').waitFor({ state: 'detached' })
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'an administrator goes through the checklist: camera, voice, printer and backup are tested where they stand',
    async () => {
      const { page, problems } = await bench.at('carla', 'administrator')
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

      const { store } = bench.stage.app.appliance
      const before = lastBackup(store.meta)?.at ?? 0
      await page.getByRole('button', { name: 'Make one now and restore it' }).click()
      await expect.poll(() => lastBackup(store.meta)?.at ?? 0).toBeGreaterThan(before)
      expect(lastBackup(store.meta)).toMatchObject({ outcome: 'whole' })
      await row('Backup').getByText('The backup is being made').waitFor({ state: 'detached' })
      await row('Backup').getByText('Works', { exact: true }).waitFor()

      expect(await row('Staff').innerText()).toMatch(/No account can sign in as: |Every role/)
      await page.reload()
      await row('Printer').getByText('Works', { exact: true }).waitFor()
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'a change of the settings that is not saved is lost only after a question',
    async () => {
      const { page, problems } = await bench.at('tara', 'administrator')
      await page.getByRole('link', { name: 'Settings', exact: true }).click()
      await page.getByRole('link', { name: 'Change: Visit at the kiosk' }).click()
      await page.getByLabel('Find a text to replace').fill('takes about')
      await page.getByRole('button', { name: 'Replace: It takes about {time}.' }).click()
      const typed = page.getByRole('textbox', { name: 'It takes about {time}.' })
      await typed.fill('It takes four minutes.')
      const away = page.getByRole('link', { name: 'Set-up', exact: true })
      const asked: string[] = []
      const answer = (accept: boolean) =>
        page.once('dialog', (dialog) => {
          asked.push(dialog.message())
          void (accept ? dialog.accept() : dialog.dismiss())
        })
      answer(false)
      await away.click()
      expect(await typed.inputValue()).toBe('It takes four minutes.')
      await expect.poll(() => page.url()).toContain('settings/journey')
      answer(true)
      await away.click()
      await page.getByRole('heading', { name: 'Set-up', exact: true }).waitFor()
      expect(asked).toEqual(Array(2).fill('Your change is not saved. Leave and lose it?'))
      expect(problems).toEqual([])
      await page.close()
    },
    JOURNEY_MS,
  )

  test(
    'an administrator changes a text and the brand, sees both on the kiosk, is told every fault of a broken policy, and brings back what was',
    async () => {
      const { page, problems } = await bench.at('sara', 'administrator')
      const kiosk = await openConsole(bench.browser, bench.stage, { width: 1080, height: 1920 })
      const onKiosk = async (text: string) => {
        await kiosk.page.goto(`${bench.stage.url}/kiosk/`)
        await kiosk.page.getByText(text).first().waitFor()
      }
      await onKiosk('It takes about 4 minutes.')

      await page.getByRole('link', { name: 'Settings', exact: true }).click()
      await page.getByRole('heading', { name: 'Assurance policy' }).waitFor()
      await expectAccessible(page, 'settings')
      await page.getByRole('link', { name: 'Change: Visit at the kiosk' }).click()
      await page.getByLabel('Find a text to replace').fill('takes about')
      await page.getByRole('button', { name: 'Replace: It takes about {time}.' }).click()
      await page
        .getByRole('textbox', { name: 'It takes about {time}.' })
        .fill('Bring your passport. It takes {wrong} minutes.')
      await page.getByText('Cannot be saved. Problems: 1').waitFor()
      const save = page.getByRole('button', { name: 'Save and put in force' })
      expect(await save.isDisabled()).toBe(true)
      await page
        .getByRole('textbox', { name: 'It takes about {time}.' })
        .fill('Bring your passport. It takes four minutes.')
      await page.getByText('This can be saved.').waitFor()
      // The person's view of the text, and the steps in words.
      const preview = page.locator('.settings-own-text p', { hasText: 'The person reads:' })
      expect(await preview.innerText()).toContain('Bring your passport. It takes four minutes.')
      const steps = await page.locator('.card', { hasText: 'What a visit does' }).innerText()
      expect(steps).toMatch(/Document [^\n]*Tries at most: 3/)
      expect(steps).not.toMatch(/maxSubmissions|uploadAllowed/)
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
      await onKiosk('It takes about 4 minutes.')

      await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
      await page.getByRole('link', { name: 'Change: Assurance policy' }).click()
      const text = page.getByLabel('Content of the file')
      const inWords = page.getByText('The file in words')
      await inWords.click()
      // The browser tells that the element opened only after the click has returned.
      await page.locator('.settings-in-words').getByText('Ways to a level').first().waitFor()
      const words = await page.locator('.settings-in-words').innerText()
      expect(words).not.toMatch(/minimumScore|upgradePaths|levelOfAssurance/)
      // Closed again: axe takes minutes over a policy.
      await inWords.click()
      const policy = JSON.parse(await text.inputValue()) as Record<string, unknown>
      await text.fill('{ "id": ')
      await page.getByText('This is not JSON.').waitFor()
      const broken = {
        ...policy,
        version: '4',
        caps: { ...(policy.caps as object), CLOCK_UNVERIFIED: 'LOA9' },
        levels: [],
      }
      await text.fill(JSON.stringify(broken, null, 2))
      await page.getByText(/Cannot be saved. Problems: [1-9]/).waitFor()
      expect(await save.isDisabled()).toBe(true)
      const better = { ...policy, version: '4', title: 'Ours' }
      await text.fill(JSON.stringify(better, null, 2))
      await page.getByRole('heading', { name: 'What each level would need' }).waitFor()
      expect(await page.locator('main').innerText()).toContain(
        'Needs: a document. And one of these: a face check that stops replayed videos',
      )
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

      const { page: desk } = await bench.officer()
      expect(await desk.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0)
      const answer = await desk.evaluate(() => fetch('/counter/api/settings').then(({ status }) => status))
      expect(answer).toBe(403)
      await bench.leave(desk)
    },
    JOURNEY_MS,
  )

  test(
    'an administrator joins the head office by typing its code, is told what is wrong with it, and the next proof arrives there',
    async () => {
      const central = await startCentralService()
      try {
        const code = await codeFor(central)
        const [fingerprint] = /.{4}(-.{4}){3}$/.exec(code) ?? []
        const { page, problems } = await bench.at('joiner', 'administrator')
        // An administrator begins with what this machine still lacks.
        await page.getByRole('heading', { name: 'Set-up', level: 1 }).waitFor()
        await page.getByRole('link', { name: 'Sync', exact: true }).click()
        await page.getByRole('heading', { name: 'Join the head office' }).waitFor()
        const join = async (url: string, typed: string) => {
          await page.getByLabel('Address of the head office').fill(url)
          await page.getByLabel('Enrolment code').fill(typed)
          await page.getByRole('button', { name: 'Join', exact: true }).click()
        }
        await join(central.url, 'ABCD')
        await page.getByText('This is no enrolment code').waitFor()
        await join('http://centre.example', code)
        await page.getByText('The address must begin with https://').waitFor()
        await join('http://127.0.0.1:9', code)
        await page.getByText('The head office does not answer').waitFor()
        await join(bench.stage.app.url, code)
        await page.getByText('it is no head office').waitFor()
        await join(central.url, code.replace(/^.{4}/, 'ZZZZ'))
        await page.getByText('The head office does not accept this code').waitFor()
        const used = await codeFor(central)
        await enrolKiosk(central.url, used)
        await join(central.url, used)
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
        const { store } = bench.stage.app.appliance
        expect(
          store.events.after(0, 100_000).findLast(({ type }) => type === 'sync.enrolled')?.actor,
        ).toMatch(/^STAFF:/)

        const id = await bench.stage.proofing('7K4P-0001')
        expect((await bench.stage.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
        await expect.poll(() => store.outbox.summary().backlog, { timeout: 30_000 }).toBe(0)
        expect(problems).toEqual([])
        await page.close()
      } finally {
        await central.stop()
      }
    },
    JOURNEY_MS,
  )

  test(
    'a pair of keys is asked for, confirmed by a supervisor at another screen, and shown once to who asked',
    async () => {
      const { page, problems } = await bench.at('keymaker', 'administrator')
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

      const supervisor = (await bench.at('second', 'supervisor')).page
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
      expect((await bench.stage.app.call('POST', '/v1/identities', { key, payload: [] })).status).toBe(200)
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
      const { page } = await bench.at('root', 'administrator')
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
