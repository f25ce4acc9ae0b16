/**
 * Languages are fetched on demand and in advance: the page never shows a key or a text of another language,
 * and works while the server is unreachable. Built screens in Debian's Chromium; the capture elements on a
 * page of another origin.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LAYOUTS, toCapital, getLabel } from '../../renderer/kiosk/keyboard-layouts.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { SHARING_TENANT, startTestApp, type TestApp } from '../support/app.ts'
import { startCaptureBench } from '../support/capture-bench.ts'
import { CHROMIUM, launchChromium } from '../support/chromium.ts'
import { startSmsGateway, type SmsGateway } from '../../server/tools/simulator/sms.ts'

const SLOW_MS = 120_000
const LOCALES = join(import.meta.dirname, '../../renderer/locales')

type Section = Readonly<Record<string, string>>
const wordsOf = (tag: string) =>
  JSON.parse(readFileSync(join(LOCALES, `${tag}.json`), 'utf8')) as Record<'kiosk' | 'capture', Section>

const BRAND = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../resources/brands/fjordline/brand.json'), 'utf8'),
) as { readonly name: string; readonly welcome: Readonly<Record<string, string>> }
function branded(brand: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant: SHARING_TENANT, brand }))
  return dataDir
}

/** The phone comes first. */
function askingForPhones(gateway: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  const shipped = join(import.meta.dirname, '../../resources/journeys/default.json')
  const journey = JSON.parse(readFileSync(shipped, 'utf8')) as {
    readonly steps: readonly { readonly kind: string }[]
  }
  const steps = ['consent', 'phone', 'document', 'check', 'portrait'].flatMap(
    (kind) => journey.steps.find((step) => step.kind === kind) ?? [],
  )
  const asked = { kind: 'consent', required: ['ID_DOCUMENT', 'PORTRAIT', 'MOBILE_OTP'] }
  mkdirSync(join(dataDir, 'journeys'))
  const ours = { ...journey, id: 'phones', steps: [asked, ...steps.slice(1)] }
  writeFileSync(join(dataDir, 'journeys/phones.json'), JSON.stringify(ours))
  const connectors = { sms: { url: gateway, allowHttp: true } }
  const config = { tenant: SHARING_TENANT, kiosk: { journey: 'phones' }, connectors }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  return dataDir
}

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('a phone number', () => {
  let app: TestApp
  let gateway: SmsGateway
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    const screensDir = await ensureRendererBuilt()
    gateway = await startSmsGateway()
    app = await startTestApp({ dataDir: askingForPhones(gateway.url), screensDir, vision: scriptedVision() })
    browser = await launchChromium()
    page = await browser.newPage({ viewport: { width: 1080, height: 1920 } })
    await page.goto(app.url)
    await page.locator('.choices button').first().click()
    await page.getByRole('button', { name: 'Yes, I agree' }).click()
    await page.locator('#phone-typed').waitFor()
  }, SLOW_MS)
  afterAll(async () => {
    await browser.close()
    await app.close()
    await gateway.close()
  })

  test(
    'is searched a country for on keys that keep their places',
    async () => {
      await page.getByRole('button', { name: /^Country code/ }).click()
      const readKeyTop = async () => (await page.locator('.keyboard .key').first().boundingBox())?.y
      /** Waits until two readings agree: a busy machine draws the page late. */
      const keyTop = async () => {
        let last: number | undefined
        await expect.poll(async () => last === (last = await readKeyTop())).toBe(true)
        return last
      }
      const before = await keyTop()
      for (const typed of ['spa', 'zzz']) {
        await page.locator('#country-typed').fill(typed)
        expect([typed, await keyTop()]).toEqual([typed, before])
      }
      await page.locator('#country-typed').fill('spain')
      await page.getByRole('button', { name: /^Spain/ }).click()
      await page.locator('.prefix').getByText('+34').waitFor()
    },
    SLOW_MS,
  )

  test(
    'keeps its country and its message when the language changes, and has a length of the country',
    async () => {
      const field = page.locator('#phone-typed')
      const tooShort = page.locator('#phone-help')
      const send = () => page.locator('.key-done').click()
      await field.fill('6123456789')
      await send()
      expect(await tooShort.innerText()).toBe(wordsOf('en').kiosk['phone.short'])
      await field.fill('612345678')
      expect(await tooShort.innerText()).toBe(wordsOf('en').kiosk['phone.text'])
      await page.locator('#bar-language').click()
      await page.locator('dialog [lang=fr]').click()
      await page.getByRole('heading', { name: wordsOf('fr').kiosk['phone.title'] ?? '' }).waitFor()
      expect(await page.locator('.prefix').innerText()).toBe('+34')
      expect(await field.inputValue()).toBe('612 345 678')
      await send()
      await expect.poll(() => gateway.requests.length, { timeout: 20_000 }).toBe(1)
      const { to, text } = JSON.parse(gateway.requests[0]?.body ?? '') as { to: string; text: string }
      expect(to).toBe('+34612345678')
      expect(text).toContain('votre code')
    },
    SLOW_MS,
  )
})

