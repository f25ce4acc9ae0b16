/**
 * The chip of a document at the kiosk and at the counter, through a real server in Debian's Chromium: the number of a card, a document that
 * is taken away and a reader that is unplugged. The chip and its protocols are simulated, and only pcscd is left out.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { InspectedChip } from '../../server/chip/inspection/open-chip.ts'
import { openAccounts } from '../../server/counter/staff/accounts.ts'
import type { AssistView, ConsentDisplay } from '../../server/counter/contract/assist.ts'
import type { OpenedCapture } from '../../server/kiosk/contract/visit.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { buildMrz } from '../../server/proofing/mrz/build.ts'
import { systemClock } from '../../server/clock.ts'
import { makeDocument, CAN, writeMrz } from '../../server/tools/simulator/chip/profiles.ts'
import { writeDg2, writeFaceRecord } from '../../server/tools/simulator/chip/portrait-files.ts'
import { importTrustFile } from '../../server/trust/import-file.ts'
import { readTrustFile } from '../../server/trust/trust-file.ts'
import { chipPicture, HOLDER, scriptedVision } from '../server/app/scripted-vision.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { CounterBrowser } from '../support/counter.ts'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'
import { openSimulatedReaders, takenAwayAfter } from '../support/simulated-readers.ts'
import { dataDirWith, newPage } from './counter-stage.ts'
import { readsBehind, visiblePicture } from './visible-pictures.ts'

/** A folder for pictures of the screens, to be looked at, in these languages. */
const SHOTS = process.env.CHIP_SHOTS
const SHOWN_LANGUAGES = ['en', 'de', 'ar']
const VISIT_MS = 120_000
/** A screen follows another within this time, beside other work, too. */
const NEXT_MS = 20_000
const WRONG_CAN = '111111'
const JOURNEY = {
  id: 'chip',
  version: 1,
  languages: SHOWN_LANGUAGES,
  steps: [
    { kind: 'consent', required: ['ID_DOCUMENT', 'PORTRAIT'] },
    { kind: 'document', uploadAllowed: true, maxSubmissions: 3, countriesFirst: ['UTO'] },
    { kind: 'check' },
    { kind: 'chip' },
    { kind: 'portrait', uploadAllowed: true, maxSubmissions: 3, livenessType: 'LIVENESS_PASSIVE_VIDEO' },
  ],
  confirmedFrom: 'LOA1',
  idleSeconds: { welcome: 300, reading: 300, capture: 300, result: 300, goodbye: 5, warning: 30 },
}

