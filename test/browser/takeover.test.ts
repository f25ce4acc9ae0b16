/**
 * A kiosk's page and the counter's server together: an applicant asks for help and is answered, staff
 * continue the visit without loss, and the receipt's use afterwards. The pictures are scripted; everything
 * else is the product's own.
 */
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssistView } from '../../server/counter/contract/assist.ts'
import type { SealCheck, SearchAnswer, TodayView, WaitingView } from '../../server/counter/contract/today.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { aPassport, scriptedVision } from '../server/app/scripted-vision.ts'
import { FACE, sendPortrait } from '../server/counter/work.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../support/counter.ts'
import { CHROMIUM, launchChromium } from '../support/chromium.ts'
import { agree, confirmData, writeJourney } from './journey.ts'

/** For a machine with two cores and other load. */
const SLOW_MS = 240_000

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('a visit that continues at the counter', () => {
  let counter: CounterApp
  let officer: CounterBrowser
  let browser: Browser
  let context: BrowserContext | null = null

  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-takeover-'))
    writeJourney(dataDir, 'takeover')
    counter = await startCounterApp({
      dataDir,
      screensDir: process.env.KIOSK_SCREENS ?? (await ensureRendererBuilt()),
      config: { kiosk: { journey: 'takeover', name: 'Hall 1' } },
      vision: scriptedVision(),
      clock: { now: () => new Date() },
    })
    officer = await counter.signedIn('officer')
    browser = await launchChromium()
  }, SLOW_MS)

  afterAll(async () => {
    await browser?.close()
    await counter?.close()
  })

  test(
    'by its call for help: the person reads the answer, is sent to a colleague, and is sealed with what the kiosk took',
    async () => {
      const page = await kioskWithDocument()
      await page.getByRole('button', { name: 'Help', exact: true }).click()
      await page
        .locator('dialog')
        .getByText('We have called the staff. They have not answered yet.')
        .waitFor()
      // To continue is no word about the call: staff still see it.
      await page.getByRole('button', { name: 'Go on. The call stays' }).click()
      await page.locator('dialog').waitFor({ state: 'detached' })
      const { body: today } = await officer.call<TodayView>('GET', 'today')
      expect(today.counts.helpCalls).toBe(1)
      const [call] = (await officer.call<WaitingView>('GET', 'waiting')).body.calls
      expect(call).toMatchObject({ kiosk: 'Hall 1', step: 'check', answer: null, mayTakeOver: true })
      const told = { answer: 'TWO_MINUTES' }
      expect((await officer.call('POST', `help-calls/${call.visitId}/answer`, told)).status).toBe(200)
      await page
        .locator('dialog')
        .getByText('Staff have answered: they will be here in about 2 minutes.')
        .waitFor()

      const before = identityOf(call.reference)
      const evidences = counter.app.appliance.store.evidences.list(before)
      // Besides the passport there is the capture session that got no picture.
      expect(evidences.filter(({ status }) => status === 'VERIFIED')).toHaveLength(1)
      const { status, body: taken } = await takeOver({ helpCall: call.visitId })
      expect(status).toBe(200)
      expect(taken).toMatchObject({ identityId: before, reference: call.reference, channel: 'KIOSK' })
      const kept = taken.documents.map(({ evidenceId }) => evidenceId)
      expect(kept.toSorted()).toEqual(evidences.map(({ id }) => id).toSorted())
      await expectHandedOver(page)

      expect((await officer.call<WaitingView>('GET', 'waiting')).body.calls).toEqual([])
      await finishAtTheCounter(taken.visitId, before)
      // The machine was ready for the next applicant long before, and erased no identity then.
      const types = counter.app.appliance.store.events.after(0, 10_000).map(({ type }) => type)
      expect(types).not.toContain('identity.erased')
      expect(counter.app.appliance.store.visits.find(call.visitId)).toMatchObject({ outcome: 'TAKEN_OVER' })
    },
    SLOW_MS,
  )

  test(
    'by the answer "come to the counter": the data leaves the screen, the applicant goes, and the call finds the visit',
    async () => {
      const page = await kioskWithDocument()
      await page.getByRole('button', { name: 'Help', exact: true }).click()
      await page
        .locator('dialog')
        .getByText('We have called the staff. They have not answered yet.')
        .waitFor()
      const [call] = (await officer.call<WaitingView>('GET', 'waiting')).body.calls
      const told = { answer: 'GO_TO_COUNTER' }
      expect((await officer.call('POST', `help-calls/${call.visitId}/answer`, told)).status).toBe(200)
      await page.locator('dialog').getByText('Come to the counter. Bring your document.').waitFor()
      await page
        .locator('dialog')
        .getByText(call.reference ?? '')
        .waitFor()
      expect(await page.locator('main').innerText()).toBe('')
      expect(await page.locator('body').innerText()).not.toMatch(/ERIKSSON|UTO/)
      await page.getByRole('button', { name: 'I am going there' }).click()
      await expectHandedOver(page)

      const identityId = identityOf(call.reference)
      const [sent] = (await officer.call<WaitingView>('GET', 'waiting')).body.calls
      expect(sent).toMatchObject({
        visitId: call.visitId,
        kind: 'SENT',
        because: 'CALLED',
        mayTakeOver: true,
      })
      const { status, body: taken } = await takeOver({ helpCall: call.visitId })
      expect([status, taken.identityId]).toEqual([200, identityId])
      await finishAtTheCounter(taken.visitId, identityId)
    },
    SLOW_MS,
  )

  test(
    'by its receipt: reference and code find it, and only who has the code continues with it',
    async () => {
      const page = await kioskWithDocument()
      await page.getByRole('button', { name: 'Something is wrong' }).click()
      await page.getByText('Anything else is put right by a new photo.').waitFor()
      await page.getByRole('button', { name: 'Family name' }).click()
      await page.locator('#typed-familyName').fill('ERIKSSÖN')
      await page.getByRole('button', { name: 'Done', exact: true }).click()
      // The page shows the consequence before the confirmation.
      await page
        .getByText(
          'What you typed is kept beside what we read. What we read is not changed. Example Bank receives both.',
        )
        .waitFor()
      await confirmData(page)
      await page.getByRole('button', { name: 'I cannot do this' }).click()
      await page.getByRole('button', { name: 'Let a person finish this' }).click()
      const outcome = page.locator('#outcome')
      await outcome.waitFor()
      expect(await outcome.getAttribute('data-outcome')).toBe('PERSON')
      const [reference, code] = await Promise.all(
        ['#reference', '#code'].map((id) => page.locator(id).innerText()),
      )
      const identityId = identityOf(reference)

      // Staff know of it without being asked.
      const { calls } = (await officer.call<WaitingView>('GET', 'waiting')).body
      const sent = calls.find((call) => call.reference === reference)
      expect(sent).toMatchObject({ kind: 'SENT', because: 'CHOSEN', heldBy: null, mayTakeOver: false })

      const byReference = await search({ reference })
      expect(byReference).toMatchObject({
        found: { identityId, reference, outcome: 'PERSON' },
        mayTakeOver: false,
      })
      expect((await takeOver({ code: reference })).status).toBe(404)
      expect((await takeOver({ reference })).status).toBe(400)
      expect((await takeOver({ helpCall: byReference.found?.visitId })).status).toBe(404)

      const byCode = await search({ code })
      expect(byCode).toMatchObject({ found: { identityId, reference }, mayTakeOver: true })
      const { status, body: taken } = await takeOver({ code: code.toLowerCase().replaceAll('-', ' ') })
      expect(status).toBe(200)
      expect(taken.identityId).toBe(identityId)
      expect((await officer.call<WaitingView>('GET', 'waiting')).body.calls).toEqual([])
      await finishAtTheCounter(taken.visitId, identityId)
      // Sealed is sealed: the same code opens nothing a second time.
      expect((await search({ code })).mayTakeOver).toBe(false)
      expect((await takeOver({ code })).status).toBe(403)
    },
    SLOW_MS,
  )

  test(
    'by an applicant who cannot move the head: the kiosk says what happens, opens nothing weaker, and the officer sees why',
    async () => {
      const page = await kioskWithDocument()
      await confirmData(page)
      const chooseWithoutMoving = async () => {
        await page.getByRole('button', { name: 'I cannot do this' }).click()
        await page.getByRole('button', { name: 'Without moving' }).click()
        await page
          .getByText('A person at the counter takes your picture. What you have shown so far stays.')
          .waitFor()
      }
      await chooseWithoutMoving()
      await page.getByRole('button', { name: 'Go on here' }).click()
      await page.locator('#start-portrait').waitFor()
      await chooseWithoutMoving()
      await page.getByRole('button', { name: 'Go on at the counter' }).click()
      const outcome = page.locator('#outcome')
      await outcome.waitFor()
      expect(await outcome.getAttribute('data-outcome')).toBe('PERSON')

      const reference = await page.locator('#reference').innerText()
      const { calls } = (await officer.call<WaitingView>('GET', 'waiting')).body
      const sent = calls.find((call) => call.reference === reference)
      expect(sent).toMatchObject({ kind: 'SENT', because: 'CANNOT_TURN', heldBy: null })
      const evidences = counter.app.appliance.store.evidences.list(identityOf(reference))
      expect(evidences.filter(({ family }) => family === 'PORTRAIT')).toEqual([])
    },
    SLOW_MS,
  )

  /** Up to the check of the passport's values. A file replaces the missing camera of this machine. */
  async function kioskWithDocument(): Promise<Page> {
    await context?.close()
    context = await browser.newContext({ viewport: { width: 1080, height: 1920 }, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(counter.origin)
    await agree(page)
    const passport = { name: 'passport.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(aPassport()) }
    await page.getByRole('heading', { name: /camera/ }).waitFor()
    await page.locator('main input[type=file]').last().setInputFiles(passport)
    await page.getByRole('heading', { name: 'Is this right?' }).waitFor()
    return page
  }

  async function expectHandedOver(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'A colleague continues with you' }).waitFor()
    await page.getByText('Nothing is lost: you need not start again.').waitFor()
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await page.locator('body').innerText()).not.toMatch(/UTO|passport|[0-9A-Z]{4}-[0-9A-Z]{4}/)
    await page.getByRole('heading', { name: 'Check who you are' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  }

  /** The face before staff, and the seal over both. */
  async function finishAtTheCounter(visitId: string, identityId: string): Promise<void> {
    await sendPortrait(counter, officer, visitId, FACE)
    await counter.app.runJobs()
    const { body: view } = await officer.call<AssistView>('GET', `assist/${visitId}`)
    expect(view).toMatchObject({ checking: false, mayFinish: true })
    const { status, body: finished } = await officer.call<AssistView>('POST', `assist/${visitId}/finish`, {
      notConfirmed: true,
    })
    expect(status).toBe(200)
    expect(finished.result?.reference).toBe(view.reference)
    const sealed = await officer.call<SealCheck>('POST', `proofings/${identityId}/seal-check`, {})
    expect(sealed.body).toMatchObject({ state: 'GOOD', problems: [] })
    const { store } = counter.app.appliance
    const kinds = store.evidences.list(identityId).map(({ type }) => type)
    expect(kinds).toEqual(expect.arrayContaining(['PASSPORT', 'PORTRAIT']))
  }

  const takeOver = (body: object) => officer.call<AssistView>('POST', 'assist/take-over', body)
  const search = async (body: object) => (await officer.call<SearchAnswer>('POST', 'search', body)).body

  function identityOf(reference: string | null): string {
    const { visits } = counter.app.appliance.store
    const identityId = reference === null ? null : visits.findByReference(reference)?.identityId
    if (!identityId) throw new Error('the visit has no identity')
    return identityId
  }
})
