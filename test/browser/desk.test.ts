/**
 * The desk in Debian's Chromium, with a complete appliance: a reviewer examines a case before seeing
 * measurements, decides in two acts and withdraws the decision; a second one decides differently without
 * knowing the first, and a supervisor settles it.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../server/counter/access.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { picture } from '../server/app/scripted-vision.ts'
import { actedClock } from '../support/acted-clock.ts'
import { portraitForm } from '../support/app.ts'
import { staffAt, startStage } from './counter-stage.ts'
import type { Stage } from './counter-stage.ts'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'

/** A folder for pictures of the screens, to be looked at. */
const SHOTS = process.env.COUNTER_SHOTS
const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')
const JOURNEY_MS = 180_000

describe.skipIf(!present)('the desk in a browser', () => {
  let stage: Stage
  let browser: Browser
  const clock = actedClock()
  const problems: string[][] = []

  beforeAll(async () => {
    if (SHOTS) mkdirSync(SHOTS, { recursive: true })
    stage = await startStage(await ensureRendererBuilt(), { clock })
    browser = await launchChromium()
  }, JOURNEY_MS)

  afterAll(async () => {
    await browser?.close()
    await stage?.app.close()
  })

  const store = () => stage.app.appliance.store

  /** Signs an officer in at the desk. */
  async function at(login: string, role: Role): Promise<Page> {
    const opened = await staffAt(browser, stage, login, [role])
    problems.push(opened.problems)
    await opened.page.getByRole('link', { name: 'Desk', exact: true }).click()
    await opened.page.getByRole('heading', { name: 'Desk', exact: true }).waitFor()
    return opened.page
  }

  /** The time to take it back is over, and what waits is carried out. */
  async function carriedOut(): Promise<void> {
    clock.pass(31_000)
    const id = await stage.anIdentity()
    await stage.app.call('POST', `/v1/identities/${id}/attributes/portrait/capture`, {
      body: portraitForm(picture({ shows: 'person', face: null })),
    })
    await stage.app.runJobs()
  }

  async function answer(page: Page, real: 'Yes' | 'No'): Promise<void> {
    const group = (name: RegExp) => page.getByRole('group', { name })
    await group(/Is the document real/)
      .getByLabel(real, { exact: true })
      .check()
    await group(/Do the data agree/)
      .getByLabel('Yes', { exact: true })
      .check()
    await page.getByRole('button', { name: 'Send my answers' }).click()
    await page.getByRole('heading', { name: 'What the machine measured' }).waitFor()
  }

  async function decide(page: Page, which: 'Confirm…' | 'Refuse…', reason: string): Promise<void> {
    await page.getByRole('button', { name: which }).click()
    await page.getByLabel(reason).check()
    await page.locator('dialog .notice').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.locator('.pending').waitFor()
  }

  const CONFIRM = [
    'Confirm…',
    'The picture is hard for the machine; every value is the one that is printed.',
  ] as const
  const REFUSE = ['Refuse…', 'Print, photo or surface was changed.'] as const

  test(
    'two reviewers look for themselves, one takes a decision back, and a supervisor settles what they disagree about',
    async () => {
      const first = await at('rosa', 'officer')
      await first.getByText('No case waits for you.').waitFor()
      await expectAccessible(first, 'empty')
      await shot(first, 'desk-empty')
      const second = await at('sven', 'officer')
      const chief = await at('cora', 'supervisor')
      const id = await stage.waiting('document')
      await first.reload()
      await first.getByRole('table').waitFor()
      expect(await first.locator('main').innerText()).not.toMatch(/ERIKSSON|SAMPLE/i)
      await expectAccessible(first, 'queue')
      await shot(first, 'desk-queue')

      // The reference that the queue shows finds the case, which no visit began.
      const reference = await first.getByRole('rowheader').first().innerText()
      await first.getByRole('searchbox').fill(reference.toLowerCase().replace('-', ' '))
      await first.keyboard.press('Enter')
      await first.getByText('waits at the desk').waitFor()
      expect(await first.locator('main').innerText()).toContain(reference)
      await expectAccessible(first, 'found')
      await shot(first, 'desk-found')
      await first.getByRole('link', { name: 'To the desk' }).click()

      await first.getByRole('button', { name: 'Next case' }).click()
      await first.locator('.sheet-picture img').waitFor()
      // Before the reviewer has answered, nothing of the machine is on the page, and nothing decides.
      expect(await first.locator('.machine').count()).toBe(0)
      expect(await first.getByRole('button', { name: 'Confirm…' }).count()).toBe(0)
      expect(await first.locator('.watermark').count()).toBeGreaterThan(0)
      await theWatermarkHidesNothing(first)
      await expectAccessible(first, 'case')
      await shot(first, 'desk-case')
      await theViewerObeysKeys(first)

      // A page that was loaded again has the case again.
      await first.reload()
      await first.getByRole('heading', { name: /Desk .{4}-.{4}/ }).waitFor()
      await answer(first, 'No')
      await expectAccessible(first, 'answered')
      await shot(first, 'desk-answered')
      await first.getByRole('button', { name: 'Refuse…' }).click()
      // One key decides nothing.
      await first.keyboard.press('Control+Enter')
      expect(await first.locator('.pending').count()).toBe(0)
      await expectAccessible(first, 'dialog')
      await shot(first, 'desk-dialog')
      await first.keyboard.press('Escape')
      await decide(first, ...REFUSE)
      await expectAccessible(first, 'pending')
      await shot(first, 'desk-pending')
      await first.getByRole('button', { name: 'Undo' }).click()
      await first.getByText('is withdrawn').waitFor()
      expect(store().adjudications.find(id)?.status).toBe('PROCESSING')
      await decide(first, ...REFUSE)
      await carriedOut()
      expect(store().adjudications.find(id)?.status).toBe('UNSURE')

      await second.reload()
      await second.getByRole('button', { name: 'Next case' }).click()
      await second.getByText('1 of 2 reviewers').waitFor()
      expect(await second.locator('main').innerText()).not.toMatch(/You refused|Print, photo/i)
      await answer(second, 'Yes')
      await decide(second, ...CONFIRM)
      await carriedOut()

      await second.reload()
      await second.getByText('Two disagree').waitFor()
      expect(await second.getByRole('button', { name: 'Next case' }).isDisabled()).toBe(true)

      await chief.reload()
      await chief.getByRole('button', { name: /^Settle/ }).click()
      await chief.getByText('Two reviewers disagreed').waitFor()
      await answer(chief, 'Yes')
      await decide(chief, ...CONFIRM)
      await shot(chief, 'desk-settled')
      await carriedOut()
      expect(store().adjudications.find(id)?.status).toBe('ACCEPTED')
      const types = store()
        .events.after(0, 10_000)
        .map(({ type }) => type)
      expect(types).toEqual(expect.arrayContaining(['desk.answered', 'desk.undone', 'desk.overruled']))
      expect(problems.flat()).toEqual([])
    },
    JOURNEY_MS,
  )

  test(
    'what the machine could not read a reviewer types beside the picture, and it is what is confirmed',
    async () => {
      const id = await stage.waiting('unread document')
      const reader = await at('rita', 'officer')
      await reader.getByRole('button', { name: 'Next case' }).click()
      await reader.locator('.sheet-picture img').waitFor()
      await answer(reader, 'Yes')
      await reader.getByRole('button', { name: 'Confirm…' }).click()
      const dialog = reader.locator('dialog[open]')
      await dialog.getByText('Type what you read on it').waitFor()
      await expectAccessible(reader, 'reading')
      await shot(reader, 'desk-reading')

      // The picture is still there to be read from: it can be looked at closer while the form is open.
      const zoomed = async () => reader.locator('.tool-zoom').innerText()
      expect(await zoomed()).toBe('1×')
      await reader.locator('.viewer').focus()
      await reader.keyboard.press('z')
      expect(await zoomed()).toBe('2×')
      const sheet = await reader.locator('.sheet-picture').first().boundingBox()
      const beside = await dialog.boundingBox()
      expect(beside && sheet && beside.x >= sheet.x + sheet.width * 0.6).toBe(true)
      const foot = await dialog.locator('.button-primary').boundingBox()
      expect(foot && foot.y + foot.height <= 768).toBe(true)

      // A reason alone decides nothing while a value is missing, and the page says which.
      await dialog.getByLabel(CONFIRM[1]).check()
      const confirm = dialog.locator('.button-primary')
      expect(await confirm.isDisabled()).toBe(true)
      await dialog
        .getByText('Still to be typed: Kind of document, Issued by, Family name, Born, Document number')
        .waitFor()
      await typeReading(dialog, 'PASSPORT')
      await dialog.getByLabel('Born').fill('2974-08-12')
      await dialog.getByText('This day is still to come.').waitFor()
      expect(await confirm.isDisabled()).toBe(true)
      await dialog.getByLabel('Born').fill('1974-08-12')
      await dialog.getByLabel('Valid to').fill('2011-01-01')
      await dialog.getByText('By this date the document has expired.').waitFor()
      expect(await confirm.isDisabled()).toBe(true)
      await dialog.getByLabel('Valid to').fill('2039-12-31')
      await dialog.locator('.notice').waitFor()
      await expectAccessible(reader, 'typed')
      await shot(reader, 'desk-reading-typed')

      // Neither a dialog that was closed, nor a decision that was taken back, nor a page that was loaded again costs the typing.
      const typed = () => Promise.all(TYPED.map((label) => dialog.getByLabel(label).inputValue()))
      const all = await typed()
      await reader.keyboard.press('Escape')
      await reader.getByRole('button', { name: 'Confirm…' }).click()
      expect(await typed()).toEqual(all)
      await dialog.getByLabel(CONFIRM[1]).check()
      await dialog.locator('.notice').waitFor()
      await reader.keyboard.press('Control+Enter')
      await reader.locator('.pending').waitFor()
      await reader.reload()
      await reader.getByRole('button', { name: 'Undo' }).click()
      await reader.getByText('is withdrawn').waitFor()
      await reader.getByRole('button', { name: 'Confirm…' }).click()
      expect(await typed()).toEqual(all)
      await dialog.getByLabel(CONFIRM[1]).check()
      await dialog.locator('.notice').waitFor()
      await reader.keyboard.press('Control+Enter')
      await reader.locator('.pending').waitFor()
      await carriedOut()

      const [decision] = store().adjudicationDecisions.list(id)
      const reading = store()
        .adjudicationDecisions.signedReadings(id)
        .get(decision?.signature ?? '')
      expect(reading?.values).toMatchObject({ idDocumentNumber: 'L898902C3', expiryDate: '2039-12-31' })
      expect(store().adjudications.find(id)?.status).toBe('ACCEPTED')
      expect(problems.flat()).toEqual([])
    },
    JOURNEY_MS,
  )

  test(
    'a document of every kind that the rules value is confirmed by what is typed of it',
    async () => {
      const reader = await at('kim', 'officer')
      const offered: string[] = []
      for (let kind: string | undefined = 'PASSPORT'; kind !== undefined;) {
        const id = await stage.waiting('unread document')
        await reader.reload()
        await reader.getByRole('button', { name: 'Next case' }).click()
        await reader.locator('.sheet-picture img').waitFor()
        await answer(reader, 'Yes')
        await reader.getByRole('button', { name: 'Confirm…' }).click()
        const dialog = reader.locator('dialog[open]')
        const choices = dialog.getByLabel('Kind of document').locator('option')
        const kinds = await choices.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))
        await typeReading(dialog, kind)
        await dialog.getByLabel(CONFIRM[1]).check()
        await dialog.locator('.notice').waitFor()
        await reader.keyboard.press('Control+Enter')
        await reader.locator('.pending').waitFor()
        await carriedOut()
        expect([kind, store().adjudications.find(id)?.status]).toEqual([kind, 'ACCEPTED'])
        const evidence = store().evidences.find(store().adjudications.find(id)?.evidenceId ?? '')
        expect(evidence).toMatchObject({ status: 'VERIFIED', type: kind })
        offered.push(kind)
        kind = kinds.filter(Boolean).find((other) => !offered.includes(other))
      }
      expect(offered).toEqual(
        expect.arrayContaining(['PASSPORT', 'IDENTITY_CARD', 'DRIVING_LICENSE', 'RESIDENT_CARD']),
      )
      expect(problems.flat()).toEqual([])
    },
    JOURNEY_MS,
  )

  async function shot(page: Page, name: string): Promise<void> {
    if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) })
  }
})