describe.skipIf(!present)('languages of the kiosk', () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    const screensDir = await ensureRendererBuilt()
    app = await startTestApp({ dataDir: branded('fjordline'), screensDir, vision: scriptedVision() })
    browser = await launchChromium()
  }, SLOW_MS)
  afterAll(async () => {
    await browser.close()
    await app.close()
  })

  const choose = (page: Page, name: string) => page.locator('.choices').getByRole('button', { name }).click()
  /** Opens the first screen, and records the languages that the page fetches. */
  async function open(
    prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
    reducedMotion: 'reduce' | 'no-preference' = 'no-preference',
  ) {
    const page = await browser.newPage({ viewport: { width: 1080, height: 1920 }, reducedMotion })
    const fetched: string[] = []
    page.on('response', (response) => {
      if (response.ok()) fetched.push(/\/([a-z]{2}-\w+)-[\w-]{8}\.js$/.exec(response.url())?.[1] ?? '')
    })
    await prepare(page)
    await page.goto(app.url)
    await page.locator('.choices button').first().waitFor()
    return { page, fetched }
  }

  test(
    'all that the branch offers follow the first screen, and nothing that staff read',
    async () => {
      const { page, fetched } = await open()
      const wanted = ['ar', 'de', 'es', 'fr'].flatMap((tag) => [`${tag}-capture`, `${tag}-kiosk`])
      await expect.poll(() => fetched.filter(Boolean).sort(), { timeout: 20_000 }).toEqual(wanted)
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'one that was fetched ahead is spoken although the server has gone',
    async () => {
      const { page, fetched } = await open()
      await expect.poll(() => fetched.includes('fr-kiosk'), { timeout: 20_000 }).toBe(true)
      await page.context().setOffline(true)
      await choose(page, 'Français')
      await page.getByText(wordsOf('fr').kiosk['trouble.offline'] ?? '').waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe('fr')
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'one that cannot be fetched leaves the present one, says so, and is there as soon as it can',
    async () => {
      const german = /\/de-(kiosk|capture)-/
      const { page } = await open((fresh) => fresh.route(german, (route) => route.abort()))
      await choose(page, 'Deutsch')
      await page.getByText(wordsOf('en').kiosk['trouble.offline'] ?? '').waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe('en')
      await page.unroute(german)
      await choose(page, 'Deutsch')
      await page.getByRole('heading', { name: wordsOf('de').kiosk['consent.title'] ?? '' }).waitFor()
      await page.close()
    },
    SLOW_MS,
  )

  const TAGS = ['en', 'fr', 'es', 'de', 'ar']
  const sentenceIn = (page: Page) =>
    page.locator('h1 .turn.is-now').evaluate((turn) => [turn.getAttribute('lang'), turn.textContent])

  test(
    'each language begins with its own word for "Start", and the organisation greets in one after the other',
    async () => {
      const { page } = await open()
      for (const tag of TAGS)
        await page
          .locator(`.choices [lang=${tag}] .begin`)
          .getByText(wordsOf(tag).kiosk['welcome.begin'] ?? '')
          .waitFor()
      for (const tag of ['fr', 'es'])
        await expect.poll(() => sentenceIn(page), { timeout: 20_000 }).toEqual([tag, BRAND.welcome[tag]])
      // Screen readers get only the language of the page.
      await page.getByRole('heading', { level: 1, name: BRAND.welcome.en ?? '', exact: true }).waitFor()
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'where motion is reduced, nothing moves and every language greets at the same time',
    async () => {
      const { page } = await open(undefined, 'reduce')
      await expect.poll(() => page.locator('h1 .turn').count()).toBe(TAGS.length)
      expect(await page.locator('h1 .turn').allInnerTexts()).toEqual(TAGS.map((tag) => BRAND.welcome[tag]))
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
      const boxes = await page
        .locator('h1 .turn')
        .evaluateAll((turns) => turns.map((turn) => turn.getBoundingClientRect().top))
      expect(new Set(boxes).size).toBe(TAGS.length)
      await page.close()
    },
    SLOW_MS,
  )

  test(
    'the organisation’s name, logo and colours stand on kiosk and counter, and the product’s name nowhere',
    async () => {
      const { page } = await open()
      await choose(page, 'Deutsch')
      await page.getByRole('heading', { name: wordsOf('de').kiosk['consent.title'] ?? '' }).waitFor()
      expect(await page.locator('.brand-name').innerText()).toBe(BRAND.name)
      expect(await page.title()).toMatch(new RegExp(` – ${BRAND.name}$`))
      expect(await page.locator('.words').innerText()).toContain(BRAND.name)
      expect(await page.locator('#consent-agree').evaluate((button) => getComputedStyle(button).color)).toBe(
        'rgb(18, 80, 138)',
      )
      expect(await isDrawn(page)).toBe(true)
      expect(await page.locator('body').innerText()).not.toMatch(/counterproof/i)
      await page.goto(`${app.url.replace('127.0.0.1', 'localhost')}/counter/`)
      await page.locator('.house').getByText(BRAND.name).waitFor()
      expect(await page.title()).toMatch(new RegExp(` – ${BRAND.name}$`))
      expect(await isDrawn(page)).toBe(true)
      expect(await page.locator('body').innerText()).not.toMatch(/counterproof/i)
      await page.close()
    },
    SLOW_MS,
  )

  const isDrawn = (page: Page) =>
    page.locator('.brand-logo img').evaluate(async (image: HTMLImageElement) => {
      await image.decode()
      return image.naturalWidth > 0
    })

  test(
    'no key is on the page at any moment while the language changes in the middle of a step',
    async () => {
      const { page } = await open()
      await page.evaluate(watchForKeys)
      await choose(page, 'English')
      await page.getByRole('heading', { name: wordsOf('en').kiosk['consent.title'] ?? '' }).waitFor()
      for (const [tag, name] of [
        ['ar', 'العربية'],
        ['es', 'Español'],
      ] as const) {
        await page.locator('#bar-language').click()
        await page.locator('dialog[open]').getByRole('button', { name }).click()
        await page.getByRole('heading', { name: wordsOf(tag).kiosk['consent.title'] ?? '' }).waitFor()
      }
      expect(await page.evaluate(() => (globalThis as unknown as { keysSeen: string[] }).keysSeen)).toEqual(
        [],
      )
      await page.close()
    },
    SLOW_MS,
  )
})

test.skipIf(!present)(
  'every key and every text of visitors is drawn in letters that the page brings, not in what the machine has by chance',
  async () => {
    const app = await startTestApp({ screensDir: await ensureRendererBuilt(), vision: scriptedVision() })
    const browser = await launchChromium()
    const page = await browser.newPage()
    await page.goto(app.url)
    await page.locator('.choices button').first().waitFor()
    const keys = Object.values(LAYOUTS).flatMap(({ hasCase, pages }) =>
      Object.values(pages).flatMap(({ rows }) =>
        rows.flat().flatMap((key) => (hasCase ? [key, toCapital(key)] : [key])),
      ),
    )
    const texts = ['en', 'fr', 'es', 'de', 'ar'].flatMap((tag) => Object.values(wordsOf(tag).kiosk))
    const shown = [...new Intl.Segmenter().segment(texts.join(' '))].map(({ segment }) => segment)
    const letters = [...new Set(shown), ...new Set(keys.map(getLabel))].filter((one) => one.trim() !== '')
    expect(await notFromOurFonts(page, letters)).toEqual([])
    // The measure sees a letter that no bundled font has.
    expect(await notFromOurFonts(page, ['あ'])).toEqual(['あ'])
    await browser.close()
    await app.close()
  },
  SLOW_MS,
)

async function notFromOurFonts(page: Page, letters: readonly string[]): Promise<string[]> {
  const boxes = await page.evaluate(async (all) => {
    const place = document.createElement('div')
    place.append(...all.map((letter) => Object.assign(document.createElement('i'), { textContent: letter })))
    place.id = 'letters'
    document.querySelector('#letters')?.remove()
    document.body.append(place)
    await new Promise((resolve) => requestAnimationFrame(resolve))
    await document.fonts.ready
    // A missing glyph is drawn as a box of the first font, like an unassigned character.
    const canvas = new OffscreenCanvas(120, 80)
    const context = canvas.getContext('2d', { willReadFrequently: true })
    const drawn = (letter: string) => {
      if (!context) throw new TypeError('no canvas')
      context.clearRect(0, 0, 120, 80)
      context.font = `40px ${getComputedStyle(place).fontFamily}`
      context.fillText(letter, 20, 55)
      return context.getImageData(0, 0, 120, 80).data.join()
    }
    const box = drawn('\u{10fffd}')
    return all.filter((letter) => drawn(letter) === box)
  }, letters)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('DOM.enable')
  await devtools.send('CSS.enable')
  const { root } = await devtools.send('DOM.getDocument', { depth: -1 })
  const { nodeIds } = await devtools.send('DOM.querySelectorAll', {
    nodeId: root.nodeId,
    selector: '#letters i',
  })
  const others = [...boxes]
  for (const [at, nodeId] of nodeIds.entries()) {
    const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId })
    if (fonts.length === 0 || fonts.some(({ isCustomFont }) => !isCustomFont)) others.push(letters[at] ?? '')
  }
  return others
}

