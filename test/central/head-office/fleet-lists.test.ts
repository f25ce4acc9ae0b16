/** The lists of the fleet page in Debian's Chromium: filter, order, pages, links and exports, by keyboard. */
import { existsSync, readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'
import { runAction } from '../../../server/central/admin/actions.ts'
import { makeRelease, vendor } from '../../support/release.ts'
import { CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { expectAccessible } from './accessible.ts'
import {
  addAlarm,
  addKey,
  addKiosk,
  addProof,
  addTenant,
  aStatus,
  startOffice,
  type TestOffice,
} from './support.ts'

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

const KIOSKS = 30

describe.skipIf(!present)('the lists of the fleet page', () => {
  let office: TestOffice
  let browser: Browser
  let key: string
  let alarmId: string

  beforeAll(async () => {
    office = await startOffice({
      screensDir: await ensureRendererBuilt(),
      options: { callsPerMinute: 10_000, openCallsPerMinute: 10_000 },
      config: { releaseKeys: [vendor.publicKey] },
    })
    for (const tenant of ['acme', 'beta']) await addTenant(office, tenant)
    key = await addKey(office, 'acme')
    for (let at = 1; at <= KIOSKS; at++) {
      const status = aStatus({ backlog: at, ...(at === 7 ? { frozen: ['DISK_LOW'] } : {}) })
      await addKiosk(office, 'acme', {
        name: `Pier ${String(at).padStart(2, '0')}`,
        status,
        seenAt: new Date(),
      })
    }
    const formula = await addKiosk(office, 'acme', { name: '=1+1', status: aStatus(), seenAt: new Date() })
    alarmId = await addAlarm(office, 'acme', formula, 'CHAIN_BROKEN')
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    await office.stop()
  })

  const open = async (link = '') => {
    const context = await browser.newContext({ viewport: { width: 1366, height: 768 } })
    const page = await context.newPage()
    await page.goto(`${office.url}/fleet/${link}`)
    await page.getByLabel('Key').fill(key)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Kiosks', exact: true }).waitFor()
    return page
  }
  const kiosks = (page: Page) => page.getByRole('region', { name: 'Kiosks' })
  const readNames = async (page: Page) => kiosks(page).locator('tbody th .cell-value').allInnerTexts()
  /** The list shows this kiosk first. */
  const waitForFirst = (page: Page, name: string) =>
    kiosks(page).locator('tbody tr').first().getByText(name, { exact: true }).waitFor()

  test('are sorted, paged and filtered by keyboard, and the address of the page shows the same again', async () => {
    const page = await open()
    await waitForFirst(page, '=1+1')
    const sort = kiosks(page).getByRole('button', { name: 'Waiting' })
    await sort.focus()
    await page.keyboard.press('Enter')
    await waitForFirst(page, '=1+1')
    await page.keyboard.press('Enter')
    await waitForFirst(page, 'Pier 30')
    expect(await kiosks(page).getByRole('columnheader', { name: 'Waiting' }).getAttribute('aria-sort')).toBe(
      'descending',
    )
    expect(await readNames(page)).toHaveLength(25)
    await kiosks(page).getByRole('button', { name: 'Next rows' }).focus()
    await page.keyboard.press('Enter')
    await waitForFirst(page, 'Pier 05')
    await kiosks(page).getByText('Rows 26 to 31').waitFor()
    await expectAccessible(page)
    await kiosks(page).getByLabel('Search for a kiosk').focus()
    await page.keyboard.type('pier 0')
    await waitForFirst(page, 'Pier 09')
    expect(await readNames(page)).toHaveLength(9)
    await kiosks(page).getByLabel('State').selectOption('FROZEN')
    await waitForFirst(page, 'Pier 07')

    const again = await open(new URL(page.url()).hash)
    await waitForFirst(again, 'Pier 07')
    expect(await readNames(again)).toEqual(['Pier 07'])
    expect(await again.getByRole('list', { name: 'Kiosks by state' }).innerText()).toMatch(
      /^1\s+Alarm\s+1\s+Frozen\s+29\s+OK$/,
    )
    await kiosks(again).getByLabel('Search for a kiosk').fill('nowhere')
    await kiosks(again).getByText('No row fits the filter.').waitFor()
    await expectAccessible(again)
    await kiosks(again).getByRole('button', { name: 'Remove the filter' }).click()
    await waitForFirst(again, 'Pier 30')
    await page.context().close()
    await again.context().close()
  })

  test('are exported as they are filtered, without a formula', async () => {
    const page = await open('#/?kiosks-search=1%2B1')
    await waitForFirst(page, '=1+1')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      kiosks(page).getByRole('button', { name: 'Export as CSV: Kiosks' }).press('Enter'),
    ])
    expect(download.suggestedFilename()).toBe('kiosks.csv')
    const [head, row, end] = readFileSync(await download.path(), 'utf8').split('\r\n')
    expect(head).toContain('"kiosk","name","state"')
    expect(row).toContain(`"'=1+1","ALARM"`)
    expect(end).toBe('')
    await page.context().close()
  })

  test('of proofs, deletions and webhooks are filtered, exported and linked, without the path of a webhook', async () => {
    const kioskId = await addKiosk(office, 'acme', {
      name: 'Archive pier',
      status: aStatus(),
      seenAt: new Date(),
    })
    const [kept, erased] = [
      await addProof(office, 'acme', kioskId, 1),
      await addProof(office, 'acme', kioskId, 2),
    ]
    const order = { proofId: erased.proofId, reference: 'request 9' }
    const { confirmation } = (await office.call(key, 'POST', '/erasures', order)).body
    await office.call(key, 'POST', '/erasures', { ...order, confirmation })
    const url = 'https://hooks.bank.example/secret-path'
    await office.call(key, 'POST', '/webhooks', { url, events: ['proof.stored'] })
    const page = await open(`#/?proofs-search=${kept.identityId}&deletions-state=ERASURE`)
    const list = (name: string) => page.getByRole('table', { name, exact: true })
    await list('Proofs').getByText(kept.proofId).waitFor()
    expect(await list('Proofs').locator('tbody tr').count()).toBe(1)
    await list('Deleted proofs').getByText('request 9').waitFor()
    await list('Webhooks').getByText('https://hooks.bank.example', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('secret-path')
    await expectAccessible(page)
    await page
      .getByRole('search', { name: 'Proofs', exact: true })
      .getByLabel('State')
      .selectOption('deleted')
    await page.getByText('No row fits the filter.').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV: Deleted proofs' }).press('Enter'),
    ])
    const [, row] = readFileSync(await download.path(), 'utf8').split('\r\n')
    expect(row).toContain(`"${erased.proofId}","${kioskId}","Archive pier",2,"ERASURE"`)
    await list('Deleted proofs').getByRole('button', { name: 'Archive pier' }).press('Enter')
    await page.getByRole('dialog', { name: 'Archive pier' }).waitFor()
    await page.context().close()
  })

  test('stand beside the figures of the tenant and of a kiosk, for a span that the address keeps', async () => {
    const kioskId = await addKiosk(office, 'acme', { name: 'Counted', status: aStatus(), seenAt: new Date() })
    await addProof(office, 'acme', kioskId, 1)
    await office.upkeep.run()
    await office.context.db.query(
      SYSTEM,
      `UPDATE proof_figures SET failures = '{"EXPIRY_KO": 1}', steps = '{"PORTRAIT_CAPTURE": 1}', step_ms = '{"PORTRAIT_CAPTURE": 1500}'`,
    )
    const page = await open(`#/?days=30&kiosk=${kioskId}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('rowheader', { name: 'EXPIRY_KO' }).waitFor()
    await dialog.getByText('1.5 s').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    const figures = page.getByRole('region', { name: 'Figures' })
    await figures.getByRole('rowheader', { name: 'LOA2 (test)' }).waitFor()
    expect(await figures.getByLabel('Span').inputValue()).toBe('30')
    await figures.getByLabel('Span').selectOption('1')
    await expect.poll(() => page.url()).toContain('days=1')
    await page.context().close()
  })

  test('show the rings of a rollout; a person pauses, continues and stops it by keyboard, with a reason', async () => {
    const { packageFile, releaseFile } = makeRelease()
    await runAction(office.context, 'addRelease', { packageFile, releaseFile })
    const order = { tenantId: 'acme', version: '1.2.0', reason: 'security update' }
    const { rolloutId } = (await runAction(office.context, 'startRollout', order)) as { rolloutId: string }
    const page = await open('#/?rollouts-search=1.2')
    const rollouts = page.getByRole('region', { name: 'Rollouts of releases' })
    await rollouts.getByText('security update').waitFor()
    await rollouts.getByText('No kiosk has shown that the release works.').waitFor()
    await rollouts.getByText(/canary.*: kiosks: \d+, installed: 0/).waitFor()
    await rollouts.getByText(/all.*not begun/).waitFor()
    await expectAccessible(page)
    const decide = async (button: string, sentence: string, reason: string) => {
      await rollouts.getByRole('button', { name: button }).press('Enter')
      await page.getByText(sentence).waitFor()
      await expectAccessible(page)
      await page.keyboard.type(reason)
      await page.keyboard.press('Control+Enter')
      await rollouts.getByText(reason).waitFor()
    }
    await decide(
      'Pause the rollout of 1.2.0',
      'No further kiosk is offered the release.',
      'wait for the holidays',
    )
    await rollouts.locator('tbody').getByText('Paused').waitFor()
    await decide(
      'Continue the rollout of 1.2.0',
      'Kiosks that failed do not count again',
      'the holidays are over',
    )
    await decide('Stop the rollout of 1.2.0', 'The rollout ends for good.', 'another version follows')
    await rollouts.getByLabel('State').selectOption('RUNNING')
    await rollouts.getByText('No row fits the filter.').waitFor()
    await page.context().close()

    const stopped = await office.call(key, 'GET', '/rollouts?state=STOPPED')
    expect(stopped.body).toMatchObject({
      rollouts: [{ rolloutId, state: 'STOPPED', reason: 'another version follows' }],
    })
    expect((await office.call(key, 'POST', `/rollouts/${rolloutId}/pause`, { reason: 'x' })).status).toBe(409)
    // A repetition changes nothing and is no row of the log.
    const again = await office.call(key, 'POST', `/rollouts/${rolloutId}/stop`, { reason: 'x' })
    expect(again.body).toMatchObject({ state: 'STOPPED', reason: 'another version follows' })
    const other = await addKey(office, 'beta')
    expect((await office.call(other, 'POST', `/rollouts/${rolloutId}/stop`, { reason: 'x' })).status).toBe(
      404,
    )
    expect((await office.call(other, 'GET', '/rollouts')).body).toMatchObject({ rollouts: [] })
    const reader = await addKey(office, 'acme', ['fleet:read'], 'reader')
    expect((await office.call(reader, 'POST', `/rollouts/${rolloutId}/stop`, { reason: 'x' })).status).toBe(
      403,
    )
    const { text } = await office.call(key, 'GET', '/rollouts.csv')
    expect(text.split('\r\n')).toHaveLength(5)
    const log = await office.db.query(
      SYSTEM,
      `SELECT operation, reason FROM access_log WHERE subject = $1 AND consumer_id IS NOT NULL ORDER BY id`,
      [rolloutId],
    )
    expect(log).toEqual([
      { operation: 'pauseRollout', reason: 'wait for the holidays' },
      { operation: 'resumeRollout', reason: 'the holidays are over' },
      { operation: 'stopRollout', reason: 'another version follows' },
    ])
  })

  test('lead to an alarm by its address; a person resolves it by keyboard, with the reason', async () => {
    const page = await open(`#/?alarm=${alarmId}`)
    await page.getByRole('heading', { name: 'Alarm of =1+1' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Resolve…' }).press('Enter')
    await page.getByText('If the cause lasts, the service raises a new alarm.').waitFor()
    await page.getByText('Resolve it only if you know the cause.').waitFor()
    await expectAccessible(page)
    await page.keyboard.type('the disk was exchanged')
    await page.keyboard.press('Control+Enter')
    await page.getByText('The alarm is resolved.').waitFor()
    await page.getByText('No open alarm.').waitFor()
    expect(page.url()).not.toContain(alarmId)
    await page.getByRole('region', { name: 'Alarms' }).getByLabel('State').selectOption('resolved')
    await page.getByRole('button', { name: 'Details of the alarm: =1+1, CHAIN_BROKEN' }).press('Enter')
    await page.getByText('the disk was exchanged').waitFor()
    await page.getByRole('button', { name: 'Show the kiosk' }).press('Enter')
    await page.getByRole('heading', { name: '=1+1', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.context().close()
  })
})
