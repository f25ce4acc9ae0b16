/** A journey of a passport and a face, long enough for any machine, and how a person begins it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Long, because on a busy machine the test must not look like an applicant who has left. */
export const IDLE_SECONDS = { welcome: 300, reading: 300, capture: 300, result: 300, goodbye: 5, warning: 30 }

const JOURNEY = {
  version: 1,
  organisation: 'Example Bank',
  languages: ['en', 'fr'],
  steps: [
    { kind: 'consent', required: ['ID_DOCUMENT', 'PORTRAIT'] },
    { kind: 'document', uploadAllowed: true, maxSubmissions: 3, countriesFirst: ['UTO'] },
    { kind: 'check' },
    {
      kind: 'portrait',
      uploadAllowed: false,
      maxSubmissions: 3,
      livenessType: 'LIVENESS_PASSIVE_VIDEO',
      withoutTurning: 'OFFICER',
    },
  ],
  confirmedFrom: 'LOA1',
  idleSeconds: IDLE_SECONDS,
}

/** The folder of the journey that `kiosk.journey` names. */
export function writeJourney(dataDir: string, id: string): void {
  mkdirSync(join(dataDir, 'journeys'), { recursive: true })
  writeFileSync(join(dataDir, 'journeys', `${id}.json`), JSON.stringify({ id, ...JOURNEY }))
}

/** Runs the journey from the welcome to the camera, or to the next step without one; `at` runs on each screen. */
export async function agree(page: Page, at: (page: Page) => Promise<void> = async () => undefined) {
  await page.getByRole('heading', { name: 'Check who you are' }).waitFor()
  await page.locator('.choices button').first().click()
  await page.getByRole('heading', { name: 'Before we start' }).waitFor()
  await at(page)
  await page.getByRole('button', { name: 'Yes, I agree' }).click()
  await page.getByRole('heading', { name: /Show your document|camera/ }).waitFor()
}

/** "Yes, this is right" stands on the last page alone. */
export async function confirmData(page: Page) {
  const right = page.locator('#check-right')
  await right.waitFor({ state: 'attached' })
  while (!(await right.isVisible())) await page.getByRole('button', { name: 'Next' }).click()
  await right.click()
}

export async function chooseByHand(page: Page) {
  await page.getByRole('button', { name: 'Choose the document myself' }).click()
  await page.getByRole('heading', { name: 'Which document have you got?' }).waitFor()
}