const TYPED = [
  'Kind of document',
  'Issued by',
  'Given names',
  'Family name',
  'Born',
  'Document number',
  'Valid to',
]

/** All that a reviewer has to type. */
async function typeReading(dialog: Locator, kind: string): Promise<void> {
  await dialog.getByLabel('Kind of document').selectOption(kind)
  await dialog.getByLabel('Issued by').selectOption('UTO')
  await dialog.getByLabel('Family name').fill('Eriksson')
  await dialog.getByLabel('Given names').fill('Anna Maria')
  await dialog.getByLabel('Born').fill('1974-08-12')
  await dialog.getByLabel('Document number').fill('L898902C3')
}

/** Letters act while the focus is inside, and nowhere else; they can be switched off. */
async function theViewerObeysKeys(page: Page): Promise<void> {
  const zoom = page.locator('.tool-zoom')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('z')
  expect(await zoom.innerText()).toBe('1×')
  await page.keyboard.press('F6')
  await page.keyboard.press('F6')
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('viewer')
  await page.keyboard.press('z')
  expect(await zoom.innerText()).toBe('2×')
  await page.keyboard.press('c')
  // Never only corrected.
  expect(await page.locator('.sheet').count()).toBe(2)
  await page.keyboard.press('c')
  await page.keyboard.press('?')
  await page.getByLabel('Single letters work in the viewer').uncheck()
  await page.keyboard.press('Escape')
  await page.locator('.viewer').focus()
  await page.keyboard.press('z')
  expect(await zoom.innerText()).toBe('2×')
  await page.keyboard.press('ArrowLeft')
  expect(await page.locator('.machine').count()).toBe(0)
}

