/**
 * Every screen of the kiosk in every state, reached as people reach it: on the product's own page, through a whole appliance. A
 * state that no act of a person brings about is provoked where the world ends (a camera, the line, the disk, the clock), and says
 * by what.
 */
import { existsSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { accept, keepSilent } from '../../../server/tools/simulator/sms.ts'
import { kioskWords } from './locale-files.ts'
import type { Kiosk, World } from './world.ts'

export interface Stop {
  readonly name: string
  /** A screen of a normal visit: checked in every language and setting. */
  readonly isMain: boolean
  /** The provocation of the screen; null: reached by an applicant's acts. */
  readonly provoked: string | null
  /** Leads from the screen below to what stands on it, in the language that the page has then. */
  readonly again: (page: Page) => Promise<void>
}
export type LookAt = (page: Page, stop: Stop) => Promise<void>

export interface Chapter {
  readonly name: string
  /** The configuration of a separate appliance, if it differs from the usual one. */
  readonly config?: object
  walk(tour: Tour): Promise<void>
}

/** For a machine with two cores and other load. */
const PATIENCE_MS = 120_000
const GLIMPSE_MS = 20_000

/** One person's way: acts by what a button is for, in whatever language the page has. */
export class Tour {
  readonly world: World
  readonly #lookAt: LookAt
  #kiosk: Kiosk | null = null

  constructor(world: World, lookAt: LookAt) {
    this.world = world
    this.#lookAt = lookAt
  }

  get kiosk(): Kiosk {
    if (!this.#kiosk) throw new TypeError('no kiosk is open')
    return this.#kiosk
  }
  get page(): Page {
    return this.kiosk.page
  }

  async open(options: Parameters<World['openKiosk']>[0] = {}): Promise<void> {
    await this.#kiosk?.close()
    this.#kiosk = await this.world.openKiosk(options)
    this.page.setDefaultTimeout(PATIENCE_MS)
  }
  async close(): Promise<void> {
    await this.#kiosk?.close()
    this.#kiosk = null
  }

  async look(name: string, { main = false, provoked, again }: LookOptions = {}): Promise<void> {
    await again?.(this.page)
    await this.#lookAt(this.page, {
      name,
      isMain: main,
      provoked: provoked ?? null,
      again: again ?? (async () => undefined),
    })
  }

  /** Over the present screen, and closed again. */
  async over(name: string, open: (page: Page) => Promise<void>, more: Omit<LookOptions, 'again'> = {}) {
    const again = async (page: Page) => {
      await open(page)
      await page.locator('dialog[open]').waitFor()
    }
    await this.look(name, { ...more, again })
    await closeDialogs(this.page)
  }

  screen(name: string): Promise<void> {
    return this.page.locator(`main .screen-${name}:not([hidden])`).waitFor()
  }
  async guidance(...codes: readonly string[]): Promise<void> {
    const told = codes.map((code) => `.guidance[data-code=${code}]`).join()
    await this.page.locator(told).first().waitFor()
  }
  /** For screens that a slow machine may skip. @returns whether it was shown. */
  async glimpse(...codes: readonly string[]): Promise<boolean> {
    const told = codes.map((code) => `.guidance[data-code=${code}]`).join()
    const isThere = this.page.locator(told).first().waitFor({ timeout: GLIMPSE_MS })
    return isThere.then(
      () => true,
      () => false,
    )
  }

  async toConsent(): Promise<void> {
    await this.page.locator('.choices button[lang=en]').click()
    await this.screen('consent')
  }
  /** `phone`: agrees to messages as well. */
  async toDocument(phone = false): Promise<void> {
    await this.toConsent()
    await agree(this.page, phone)
    await this.screen('document')
  }
  /** The lines of the document come one by one. */
  async read(): Promise<void> {
    await this.screen('check')
    await this.page.waitForFunction(
      () =>
        ![...document.querySelectorAll('.crop:not([hidden])')].some(
          (crop) => crop.querySelector('img')?.complete !== true,
        ),
    )
  }
  async toCheck(): Promise<void> {
    this.kiosk.show('passport')
    await this.read()
  }
  async toPortrait(): Promise<void> {
    await confirm(this.page)
    await this.screen('before')
  }
  async film(who: 'alba' | 'another-person'): Promise<void> {
    await this.kiosk.stand(who)
    await this.page.locator('#start-portrait').click()
    // Told before the page asks what comes next.
    await this.page.evaluate(
      () => new Promise((told) => document.addEventListener('captured', told, { once: true })),
    )
    await this.kiosk.stand('no-person')
  }
  /** Calls of this kind get no answer meanwhile. */
  async held(calls: string, act: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    await this.page.route(calls, async (route) => {
      await promise
      await route.continue().catch(() => undefined)
    })
    try {
      await act()
    } finally {
      resolve()
      await this.page.unroute(calls)
    }
  }

  /** The vision workers get no time, as on a machine with far too much to do; nor do those that come in their place. */
  async busy(act: () => Promise<void>): Promise<void> {
    const signal = (name: NodeJS.Signals) => {
      for (const id of this.world.workerIds()) if (existsSync(`/proc/${id}`)) process.kill(id, name)
    }
    signal('SIGSTOP')
    const stopping = setInterval(() => signal('SIGSTOP'), 100)
    try {
      await act()
    } finally {
      clearInterval(stopping)
      signal('SIGCONT')
    }
  }
}