const MRZ = buildMrz({ ...HOLDER, documentCode: 'I' }, 'TD1')
const FRONT = visiblePicture('passport', { shows: 'document', lines: null, face: 'A' })
const BACK = visiblePicture('page', { shows: 'document', lines: MRZ, face: null })
/** A card whose access number opens it, and whose MRZ is read wrongly: the key is that of another document. */
const { card, issued } = makeDocument('eacpace', {
  groups: (groups) => ({
    ...groups,
    1: writeMrz(MRZ),
    2: writeDg2(writeFaceRecord(chipPicture({ shows: 'person', face: 'A' }))),
  }),
  issue: { country: 'UT' },
})

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the chip', () => {
  const readers = openSimulatedReaders()
  let app: TestApp
  let browser: Browser

  beforeAll(async () => {
    const dataDir = dataDirWith({ readers: { enabled: true }, kiosk: { journey: JOURNEY.id } })
    mkdirSync(join(dataDir, 'journeys'))
    writeFileSync(join(dataDir, 'journeys', `${JOURNEY.id}.json`), JSON.stringify(JOURNEY))
    if (SHOTS) mkdirSync(SHOTS, { recursive: true })
    const vision = readsBehind(scriptedVision())
    app = await startTestApp({
      dataDir,
      screensDir: await ensureRendererBuilt(),
      vision,
      chipReaders: readers,
    })
    const people = { by: 'Ada', confirmedBy: 'Ben' }
    const { store } = app.appliance
    importTrustFile(store, readTrustFile(issued.authority), people, new Date(), { actor: 'operator' })
    browser = await launchChromium()
  }, VISIT_MS)
  afterEach(() => {
    readers.fail(null)
    readers.place(null)
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  /** An officer who has signed in with a passkey, and a page of theirs. */
  async function openConsole(
    url: string,
  ): Promise<{ readonly page: Page; readonly officer: CounterBrowser }> {
    const accounts = openAccounts({ store: app.appliance.store, clock: systemClock, newId: () => uuidv7() })
    const account = { login: 'olga', name: 'Olga Example', roles: ['officer'], language: 'en' } as const
    const { setUpCode } = accounts.create(account, { author: { actor: 'operator' }, staffId: null })
    const officer = new CounterBrowser(url)
    await officer.setUpPasskey(account.login, setUpCode)
    const page = await newPage(browser)
    page.setDefaultTimeout(NEXT_MS)
    const cookies = [officer.cookie, officer.deviceCookie].flatMap((pair) => {
      const [name = '', value = ''] = (pair ?? '').split(/=(.*)/s)
      return name === '' ? [] : [{ name, value, url }]
    })
    await page.context().addCookies(cookies)
    return { page, officer }
  }

  async function sendCard(sessionId: string): Promise<void> {
    const body = new FormData()
    body.append('DocumentFront', new Blob([new Uint8Array(FRONT)]), 'front.jpg')
    body.append('DocumentBack', new Blob([new Uint8Array(BACK)]), 'back.jpg')
    await app.call('POST', `/capture/sessions/${sessionId}/document`, { key: null, body })
    await app.runJobs()
  }

  /** The chip, held before it answers this command; `release` lets it continue. */
  function holdBefore(command: number): { readonly chip: InspectedChip; readonly release: () => void } {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let count = 0
    const chip: InspectedChip = {
      reset: () => card.reset(),
      transmit: async (apdu) => {
        count += 1
        if (count === command) await released
        return card.transmit(apdu)
      },
    }
    return { chip, release }
  }

  test(
    'at the kiosk: a reader that is unplugged, a wrong number, the right one, a card that is taken away and placed again',
    async () => {
      const page = await newPage(browser, 1080, 1920)
      page.setDefaultTimeout(NEXT_MS)
      const kiosk = callKiosk(page.context(), app.url)
      await kiosk('POST', 'session', { language: 'en' })
      await kiosk('POST', 'consent', { approved: true })
      await kiosk('POST', 'document/choice', { country: 'UTO', documentType: 'IDENTITY_CARD' })
      await sendCard((await kiosk<OpenedCapture>('POST', 'document/session')).sessionId)
      await kiosk('POST', 'check', {})
      await page.goto(app.url)
      const shows = async (title: string): Promise<void> => {
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        expect([title, await scan(page)]).toEqual([title, []])
      }
      const shoot = async (name: string, open: () => Promise<void> = async () => undefined) => {
        if (!SHOTS) return
        for (const language of SHOWN_LANGUAGES) {
          await kiosk('PUT', 'session/language', { language })
          await page.reload()
          await page.locator('h1').waitFor()
          await open()
          await page.waitForTimeout(400)
          await page.screenshot({ path: join(SHOTS, `kiosk-${name}-${language}.png`) })
        }
        await kiosk('PUT', 'session/language', { language: 'en' })
        await page.reload()
        await page.locator('h1').waitFor()
        await open()
      }

      await shows('Place your identity card on the reader')
      await shoot('place')
      readers.fail('no_reader')
      await shows('The reader does not work now')
      await shoot('reader')
      readers.fail(null)
      await shows('Place your identity card on the reader')

      readers.place(card)
      await shows('The chip does not open')
      await shoot('refused')
      const typeCan = async (can: string): Promise<void> => {
        await page.getByRole('button', { name: 'Type the 6 digits' }).click()
        await page.getByRole('heading', { name: 'Type the 6 digits of your card' }).waitFor()
        await page.keyboard.type(can)
        await page.keyboard.press('Enter')
      }
      await shoot('can', async () => {
        await page.locator('#chip-can').click()
        await page.locator('#chip-can-typed').waitFor()
      })
      if (SHOTS) await page.reload()
      await typeCan(WRONG_CAN)
      await shows('The chip does not open')

      const held = holdBefore(20)
      readers.place(takenAwayAfter(readers, held.chip, 25))
      await typeCan(CAN)
      await shows('Leave your document there')
      await expect.poll(() => readProgress(page)).toBeGreaterThan(0)
      await shoot('reading')
      held.release()
      await shows('Place the document again')
      await shoot('lost')
      readers.place(card)
      await page.getByText('The chip is read. You can take your document from the reader.').waitFor()
      await app.runJobs()
      const { visits, evidences } = app.appliance.store
      const [visit] = visits.list({ since: new Date(0), until: new Date(8.64e15) })
      const [document] = evidences.list(visit?.identityId ?? '')
      expect(document?.status).toBe('VERIFIED')
      expect(document?.evaluation.positiveIndicators).toEqual(
        expect.arrayContaining(['NFC_CHIP_ACCESS_OK', 'NFC_PASSIVE_AUTHENTICATION_OK']),
      )
      expect(app.log()).not.toMatch(new RegExp(`${CAN}|${WRONG_CAN}`))
      await page.context().close()
    },
    VISIT_MS,
  )

  test(
    'at the counter: the same, and the focus stays at the chip',
    async () => {
      const url = app.url.replace('127.0.0.1', 'localhost')
      const { page, officer } = await openConsole(url)
      const call = async <Answer>(path: string, body: object): Promise<Answer> =>
        (await officer.call<Answer>('POST', path, body)).body
      const { visitId } = await call<AssistView>('assist/begin', { language: 'en' })
      const display = { display: 'SECOND', language: 'en' }
      const { token } = await call<ConsentDisplay>(`assist/${visitId}/consent-display`, display)
      const presentation = { language: 'en', readAll: true, listened: false }
      const consent = { approved: true, presentation }
      // The person agrees on a display of their own.
      await new CounterBrowser(url).call('POST', 'display/consent', consent, {
        authorization: `Bearer ${token}`,
      })
      const wish = { country: 'UTO', documentType: 'IDENTITY_CARD' }
      await sendCard((await call<OpenedCapture>(`assist/${visitId}/document/session`, wish)).sessionId)
      await page.goto(`${url}/counter/#/assist/${visitId}`)

      const part = page.getByRole('region', { name: 'Chip' })
      const says = async (words: string): Promise<void> => {
        await part.getByRole('status').getByText(words).waitFor()
      }
      /** For the languages that are looked at; the words of the test are English. */
      const look = async (name: string): Promise<void> => {
        expect([name, await scan(page)]).toEqual([name, []])
        if (!SHOTS) return
        for (const language of [...SHOWN_LANGUAGES.slice(1), 'en']) {
          await officer.call('PUT', 'me/language', { language })
          await page.reload()
          await page.locator('.assist-steps button').nth(1).click()
          await page.locator('.assist-chip').scrollIntoViewIfNeeded()
          await page.screenshot({ path: join(SHOTS, `counter-${name}-${language}.png`) })
        }
      }
      await page
        .getByRole('navigation', { name: 'Steps' })
        .getByRole('button', { name: /Document/ })
        .click()
      await part.getByRole('button', { name: 'Read the chip' }).click()
      const hasFocus = () => part.evaluate((element) => element === document.activeElement)
      await expect.poll(hasFocus).toBe(true)
      await says('Place the document on the reader')
      readers.fail('no_reader')
      await says('The reader does not work now')
      await look('reader')
      readers.fail(null)
      await says('Place the document on the reader')
      readers.place(card)
      await says('The chip does not open with what was read or typed')
      await look('refused')

      const typeCan = async (can: string): Promise<void> => {
        await part.getByLabel('Six digits on the front of the card (CAN)').fill(can)
        await part.getByRole('button', { name: 'Open the chip' }).click()
      }
      await typeCan(WRONG_CAN)
      await says('The chip does not open with what was read or typed')
      readers.place(takenAwayAfter(readers, card, 25))
      await typeCan(CAN)
      await says('Place the document again')
      await look('lost')
      readers.place(card)
      await says('The chip is read. Take the document from the reader.')
      await look('read')
      await page.context().close()
    },
    VISIT_MS,
  )
})

const readProgress = (page: Page): Promise<number> =>
  page.getByRole('progressbar').evaluate((bar: HTMLProgressElement) => bar.value)

/** Calls of the kiosk's page, with its cookies. */
function callKiosk({ request }: BrowserContext, url: string) {
  return async <Answer>(method: string, path: string, data?: object): Promise<Answer> => {
    const headers = { origin: url }
    const response = await request.fetch(`${url}/kiosk/api/${path}`, {
      method,
      headers,
      ...(data ? { data } : {}),
    })
    if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`)
    return (await response.json()) as Answer
  }
}
