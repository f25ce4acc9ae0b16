/** A walk through every page of the counter, in one language, as its people come by them; `look` sees each as it stands. */
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import type { Role } from '../../../server/counter/access.ts'
import { PASSWORD } from '../counter-stage.ts'
import type { Stage } from '../counter-stage.ts'
import { walkAssist } from './counter-assist-tour.ts'
import { walkDesk } from './counter-desk-tour.ts'
import { choose, open, settle, submit } from './counter-walk.ts'
import type { Look, Walk } from './counter-walk.ts'
import { counterWords } from './locale-files.ts'

export type { Look } from './counter-walk.ts'

const ROLES: readonly Role[] = ['officer', 'supervisor', 'auditor', 'administrator']
/** Areas that need no act to be seen: name of the scene and address. */
const AREAS: readonly (readonly [string, string])[] = [
  ['today', 'today'],
  ['today-ended', 'today?state=ended'],
  ['assist', 'assist'],
  ['desk', 'desk'],
  ['devices', 'devices'],
  ['devices-inspection', 'devices/inspection'],
  ['devices-ledger', 'devices/ledger'],
  ['sync', 'sync'],
  ['sync-webhooks', 'sync/webhooks'],
  ['audit', 'audit'],
  ['charts', 'charts'],
  ['staff', 'staff'],
  ['keys', 'keys'],
  ['key-requests', 'key-requests'],
  ['me', 'me'],
  ['nothing', 'nothing'],
]

/** Before the first account exists. */
export async function walkWithoutStaff(page: Page, stage: Stage, tag: string, look: Look): Promise<void> {
  await page.goto(`${stage.url}/counter/`)
  await page.locator('.front h1').waitFor()
  await choose(page, tag)
  await page.locator('.command').waitFor()
  await look('no-staff')
}

/** From the set-up code to the sign-out. `identityId`: a proofing with a passport and a face. */
export async function walkCounter(
  page: Page,
  stage: Stage,
  tag: string,
  { identityId, reference }: { readonly identityId: string; readonly reference: string },
  look: Look,
): Promise<void> {
  const walk: Walk = { page, stage, tag, words: counterWords(tag), look }
  const login = await setUpAccount(walk)
  for (const [name, address] of AREAS) {
    await open(page, address)
    await look(name)
  }
  await openProofing(walk, identityId, reference)
  await openDialogs(walk)
  await walkDesk(walk)
  await walkAssist(walk)
  await lockAndLeave(walk, login)
}

async function setUpAccount({ page, stage, tag, words, look }: Walk): Promise<string> {
  const login = `tour-${tag}`
  const code = stage.invite(login, 'Olga Example', ROLES)
  await page.goto(`${stage.url}/counter/`)
  await page.locator('.front h1').waitFor()
  await choose(page, tag)
  await page.getByLabel(words('sign-in.login')).waitFor()
  await look('sign-in')
  await page.getByRole('button', { name: words('set-up.instead') }).click()
  await page.getByLabel(words('set-up.code')).waitFor()
  await look('set-up')
  await page.getByLabel(words('sign-in.login')).fill(login)
  await page.getByLabel(words('set-up.code')).fill(code)
  await submit(page)
  await page.locator('.rules').waitFor()
  await look('set-up-password')
  await page.getByLabel(words('password.new'), { exact: true }).fill(PASSWORD)
  await submit(page)
  await page.locator('.secret').waitFor()
  await look('set-up-app')
  const secret = (await page.locator('.secret').innerText()).replaceAll(/\s/g, '')
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret })
  await page.getByLabel(words('totp.code')).fill(totp.generate())
  await submit(page)
  await page.getByRole('button', { name: words('set-up.codes.show') }).click()
  await page.locator('.codes').waitFor()
  await look('set-up-codes')
  await page.getByLabel(words('recovery.kept')).check()
  await page.getByRole('button', { name: words('set-up.done') }).click()
  await page.locator('fieldset input[type=checkbox]').first().waitFor()
  await look('roles')
  for (const box of await page.locator('fieldset input[type=checkbox]').all()) await box.check()
  await submit(page)
  await page.locator('.workplace h1').waitFor()
  return login
}

async function openProofing(
  { page, words, look }: Walk,
  identityId: string,
  reference: string,
): Promise<void> {
  await open(page, `proofings/${identityId}`)
  await look('proofing')
  await page.evaluate(() => {
    for (const part of document.querySelectorAll('main details')) part.setAttribute('open', '')
  })
  await look('proofing-opened')
  const show = words('image.show', { image: words('image.PORTRAIT') })
  await page.getByRole('button', { name: show }).click()
  await page.locator('.image-shown .watermark').first().waitFor()
  await look('proofing-portrait')
  const box = page.locator('header.top input').first()
  await box.fill(reference)
  await box.press('Enter')
  await page.waitForFunction(() => location.hash.startsWith('#/search'))
  await settle(page)
  await look('search')
}

async function openDialogs({ page, words, look }: Walk): Promise<void> {
  for (const [name, address, button] of [
    ['staff-new', 'staff', 'staff.add'],
    ['keys-new', 'keys', 'keys.add'],
    ['audit-export', 'audit', 'audit.export'],
  ] as const) {
    await open(page, address)
    await page
      .getByRole('button', { name: words(button), exact: true })
      .first()
      .click()
    await page.locator('dialog[open]').waitFor()
    await look(name)
    await page.keyboard.press('Escape')
  }
  await open(page, 'devices/ledger')
  await page.locator('main .button-danger').click()
  await page.locator('dialog[open]').waitFor()
  await look('devices-ledger-note')
  await page.keyboard.press('Escape')
}

async function lockAndLeave({ page, words, look }: Walk, login: string): Promise<void> {
  await open(page, 'today')
  await page.locator('header.top > button').click()
  await page.getByRole('button', { name: words('lock.open') }).waitFor()
  await look('lock')
  await page.getByLabel(words('sign-in.password'), { exact: true }).fill('a wrong password')
  await submit(page)
  await page.locator('[aria-invalid=true]').first().waitFor()
  await look('lock-refused')
  await page.getByRole('button', { name: words('lock.other') }).click()
  await page.getByLabel(words('sign-in.login')).fill(login)
  await page.getByLabel(words('sign-in.password'), { exact: true }).fill(PASSWORD)
  await submit(page)
  await page.getByLabel(words('factor.code')).waitFor()
  await look('factor')
}