interface LookOptions {
  readonly main?: boolean
  readonly provoked?: string
  readonly again?: Stop['again']
}

/** Finds the button by the key of its text in renderer/locales. */
export async function press(page: Page, key: string): Promise<void> {
  await named(page, key).then((button) => button.click())
}
async function named(page: Page, key: string): Promise<Locator> {
  const words = kioskWords(await page.evaluate(() => document.documentElement.lang))
  return page
    .getByRole('button', { name: key === 'cannot.moving' ? withPerson(words) : words(key), exact: true })
    .locator('visible=true')
    .first()
}
/** The journeys give the way without moving to an officer. */
const withPerson = (words: ReturnType<typeof kioskWords>): string =>
  words('cannot.with-person', { way: words('cannot.moving') })
async function closeDialogs(page: Page): Promise<void> {
  // A call for help that stays would be told above every screen that follows.
  const withdraw = page.locator('dialog[open]:has(.help-lead) .hands .button-secondary')
  while ((await page.locator('dialog[open]').count()) > 0) {
    if ((await withdraw.count()) > 0) await withdraw.click()
    else await page.keyboard.press('Escape')
    await page.waitForTimeout(50)
  }
}
async function agree(page: Page, optional = false): Promise<void> {
  await page.locator('#consent-agree').click()
  await press(page, optional ? 'consent.option.yes' : 'consent.option.no')
}
async function confirm(page: Page): Promise<void> {
  const right = page.locator('#check-right')
  await right.waitFor({ state: 'attached' })
  while (!(await right.isVisible())) await page.locator('.pager .button-equal').last().click()
  await right.click()
}
const bar = (name: string) => (page: Page) => page.locator(`#bar-${name}`).click()
const each =
  (...keys: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await press(page, key)
  }

const welcome: Chapter = {
  name: 'welcome',
  async walk(tour) {
    await tour.open()
    await tour.screen('welcome')
    await tour.look('welcome')
    await tour.over('welcome-over-help-alone', bar('help'))
    await tour.over('welcome-over-settings', bar('display'))
    const { page } = tour
    await tour.held('**/kiosk/api/journey', async () => {
      await page.reload()
      await tour.look('starting', { provoked: 'a server that does not answer yet' })
    })
    await page.route('**/kiosk/api/**', (route) => route.abort())
    await page.reload()
    await tour.screen('resting')
    await tour.look('resting-no-server', { provoked: 'a line that is cut' })
    await page.unroute('**/kiosk/api/**')
    await tour.screen('welcome')
    await tour.toConsent()
    await page.context().clearCookies()
    await page.locator('#consent-agree').click()
    await press(page, 'consent.option.no')
    await tour.screen('welcome')
    await tour.look('welcome-expired', { provoked: 'a session that is gone' })
  },
}

