/** The desk with a case: looked at, answered, decided and taken back, so that the next language finds it as this one did. */
import { APPLIANCE } from '../../../server/store/scope.ts'
import { closeToasts, open, settle } from './counter-walk.ts'
import type { Walk } from './counter-walk.ts'

export async function walkDesk({ page, stage, words, look }: Walk): Promise<void> {
  const { adjudications } = stage.app.appliance.store
  const waits = adjudications.queue({ scope: APPLIANCE, statuses: ['TO_PROCESS', 'UNSURE'], limit: 1 })
  if (waits.length === 0) await stage.waiting('portrait')
  await open(page, 'today')
  await open(page, 'desk')
  await page.getByRole('table').waitFor()
  await look('desk-queue')
  await page.getByRole('button', { name: words('desk.next') }).click()
  await page.locator('.sheet-picture img').first().waitFor()
  await settle(page)
  await look('desk-case')
  await page.getByRole('button', { name: words('desk.keys') }).click()
  await page.locator('dialog[open]').waitFor()
  await look('desk-keys')
  await page.keyboard.press('Escape')

  // Yes to everything that is asked.
  for (const question of await page.locator('.pane-decide .question').all())
    await question.locator('input[type=radio]').first().check()
  await page.locator('.decide-foot .button-primary').click()
  await page.locator('.machine').waitFor()
  await look('desk-answered')
  await page.locator('.decide-buttons .button').first().click()
  await page.locator('dialog[open] input[type=radio]').first().check()
  await page.locator('dialog[open] .notice').waitFor()
  await look('desk-decide')
  await page.keyboard.press('Control+Enter')
  await page.locator('.pending').waitFor()
  await settle(page)
  await look('desk-pending')
  await page.locator('.pending .button').click()
  await page.locator('.toast').waitFor()
  await settle(page)
  await look('desk-undone')
  await page.getByRole('button', { name: words('desk.release') }).click()
  await page.getByRole('button', { name: words('desk.next') }).waitFor()
  await closeToasts(page)
}
