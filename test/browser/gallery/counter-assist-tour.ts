/** A person proven at the counter, from the first question to the receipt; and one who was taken over from a kiosk. */
import { aPassport, picture } from '../../server/app/scripted-vision.ts'
import { visiblePicture } from '../visible-pictures.ts'
import { closeToasts, open, settle } from './counter-walk.ts'
import type { Walk } from './counter-walk.ts'

const PASSPORT = {
  name: 'front.jpg',
  mimeType: 'image/jpeg',
  buffer: visiblePicture('passport', aPassport()),
}
const FACE = {
  name: 'face.jpg',
  mimeType: 'image/jpeg',
  buffer: visiblePicture('face', picture({ shows: 'person', face: 'A' })),
}

export async function walkAssist(walk: Walk): Promise<void> {
  await takeOver(walk)
  const { page, words, look } = walk
  await open(page, 'assist')
  await page.locator('.assist-ways form').first().locator('button[type=submit]').click()
  await page.locator('.assist-choice').waitFor()
  await agree(walk)
  await showDocument(walk)
  await handle(walk)
  await showFace(walk)
  await look('assist-finish')
  // A face from a file does not confirm the person, so sealing asks first.
  await page.getByRole('button', { name: words('assist.finish.seal-low'), exact: true }).click()
  const question = page.getByRole('dialog')
  await question.waitFor()
  await look('assist-finish-asked')
  await question.getByRole('button', { name: words('assist.finish.seal-low'), exact: true }).click()
  await page.locator('.receipt').waitFor()
  await look('assist-result')
}

/** An applicant who called for help at a kiosk before the consent. */
async function takeOver({ page, stage, tag, words, look }: Walk): Promise<void> {
  const visitId = stage.visit({ step: 'consent', language: tag, helpAskedAt: new Date() })
  await open(page, `assist?help-call=${visitId}`)
  await page.locator('.assist-choice').waitFor()
  await look('assist-taken-over')
  await page.getByRole('button', { name: words('assist.stop'), exact: true }).click()
  await page.locator('dialog[open]').waitFor()
  await page.locator('dialog[open] input[type=radio]').first().check()
  await look('assist-stop')
  await page.locator('dialog[open] .dialog-foot .button').first().click()
  await page.locator('.assist-ways').waitFor()
  await closeToasts(page)
}

/** Shows the turned screen in the applicant's language. */
async function agree({ page, look }: Walk): Promise<void> {
  await look('assist-consent')
  await page.locator('.assist-choice .button').first().click()
  const turned = page.locator('dialog.turned')
  await turned.locator('.display-equal').first().waitFor()
  await look('assist-turned')
  const heading = turned.locator('h1')
  const equal = turned.locator('.display-equal')
  for (let asked = 0; asked < 10 && (await equal.count()) > 0; asked += 1) {
    const before = await heading.innerText()
    await equal.first().click()
    await page.waitForFunction(
      (words) => document.querySelector('dialog.turned h1')?.textContent !== words,
      before,
    )
    if (asked === 0 && (await equal.count()) > 0) await look('assist-turned-option')
  }
  await look('assist-turned-thanks')
  await turned.locator('.display-foot .display-button').click()
}

async function showDocument({ page, stage, words, look }: Walk): Promise<void> {
  await page.getByLabel(words('assist.document.country')).waitFor()
  await look('assist-document')
  await page.getByLabel(words('assist.document.country')).selectOption('UTO')
  await page.getByLabel(words('assist.document.type')).selectOption('PASSPORT')
  await page.getByRole('button', { name: words('assist.document.typed') }).click()
  await look('assist-document-typed')
  await page.getByRole('button', { name: words('assist.document.file') }).click()
  await page.locator('.assist input[type=file]').setInputFiles(PASSPORT)
  await look('assist-document-file')
  await page.locator('.assist form button[type=submit]').click()
  await stage.app.runJobs()
  await page.locator('.step-done button[aria-current=step]').waitFor()
  await settle(page)
  await look('assist-document-read')
  await page.locator('.assist .button-primary').first().click()
}

/** The document in the hands of staff. */
async function handle({ page, look }: Walk): Promise<void> {
  await page.locator('.feature-table').waitFor()
  for (const row of await page.locator('.feature-table tbody tr').all())
    await row.locator('input[type=radio]').first().check()
  await page.locator('.feature-table tbody tr').last().locator('input[type=radio]').nth(1).check()
  await look('assist-handled-different')
  await page.locator('.feature-table tbody tr').last().locator('input[type=radio]').first().check()
  await page.locator('.assist details').last().locator('summary').click()
  await page.locator('.assist .check').last().locator('input[type=checkbox]').check()
  await look('assist-handled')
  await page.locator('.assist .button-primary').first().click()
  await page.locator('table.values').waitFor()
  await settle(page)
  await look('assist-data')
  await page.locator('.assist .button-primary').first().click()
}

async function showFace({ page, stage, words, look }: Walk): Promise<void> {
  await page.getByRole('button', { name: words('assist.portrait.begin') }).waitFor()
  await look('assist-portrait')
  for (const part of await page.locator('.assist .card summary').all()) await part.click()
  await page.locator('.assist input[type=file]').setInputFiles(FACE)
  await look('assist-portrait-otherwise')
  await page.getByRole('button', { name: words('assist.document.send') }).click()
  await stage.app.runJobs()
  await page.getByText(words('assist.portrait.from-file.text')).waitFor()
  await settle(page)
  await look('assist-portrait-taken')
  await page.getByRole('button', { name: words('go-on') }).click()
  await settle(page)
}