const consent: Chapter = {
  name: 'consent',
  async walk(tour) {
    await tour.open()
    await tour.toConsent()
    const { page } = tour
    await tour.look('consent', { main: true })
    await tour.look('consent-read-it-all', { main: true, again: (on) => press(on, 'consent.read') })
    const next = page.locator('.pager .button-equal').last()
    if (await next.isVisible()) {
      await next.click()
      await tour.look('consent-read-on')
    }
    await press(page, 'consent.full.back')
    await tour.over('consent-over-sound', bar('sound'))
    await tour.over('consent-over-languages', bar('language'))
    await tour.over('consent-over-stop', bar('stop'), { main: true })
    await tour.held('**/kiosk/api/help', async () => {
      await bar('help')(page)
      await page.locator('dialog[open]').waitFor()
      await tour.look('consent-over-help-calling', { provoked: 'a server that takes its time' })
    })
    await page.locator('dialog[open] .help-lead', { hasText: kioskWords('en')('help.unstaffed') }).waitFor()
    await closeDialogs(page)
    await tour.over('consent-over-help-asked', bar('help'), { main: true })
    await page.waitForTimeout(500)
    await page.locator('#consent-agree').click()
    await tour.look('consent-optional')
    await tour.held('**/kiosk/api/consent', async () => {
      await press(page, 'consent.option.no')
      await tour.look('consent-working', { provoked: 'a server that takes its time' })
    })
    await tour.screen('document')

    await tour.open()
    await tour.toConsent()
    await tour.page.context().setOffline(true)
    await agree(tour.page)
    await tour.page.locator('.telling .notice').waitFor()
    await tour.look('consent-offline', { provoked: 'a line that is cut' })
    await tour.page.context().setOffline(false)
    await tour.screen('document')
    await tour.over('document-over-stop', bar('stop'))
    await bar('stop')(tour.page)
    await press(tour.page, 'stop.yes')
    await tour.screen('goodbye')
    await tour.look('goodbye-stopped')

    await tour.open()
    await tour.toConsent()
    await tour.page.locator('#consent-refuse').click()
    await tour.screen('goodbye')
    await tour.look('goodbye-refused')
  },
}

const choosing: Chapter = {
  name: 'choosing',
  async walk(tour) {
    await tour.open()
    await tour.toDocument()
    const { page } = tour
    await page.locator('#choose-document').click()
    await tour.screen('choice')
    await tour.look('document-kinds', { main: true })
    await tour.look('document-something-else', { again: each('choice.other') })
    await press(page, 'choice.back')
    const passport = each('document.type.PASSPORT')
    await tour.look('document-countries', { main: true, again: passport })
    await tour.look('document-country-search', {
      again: async (on) => {
        await press(on, 'country.search')
        await on.locator('#country-typed').fill('de')
      },
    })
    await press(page, 'choice.back')
    await passport(page)
    await tour.look('document-country-absent', { again: each('country.absent') })
    await press(page, 'country.another')
    await tour.held('**/kiosk/api/countries', async () => {
      await page.reload()
      await tour.screen('choice')
      await tour.look('document-countries-loading', {
        again: passport,
        provoked: 'a server that takes its time',
      })
    })
    await page.route('**/kiosk/api/countries', (route) => route.abort())
    await page.reload()
    await page.locator('.screen-choice .notice').waitFor()
    await tour.look('document-countries-offline', { provoked: 'a line that is cut' })
    await page.unroute('**/kiosk/api/countries')
    await press(page, 'resting.again')
    await press(page, 'document.type.IDENTITY_CARD')
    tour.kiosk.show('passport')
    await page.locator('.choices button', { hasText: 'Utopia' }).click()
    await page.locator('.capture-help .choices').waitFor()
    await tour.look('document-other-kind')
    await press(page, 'document.use')
    await tour.read()
    await tour.look('check-after-other-kind')
  },
}

