/** The counter in the browser for an officer who signs in at an OpenID provider: in, out of the lock, and before a sensitive act. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openAccounts } from '../../server/counter/staff/accounts.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { startIdentityProvider } from '../../server/tools/simulator/oidc.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { SHARING_TENANT, startTestApp } from '../support/app.ts'
import { CHROMIUM, launchChromium } from '../support/chromium.ts'
import { findFreePort } from '../support/postgres.ts'
import { expectAccessible, JOURNEY_MS } from './counter-bench.ts'

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the counter with an OpenID provider in a browser', () => {
  test(
    'signs the officer in, keeps the page over a lock, and asks the provider before an account is disabled',
    async () => {
      const account = { name: 'Ada Example', groups: ['branch-admins'] }
      const idp = await startIdentityProvider({ clients: { counter: 'secret' }, account })
      const port = await findFreePort()
      const address = `http://localhost:${port}`
      idp.serve(`${address}/counter/api/openid/callback`)
      const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
      writeFileSync(join(dataDir, 'secret'), 'secret', { mode: 0o600 })
      const oidc = {
        address,
        issuer: idp.issuer,
        allowHttp: true,
        clientId: 'counter',
        clientSecretFile: 'secret',
        roles: [{ value: 'branch-admins', role: 'administrator' }],
      }
      writeFileSync(
        join(dataDir, 'config.json'),
        JSON.stringify({ tenant: SHARING_TENANT, counter: { oidc } }),
      )
      let aheadMs = 0
      const clock = { now: () => new Date(Date.now() + aheadMs) }
      const screensDir = await ensureRendererBuilt()
      const app = await startTestApp({ dataDir, port, screensDir, clock, vision: scriptedVision() })
      const { store } = app.appliance
      openAccounts({ store, clock, newId: () => '0199d3c4-7a10-7c3e-9d52-1f6f3a7b2c01' }).create(
        { login: 'bo', name: 'Bo Example', roles: ['officer'], language: 'en' },
        { author: { actor: 'operator' }, staffId: null },
      )
      const browser = await launchChromium()
      const page = await browser.newPage()
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      /** The log-in and, at the first time, the consent. */
      const allow = async (at: Page) => {
        await at.waitForURL((url) => url.origin === idp.issuer)
        while (new URL(at.url()).origin === idp.issuer) {
          await Promise.all([
            at.waitForNavigation(),
            at.getByRole('button', { name: 'Continue as the specimen person' }).click(),
          ])
        }
      }
      const confirmInWindow = async () => {
        const [other] = await Promise.all([
          page.waitForEvent('popup'),
          page.getByRole('button', { name: 'Confirm with your organisation' }).click(),
        ])
        await allow(other)
        await other.getByText('Close this window and continue your work in the other one.').waitFor()
        await expectAccessible(other)
        await other.close()
      }

      await page.goto(`${address}/counter/`)
      await page.getByLabel('Password', { exact: true }).waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Sign in with your organisation' }).click()
      await allow(page)
      await page.getByText('Ada Example').first().waitFor()
      expect(page.url()).toMatch(new RegExp(`^${address}/counter/(#/.*)?$`))

      await page.goto(`${address}/counter/#/staff`)
      await page.getByText('Account of the organisation').waitFor()
      await page.evaluate(() => document.body.setAttribute('data-kept', 'yes'))
      await page.getByRole('button', { name: 'Lock', exact: true }).click()
      await page.getByRole('heading', { name: 'This screen is locked' }).waitFor()
      await expectAccessible(page)
      await confirmInWindow()
      await page.getByRole('heading', { name: 'Staff' }).waitFor()
      expect(await page.locator('body').getAttribute('data-kept')).toBe('yes')

      aheadMs += 6 * 60_000
      await page.getByRole('button', { name: 'Switch off Bo Example' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
      await page.getByText('This step needs a new confirmation.').waitFor()
      await expectAccessible(page)
      await confirmInWindow()
      await expect.poll(() => store.staff.findByLogin('bo')?.enabled).toBe(false)
      expect(faults).toEqual([])
      await browser.close()
      await app.close()
      await idp.goDown()
    },
    JOURNEY_MS,
  )
})
