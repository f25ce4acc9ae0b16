/** The common part of the walks through the counter: the actors, and the way between pages. */
import type { Page } from 'playwright-core'
import type { Stage } from '../counter-stage.ts'
import type { Words } from './locale-files.ts'

export type Look = (name: string) => Promise<void>

export interface Walk {
  readonly page: Page
  readonly stage: Stage
  readonly tag: string
  readonly words: Words
  readonly look: Look
}

export async function choose(page: Page, tag: string): Promise<void> {
  const button = page.locator(`.languages button[lang=${tag}]`)
  if ((await button.count()) === 0) return // one language: there is no choice
  await button.click()
  await page.waitForFunction((lang) => document.documentElement.lang === lang, tag)
  await settle(page)
}

export async function submit(page: Page): Promise<void> {
  await page.locator('form .button-primary[type=submit]:visible').click()
}

/** Another page of the console, as one comes to it: from its top. */
export async function open(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = `#/${to}`
  }, address)
  await page.locator('.workplace h1').waitFor()
  await settle(page)
}

/** Until nothing is being fetched and drawn. */
export async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(60)
  await page.waitForFunction(() => !document.querySelector('.skeleton'))
  await page.waitForTimeout(60)
}

/** Closes the messages about the last act. */
export async function closeToasts(page: Page): Promise<void> {
  const close = page.locator('.toast .icon-button')
  while ((await close.count()) > 0) await close.first().click()
}