const camera: Chapter = {
  name: 'camera',
  async walk(tour) {
    await tour.open()
    const { page, kiosk } = tour
    await tour.toConsent()
    await tour.held('**/kiosk/api/document/session', async () => {
      await agree(page)
      await tour.screen('document')
      await page.locator('.wait-steps').waitFor()
      await tour.look('document-camera-starting', { provoked: 'a camera that takes its time' })
    })
    await tour.guidance('NO_DOC')
    await tour.look('document-nothing')
    await tour.look('document-tips', { main: true, again: each('document.tips') })
    kiosk.show('glare')
    const glare = () => tour.guidance('GLARE', 'TILT_SLOWLY')
    await tour.look('document-glare', { main: true, again: glare })
    await tour.over('document-over-help-asked', bar('help'))
    kiosk.show('dark')
    await tour.guidance('DARK')
    await tour.look('document-dark')
    kiosk.show('blurred')
    await tour.guidance('BLUR', 'FAR')
    await tour.look('document-blurred')
    kiosk.show('cut')
    await tour.guidance('CUT', 'NEAR')
    await tour.look('document-cut')
    kiosk.show('nothing')
    await tour.guidance('NO_DOC')
    const told = page.locator('.capture-help p', { hasText: kioskWords('en')('document.refused') })
    await page.locator('#take-photo').click()
    await told.waitFor()
    await tour.look('document-no-document')
    await kiosk.unplug()
    await page.locator('.guidance[data-code=""]').waitFor()
    await tour.look('document-camera-stopping', { provoked: 'a camera that is unplugged' })
    await tour.screen('problem')
    await tour.look('document-camera-stopped', { provoked: 'a camera that is unplugged' })
    await kiosk.plugIn()
    await tour.screen('document')
    await tour.held('**/capture/sessions/*/side', async () => {
      kiosk.show('cardFront')
      await page.locator('.wait-steps').waitFor()
      await tour.look('document-looking', { provoked: 'a server that takes its time' })
    })
    await page.locator('.sides .is-done').waitFor()
    await tour.look('document-front-done')
    await tour.guidance('WRONG_SIDE')
    await page.waitForTimeout(1500)
    await tour.look('document-turn-over')
    kiosk.show('cardBack')
    await tour.read()
    await tour.look('check-card')

    await tour.open()
    await tour.toConsent()
    await tour.page.route('**/kiosk/api/document/session', (route) => route.abort())
    await agree(tour.page)
    await tour.page.locator('.capture-help .button').waitFor()
    await tour.look('document-not-open', { provoked: 'a line that is cut' })
    await tour.page.unroute('**/kiosk/api/document/session')
    tour.kiosk.show('ended')
    await tour.page.locator('.sides .is-done').waitFor()
    tour.kiosk.show('endedBack')
    await tour.screen('again')
    await tour.look('document-ended', { main: true })
    await press(tour.page, 'document.other')
    tour.kiosk.show('blurred')
    await tour.guidance('BLUR', 'FAR')
    await tour.page.locator('#take-photo').click()
    await tour.page.locator('.capture-help .picture').waitFor()
    await tour.page.locator('#take-photo').click()
    await tour.guidance('HARD_TO_READ')
    await tour.look('document-hard-to-read')
    // A front whose kind cannot be read has a back.
    tour.kiosk.show('cardBack')
    await tour.screen('again')
    await tour.look('document-again', { main: true })
    tour.kiosk.show('passport')
    const handedIn = tour.page.waitForResponse(
      (answer) => answer.url().endsWith('/document') && answer.request().method() === 'POST',
    )
    await press(tour.page, 'guidance.again')
    // The automatic shutter waits, because the server refused the document before.
    await tour.guidance('CHANGE')
    await tour.look('document-waits-for-change')
    await tour.page.locator('#take-photo').click()
    await handedIn
    await tour.busy(async () => {
      await tour.screen('checking')
      await tour.look('document-checking', { provoked: 'a machine with too much to do' })
    })
    await tour.screen('check')
  },
}

