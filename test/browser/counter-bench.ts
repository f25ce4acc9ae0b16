/** One appliance with a counter and one browser for all tests of a file, with what they share. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import type { Role } from '../../server/counter/access.ts'
import { launchChromium, scan } from '../support/chromium.ts'
import { dataDirWith, openConsole, staffAt, startStage, type Console, type Stage } from './counter-stage.ts'

/** Hashing of passwords takes its time on purpose, and the machine may be busy. */
export const JOURNEY_MS = 120_000

export interface CounterBench {
  readonly stage: Stage
  readonly browser: Browser
  /** A person whose account is set up now. */
  at(login: string, ...roles: readonly Role[]): Promise<Console>
  /** The officer of the day, on a page of her own; her account is set up once. */
  officer(): Promise<Console>
  /** Closes the officer's page and keeps her session: unlocking creates another one. */
  leave(page: Page): Promise<void>
  close(): Promise<void>
}

export async function startCounterBench(): Promise<CounterBench> {
  const backups = mkdtempSync(join(tmpdir(), 'counterproof-backups-'))
  for (const name of ['data', 'keys']) mkdirSync(join(backups, name))
  const stage = await startStage(await ensureRendererBuilt(), {
    dataDir: dataDirWith({ backup: { folder: join(backups, 'data'), keysFolder: join(backups, 'keys') } }),
  })
  // A drawn picture stands in for the camera.
  const browser = await launchChromium([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
  ])
  const at = (login: string, ...roles: readonly Role[]) => staffAt(browser, stage, login, roles)
  let signed: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>> | null = null
  return {
    stage,
    browser,
    at,
    async officer() {
      if (signed) {
        const opened = await openConsole(browser, stage, { storageState: signed })
        await opened.page.goto(`${stage.url}/counter/`)
        return opened
      }
      const opened = await at('olga', 'officer')
      await opened.page.getByRole('heading', { name: 'Today' }).waitFor()
      signed = await opened.page.context().storageState()
      return opened
    },
    async leave(page) {
      signed = await page.context().storageState()
      await page.close()
    },
    async close() {
      await browser.close()
      await stage.app.close()
      rmSync(backups, { recursive: true, force: true })
    },
  }
}

/** A folder for pictures of the screens, to be looked at. */
const SHOTS = process.env.COUNTER_SHOTS
export async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}

/** Names of measures, checks and fields as the code writes them, which no reader should meet. Ids, hashes and addresses are none. */
export async function rawNames(page: Page): Promise<string[]> {
  const words = (await page.locator('main').innerText()).split(/\s+/)
  const raw = words.filter((word) => /[A-Z]{3,}_[A-Z_]+|^\W*[a-z]+[A-Z][a-z]+\w*\W*$/.test(word))
  return [...new Set(raw)]
}

/** No finding of axe-core, for the page as it stands. */
export async function expectAccessible(page: Page, where = ''): Promise<void> {
  const findings = await scan(page)
  expect([where, findings]).toEqual([where, []])
}
