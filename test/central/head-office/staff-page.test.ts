/** Staff sign in to the fleet page in Debian's Chromium, with a real OpenID provider. */
import { existsSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'
import {
  makeCertificateAuthority,
  SIGNER_EXTENSIONS,
  type CertificateAuthority,
} from '../../support/certificate-authority.ts'
import { CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { expectAccessible } from './accessible.ts'
import { startStaffBench, type StaffBench } from './staff-bench.ts'
import { addAlarm, addKey, addKiosk, addTenant } from './support.ts'

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the fleet page for staff', () => {
  let bench: StaffBench
  let browser: Browser
  let authority: CertificateAuthority

  beforeAll(async () => {
    // Over TLS, as in a real place: the browser takes the cookies with the prefix __Host- from nowhere else.
    authority = makeCertificateAuthority('Staff page')
    const { certificateFile, keyFile } = authority.issue({ name: '127.0.0.1', extensions: SIGNER_EXTENSIONS })
    // The log-in page of the simulated provider signs this account in.
    const account = { name: 'Ada Example', groups: ['it-admins', 'auditors'] }
    bench = await startStaffBench(
      { 'account-1': account },
      [
        { value: 'it-admins', role: 'operator', tenants: 'all' },
        { value: 'auditors', role: 'auditor', tenants: ['east'] },
      ],
      {
        screensDir: await ensureRendererBuilt(),
        options: { openCallsPerMinute: 10_000 },
        config: { tls: { certificateFile, keyFile } },
      },
    )
    for (const tenant of ['east', 'west']) {
      await addTenant(bench.office, tenant)
      const kiosk = await addKiosk(bench.office, tenant, { name: `Kiosk of ${tenant}` })
      await addAlarm(bench.office, tenant, kiosk)
    }
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    await bench.stop()
    authority.remove()
  })

  const open = async (): Promise<{ page: Page; addresses: string[]; faults: string[] }> => {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    const [addresses, faults]: string[][] = [[], []]
    page.on('framenavigated', (frame) => addresses.push(frame.url()))
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (/policy|Trusted/i.test(message.text())) faults.push(message.text())
    })
    await page.goto(`${bench.oidc.address}/fleet/`)
    return { page, addresses, faults }
  }
  const title = (page: Page) => page.getByRole('heading', { name: 'Kiosks', exact: true })
  /** The pages of the provider: the log-in, then the consent. */
  const allow = async (page: Page) => {
    for (let times = 0; times < 2; times++) {
      await page.getByRole('button', { name: 'Continue as the specimen person' }).click()
    }
  }

  test('leads with the keyboard to the provider and back, names the person, changes the tenant, and signs out of both', async () => {
    const { page, addresses, faults } = await open()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.getByLabel('Key').count()).toBe(0)
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await allow(page)
    await title(page).waitFor()
    expect(page.url()).toBe(`${bench.oidc.address}/fleet/#/?tenant=east`)
    expect(
      addresses.filter((address) => /code=|state=/.test(address) && address.startsWith(bench.oidc.address)),
    ).toEqual([])
    expect(await page.evaluate(() => document.referrer)).toBe('')
    await page.getByText('Ada Example · east').waitFor()
    const cookies = await page.context().cookies(bench.oidc.address)
    expect(cookies.find(({ name }) => name === '__Host-counterproof-staff')).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
      path: '/',
    })
    await page.getByText('Kiosk of east', { exact: true }).first().waitFor()
    await page.getByRole('cell', { name: 'listKiosks' }).first().waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV: Access log' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('access-log.csv')
    await expectAccessible(page)

    await page.getByLabel('Tenant').selectOption('west')
    await page.getByText('Kiosk of west', { exact: true }).first().waitFor()
    expect(await page.getByText('Kiosk of east').count()).toBe(0)
    expect(await page.getByRole('heading', { name: 'Access log' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Acknowledge: Kiosk of west, GAP' }).click()
    await page.getByText('No open alarm.').waitFor()
    await page.reload()
    await page.getByText('Ada Example · west').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.origin === bench.idp.issuer)
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.waitForURL(`${bench.oidc.address}/fleet/**`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('opens a link to a kiosk in the tenant that it names, also after the sign-in and a reload', async () => {
    const first = await open()
    await first.page.getByRole('button', { name: 'Sign in' }).click()
    await allow(first.page)
    await first.page.getByLabel('Tenant').selectOption('west')
    await first.page.getByRole('button', { name: 'Details of Kiosk of west' }).click()
    await first.page.getByRole('dialog', { name: 'Kiosk of west' }).waitFor()
    const link = first.page.url()
    expect(link).toContain('tenant=west')
    await first.page.context().close()

    const { page } = await open()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await allow(page)
    await page.getByRole('dialog', { name: 'Kiosk of west' }).waitFor()
    await page.reload()
    await page.getByRole('dialog', { name: 'Kiosk of west' }).waitFor()
    await page.getByText('Ada Example · west').waitFor()
    // A link of another tenant, opened in the same tab.
    await page.goto(`${bench.oidc.address}/fleet/#/?tenant=east`)
    await page.getByText('Ada Example · east').waitFor()
    await page.context().close()
  })

  test('says why a sign-in did not succeed, without a trace in the address, and what to do', async () => {
    const { page, faults } = await open()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('The sign-in was cancelled.').waitFor()
    expect(page.url()).toBe(`${bench.oidc.address}/fleet/`)
    bench.accounts['account-1'] = { name: 'Ada Example', groups: [] }
    await page.getByRole('button', { name: 'Sign in' }).click()
    await allow(page)
    await page.getByText('Your account has no role here.').waitFor()
    await expectAccessible(page)
    bench.accounts['account-1'] = { name: 'Ada Example', groups: ['it-admins'] }
    await page.getByRole('button', { name: 'Sign in with another account' }).click()
    await page.getByRole('button', { name: 'Continue as the specimen person' }).click()
    await title(page).waitFor()
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('offers a key while the provider does not answer', async () => {
    const restarted = await startStaffBench({}, bench.oidc.roles, { screensDir: await ensureRendererBuilt() })
    await addTenant(restarted.office, 'east')
    await restarted.idp.goDown()
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${restarted.oidc.address}/fleet/`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The sign-in service of the organisation does not answer.').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Key').fill(await addKey(restarted.office, 'east', ['fleet:read']))
    await page.keyboard.press('Enter')
    await page.getByText('archive · east').waitFor()
    await page.context().close()
    await restarted.office.stop()
  })

  test('says that a session has ended, and offers the sign-in', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await allow(page)
    await title(page).waitFor()
    await page.context().clearCookies({ name: '__Host-counterproof-staff' })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('Your sign-in has ended. Sign in again to continue.').waitFor()
    await page.context().close()
  })
})