const check: Chapter = {
  name: 'check',
  async walk(tour) {
    await tour.open()
    await tour.toDocument()
    await tour.toCheck()
    const { page } = tour
    await tour.look('check', { main: true })
    await tour.over('check-over-help-asked', bar('help'))
    await tour.over('check-over-settings', bar('display'), { main: true })
    await tour.look('check-shown', { again: (on) => on.locator('#check-show').click() })
    const wrong = async (on: Page) => {
      const button = on.locator('#check-wrong')
      while (!(await button.isVisible())) await on.locator('.pager .button-equal').last().click()
      await button.click()
    }
    await tour.look('check-pick', { main: true, again: wrong })
    await press(page, 'choice.back')
    const typeName = async (on: Page) => {
      await wrong(on)
      await press(on, 'field.familyName')
    }
    await tour.look('check-type-name', { main: true, again: typeName })
    for (const name of ['check-type-marks', 'check-type-further-marks', 'check-type-signs']) {
      await page.locator('.key-page').first().click()
      await tour.look(name)
    }
    await page.locator('#typed-familyName').fill('SAMPEL')
    await press(page, 'check.type.done')
    await tour.look('check-typed')
    await wrong(page)
    await tour.look('check-type-date', { again: each('field.birthDate') })
  },
}

const portrait: Chapter = {
  name: 'portrait',
  async walk(tour) {
    await tour.open()
    await tour.toDocument(true)
    await tour.toCheck()
    await tour.toPortrait()
    const { page, kiosk } = tour
    await tour.look('portrait-before', { main: true })
    await tour.over('portrait-over-stop', bar('stop'))
    await tour.look('portrait-cannot', { main: true, again: each('portrait.cannot') })
    await press(page, 'choice.back')
    await tour.look('portrait-officer', { main: true, again: each('portrait.cannot', 'cannot.moving') })
    await press(page, 'officer.here')
    await kiosk.unplug()
    await page.locator('#start-portrait').click()
    await tour.screen('problem')
    await tour.look('portrait-camera-absent', { provoked: 'a camera that is unplugged' })
    await kiosk.plugIn()
    await page.locator('portrait-capture').waitFor()
    if (await tour.glimpse('NO_FACE')) await tour.look('portrait-no-face')
    for (const name of ['portrait-again', 'portrait-tips']) {
      await page
        .locator('.screen-again, .screen-tips')
        .first()
        .waitFor({ timeout: 2 * PATIENCE_MS })
      await tour.look(name, { main: true })
      if (name === 'portrait-tips') break
      await kiosk.stand('alba', { light: 0.12 })
      await page.locator('#start-portrait').click()
      if (await tour.glimpse('DARK', 'UNEVEN')) await tour.look('portrait-dark')
      await kiosk.stand('no-person')
    }
    await kiosk.stand('alba')
    await page.locator('#start-portrait').click()
    if (await tour.glimpse('LOOK', 'READY', 'STRAIGHT')) await tour.look('portrait-look')
    if (await tour.glimpse('COME_CLOSER', 'HOLD_THERE')) await tour.look('portrait-nearer')
    await page.locator('portrait-capture').waitFor({ state: 'detached', timeout: 4 * PATIENCE_MS })
    await kiosk.stand('no-person')
    await phone(tour)
  },
}