/**
 * The mark is there on light and dark, and takes no pixel of the picture further than a fifth of the scale: what is printed under
 * it stays legible.
 */
async function theWatermarkHidesNothing(page: Page): Promise<void> {
  const glass = page.locator('.sheet-glass').first()
  const greys = async () =>
    sharp(await glass.screenshot())
      .greyscale()
      .raw()
      .toBuffer()
  const marked = await greys()
  const show = (visibility: string) =>
    glass.locator('.watermark').evaluate((mark, to) => {
      ;(mark as SVGElement).style.visibility = to
    }, visibility)
  await show('hidden')
  const plain = await greys()
  await show('visible')
  const differences = marked.map((grey, at) => Math.abs(grey - (plain[at] ?? 0)))
  expect(differences.filter((difference) => difference > 51).length).toBe(0)
  const seenOn = (from: number, to: number) =>
    differences.filter((difference, at) => difference >= 30 && plain[at] >= from && plain[at] < to).length
  expect(seenOn(0, 80)).toBeGreaterThan(100)
  expect(seenOn(200, 256)).toBeGreaterThan(100)
}

/** No finding of axe-core, for the page as it stands. */
async function expectAccessible(page: Page, where: string): Promise<void> {
  const findings = await scan(page)
  expect([where, findings]).toEqual([where, []])
}