/** Inside the page: every text that looks like `consent.title`, whenever it stands there. */
function watchForKeys(): void {
  const seen: string[] = []
  ;(globalThis as unknown as { keysSeen: string[] }).keysSeen = seen
  new MutationObserver(() => {
    const found = /\b[a-z]+(?:[.-][a-z]+)*\.[a-z-]+\b/.exec(document.body.innerText)
    if (found) seen.push(found[0])
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}

test.skipIf(!present)(
  'a capture element on a page of others speaks its language, and fetches nothing but the one script',
  async () => {
    const bench = await startCaptureBench({ vision: scriptedVision() })
    const scripts: string[] = []
    const { page, problems } = await bench.openPage(async (fresh) => {
      await Promise.resolve()
      fresh.on('request', (request) => {
        if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname)
      })
    })
    const labels = (lang: string) =>
      page.evaluate((tag) => {
        const element =
          document.querySelector('document-capture') ?? document.createElement('document-capture')
        element.setAttribute('lang', tag)
        document.querySelector('main')?.append(element)
        return new Promise<string>((resolve) =>
          requestAnimationFrame(() => resolve(element.querySelector('.capture-take')?.textContent ?? '')),
        )
      }, lang)
    for (const tag of ['de', 'ar', 'en', 'fr-CA', 'es'])
      expect([tag, await labels(tag)]).toEqual([
        tag,
        wordsOf(tag.slice(0, 2)).capture['button.take'] ?? 'no such text',
      ])
    // A language without a file.
    expect(await labels('nl')).toBe(wordsOf('en').capture['button.take'])
    expect(scripts).toEqual(['/capture/component.js', '/page.js'])
    expect(problems).toEqual([])
    await bench.close()
  },
  SLOW_MS,
)