async function phone(tour: Tour): Promise<void> {
  const { page, world } = tour
  await page.locator('#phone-typed').waitFor()
  await tour.look('phone-empty')
  await tour.look('phone-number', {
    main: true,
    again: (on) => on.locator('#phone-typed').fill('0612345678'),
  })
  await tour.look('phone-country', { again: (on) => on.locator('.hands [aria-label*="+"]').click() })
  await press(page, 'choice.back')
  await tour.look('phone-none', { again: each('phone.none') })
  await press(page, 'phone.none.no')
  world.gateway.answer(keepSilent)
  await page.locator('#phone-typed').fill('6399801010')
  await press(page, 'phone.send')
  await tour.screen('checking')
  await tour.look('phone-sending', { provoked: 'a gateway that takes its time' })
  world.gateway.answer(accept)
  await page.locator('#code-typed, .screen-phone-failed').first().waitFor()
  if (await page.locator('.screen-phone-failed').isVisible()) {
    await tour.look('phone-failed', { provoked: 'a gateway that does not answer' })
    await press(page, 'phone.other')
    await page.locator('#phone-typed').fill('6399801011')
    await press(page, 'phone.send')
    await page.locator('#code-typed').waitFor()
  }
  await page.locator('#code-typed').fill('4820')
  await tour.look('phone-code')
  await page
    .locator('#code-typed')
    .fill(String((Number(world.gateway.lastCode()) + 1) % 1_000_000).padStart(6, '0'))
  await press(page, 'phone.code.done')
  await page.locator('.screen-phone [role=alert]').waitFor()
  await tour.look('phone-mismatch', { main: true })
  await page.locator('#code-typed').fill(world.gateway.lastCode())
  await press(page, 'phone.code.done')
  await tour.screen('result')
  await tour.look('result-confirmed', { main: true })
  await tour.over('result-large', (on) => on.locator('#result-large').click())
  await page.locator('#result-done').click()
  await tour.screen('goodbye')
  await tour.look('goodbye-finished')
}

const ending: Chapter = {
  name: 'ending',
  async walk(tour) {
    for (const outcome of ['person', 'later'] as const) {
      await tour.open()
      await tour.toDocument()
      await tour.toCheck()
      await tour.toPortrait()
      const { page } = tour
      if (outcome === 'person') {
        await tour.film('another-person')
      } else {
        await tour.film('alba')
        await tour.busy(async () => {
          await tour.screen('waiting')
          await tour.look('waiting-first', {
            main: true,
            again: (on) => on.waitForTimeout(1500),
            provoked: 'a machine with too much to do',
          })
          await page.locator('.calm .notice').waitFor()
          await tour.look('waiting-still', { provoked: 'a machine with too much to do' })
          await page.locator('.screen-waiting .hands .button:visible').waitFor()
          await tour.look('waiting-long', { provoked: 'a machine with too much to do' })
          await press(page, 'waiting.leave')
          await tour.screen('result')
        })
      }
      await tour.screen('result')
      await tour.look(`result-${outcome}`, { main: outcome === 'person' })
      if (outcome === 'person') await tour.over('result-over-help-asked', bar('help'))
    }
  },
}

/** Worlds of their own: other journeys, a machine that may begin nothing, a person who does nothing. */
const idle: Chapter = {
  name: 'idle',
  async walk(tour) {
    await tour.open({ prepare: async (page) => page.clock.install() })
    await tour.toConsent()
    const { page } = tour
    await page.clock.fastForward(600_000)
    await page.locator('dialog[open] .ring').waitFor()
    await tour.look('consent-over-more-time', { provoked: 'the clock' })
  },
}

/** The organisation's own face, of the two that are invented (resources/brands). */
const branded = (brand: string): Chapter => ({
  name: brand,
  config: { brand },
  async walk(tour) {
    await tour.open()
    await tour.screen('welcome')
    await tour.look(`${brand}-welcome`)
    await tour.toConsent()
    await tour.look(`${brand}-consent`)
    await agree(tour.page)
    await tour.guidance('NO_DOC')
    await tour.look(`${brand}-document`)
    await tour.toCheck()
    await tour.look(`${brand}-check`)
    await tour.toPortrait()
    await tour.look(`${brand}-portrait-before`)
  },
})

export const CHAPTERS: readonly Chapter[] = [
  welcome,
  consent,
  choosing,
  camera,
  check,
  portrait,
  ending,
  idle,
  branded('lantern'),
  branded('fjordline'),
]
