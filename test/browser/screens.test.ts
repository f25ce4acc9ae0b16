/**
 * Every screen of the kiosk in every state, drawn from scripted visits: accessible, nothing out of reach or
 * cut off, and no personal data left when a screen goes.
 */
import { existsSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'
import { lookOver } from './gallery/look-over.ts'
import type { Look } from './gallery/main.ts'
import { openGallery } from './gallery/open-gallery.ts'
import type { Gallery } from './gallery/open-gallery.ts'

const UPRIGHT = { width: 1080, height: 1920 }
const LYING = { width: 1920, height: 1080 }
const SMALL = { width: 1366, height: 768 }
/** All scenes one after the other, on a machine that does something else. */
const ALL_MS = 300_000
/** 34 px of 27 inches upright, in pixels of 1366 × 768 on the same diagonal: the same millimetres. */
const SMALL_LETTER_PX = 24
/** The limits of docs/screens.md, for 27 inches upright. */
const MEASURES = { handTopPx: 1120, leastTargetPx: 64, leastGapPx: 12, leastLetterPx: 34 }

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('the screens of the kiosk', () => {
  let gallery: Gallery
  let browser: Browser

  beforeAll(async () => {
    gallery = await openGallery()
    browser = await launchChromium()
  }, ALL_MS)
  afterAll(async () => {
    await browser?.close()
    gallery?.close()
  })

  test(
    'upright: no finding of axe, no control out of a seated person’s reach, no small letter, nothing cut off',
    async () => {
      const { page, names } = await openPage(UPRIGHT)
      const findings: Record<string, string[]> = {}
      for (const name of names) {
        await show(page, name)
        const found = [...(await page.evaluate(lookOver, MEASURES)), ...(await scan(page))]
        if (found.length > 0) findings[name] = found
      }
      expect(findings).toEqual({})
      await page.close()
    },
    ALL_MS,
  )

  test(
    'with letters half as large again everything stays in its zone',
    async () => {
      const { page, names } = await openPage(UPRIGHT)
      const findings: Record<string, string[]> = {}
      for (const name of names) {
        await show(page, name, { settings: { textSize: 3 } })
        const found = await page.evaluate(lookOver, MEASURES)
        if (found.length > 0) findings[name] = found
      }
      expect(findings).toEqual({})
      await page.close()
    },
    ALL_MS,
  )

  test(
    'lying: nothing is cut off, in standard and in high contrast without a finding of axe',
    async () => {
      const { page, names } = await openPage(LYING)
      const findings: Record<string, string[]> = {}
      for (const name of names) {
        await show(page, name, { settings: { highContrast: true } })
        const found = await page.evaluate(lookOver, {
          ...MEASURES,
          handTopPx: null,
        })
        found.push(...(await scan(page)))
        if (found.length > 0) findings[name] = found
      }
      expect(findings).toEqual({})
      await page.close()
    },
    ALL_MS,
  )

  test(
    'with larger letters and long words nothing is cut, torn, over something else or under the bar',
    async () => {
      const findings: Record<string, string[]> = {}
      for (const [language, viewport, textSize] of [
        ['de', LYING, 3],
        ['es', UPRIGHT, 2],
      ] as const) {
        const { page, names } = await openPage(viewport)
        const measures = viewport === UPRIGHT ? MEASURES : { ...MEASURES, handTopPx: null }
        for (const name of names) {
          await show(page, name, { language, settings: { textSize } })
          const found = await page.evaluate(lookOver, measures)
          if (found.length > 0) findings[`${name} ${language} ${viewport.width}`] = found
        }
        await page.close()
      }
      expect(findings).toEqual({})
    },
    ALL_MS,
  )

  test('what is measured would be found: a row under the bar, a word cut off, buttons over each other', async () => {
    const { page } = await openPage(UPRIGHT)
    await show(page, 'consent')
    expect(await page.evaluate(lookOver, MEASURES)).toEqual([])
    await page.addStyleTag({
      content: `#consent-refuse { position: fixed; inset-block-end: 40px; inline-size: 500px }
        #consent-agree { inline-size: 60px; margin-block-start: -60px }
        .fact:first-of-type span { inline-size: 9em; word-break: break-all }
        .acts { font-size: 20px }`,
    })
    const found = (await page.evaluate(lookOver, MEASURES)).join('\n')
    for (const what of ['under the bar', 'cut off', 'too close', 'too small', 'torn word', 'over each other'])
      expect(found).toContain(what)
    await page.close()
  })

  test('a spoken message of one screen is not on the next', async () => {
    const { page } = await openPage(UPRIGHT)
    await show(page, 'document/guidance')
    await page.evaluate(() => window.sayAndGoOn('There is no camera here.', 'check'))
    expect(await page.content()).not.toContain('There is no camera here.')
    await page.evaluate(() => window.sayAndGoOn('Somebody is coming.', 'check'))
    expect(await page.content()).toContain('Somebody is coming.')
    await page.close()
  })

  // `npm run screens` covers every language and size; here the most different language and the smallest
  // screen.
  test(
    'in Arabic upright with low buttons, in Arabic and English on the small screen of a counter: nothing cut off, no control too small',
    async () => {
      const findings: Record<string, string[]> = {}
      // axe measures no places: what it would find here it finds upright and in English.
      for (const [language, viewport, look, limits] of [
        ['ar', UPRIGHT, { settings: { lowerButtons: true } }, { handTopPx: 1300 }],
        ['ar', SMALL, {}, { handTopPx: null, leastLetterPx: SMALL_LETTER_PX }],
        ['en', SMALL, {}, { handTopPx: null, leastLetterPx: SMALL_LETTER_PX }],
      ] as const) {
        const { page, names } = await openPage(viewport)
        const measures = { ...MEASURES, ...limits }
        for (const name of names) {
          await show(page, name, { language, ...look })
          const found = await page.evaluate(lookOver, measures)
          if (found.length > 0) findings[`${name} ${language} ${viewport.width}`] = found
        }
        await page.close()
      }
      expect(findings).toEqual({})
    },
    ALL_MS,
  )

  test('a reference, a number and a Latin name keep their order in a page from right to left', async () => {
    const { page } = await openPage(UPRIGHT)
    await show(page, 'result/person', { dir: 'rtl' })
    expect(await page.locator('#reference bdi').getAttribute('dir')).toBe('ltr')
    expect(await page.locator('#code bdi').getAttribute('dir')).toBe('ltr')
    await show(page, 'check/shown', { dir: 'rtl' })
    expect(await page.locator('[data-field=documentNumber] bdi').first().getAttribute('dir')).toBe('ltr')
    await page.close()
  })

  test('an arrow goes the way it points: in an Arabic page, and on its keyboard, which keeps its order', async () => {
    const { page } = await openPage(UPRIGHT)
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await show(page, 'check/type-name', { language: 'ar' })
    await page.locator('.key', { hasText: 'w' }).first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('e')
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).toBe('w')
    await show(page, 'welcome', { language: 'ar' })
    const [first, second] = await page.locator('.choices button').allTextContents()
    await page.locator('.choices button').first().focus()
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).toBe(second)
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe(first)
    await page.close()
  })

  test('a dot to the right stands at the right edge in every direction of writing', async () => {
    const { page } = await openPage(UPRIGHT)
    for (const dir of ['ltr', 'rtl'] as const) {
      await show(page, 'portrait/turn', { dir })
      const box = await page.locator('.edge-dot span').boundingBox()
      expect(box?.x).toBeGreaterThan(UPRIGHT.width * 0.9)
    }
    await page.close()
  })

  test('what is private is covered until it is asked for, and no value stands in an attribute', async () => {
    const { page } = await openPage(UPRIGHT)
    await show(page, 'check')
    // The pages that are not shown too.
    expect(await page.locator('.fields').textContent()).not.toMatch(/1964|L898902/)
    expect(await page.locator('[data-field=documentNumber] img').count()).toBe(0)
    await show(page, 'check/shown')
    expect(await page.locator('.fields').textContent()).toMatch(/5 July 1964/)
    expect(await attributes(page)).not.toMatch(/SAMPLE|L898902|1964/)
    await show(page, 'address/review')
    expect(await attributes(page)).not.toMatch(/Example Street|Utopia City/)
    await page.close()
  })

  test('a person with a single name has no empty part, and a long name wraps and is never cut', async () => {
    const { page } = await openPage(UPRIGHT)
    await show(page, 'check/single-name')
    expect(await page.locator('[data-field=givenNames]').count()).toBe(0)
    await show(page, 'check/long-name')
    expect(await page.locator('[data-field=name]').innerText()).toMatch(/Rozenkwint-Sampleton/)
    await page.close()
  })

  test('a screen that closes leaves no read, typed or captured data on the page', async () => {
    const { page } = await openPage(UPRIGHT)
    for (const name of [
      'check/shown',
      'check/type-name',
      'details/review',
      'address/review',
      'phone/number',
      'phone/code',
    ]) {
      await show(page, name)
      await show(page, 'welcome')
      expect(await page.content(), name).not.toMatch(
        /SAMPLE|L898902|1964|P123|Example Street|06 12|612345678|482/,
      )
    }
    await page.close()
  })

  test('the outcome cannot be read from a distance: the three results look the same when they are small', async () => {
    const { page } = await openPage(UPRIGHT)
    const shots: Buffer[] = []
    for (const outcome of ['confirmed', 'person', 'later']) {
      await show(page, `result/${outcome}`)
      // The view from 2 m, without readable letters: 27 columns of the screen.
      shots.push(
        await sharp(await page.screenshot())
          .resize(27, 48)
          .greyscale()
          .raw()
          .toBuffer(),
      )
    }
    const [first, ...others] = shots
    for (const other of others) {
      const difference =
        other.reduce((sum, level, at) => sum + Math.abs(level - (first?.[at] ?? 0)), 0) / other.length
      expect(difference).toBeLessThan(6)
    }
    await page.close()
  })

  test('the printed receipt has reference, code and QR, and neither a name nor the outcome', async () => {
    const { page } = await openPage(UPRIGHT)
    await show(page, 'result/person')
    await page.emulateMedia({ media: 'print' })
    const printed = await page.locator('body').innerText()
    expect(printed).toMatch(/7K4P-2M9X/)
    expect(printed).toMatch(/Q3RTV-8WXYZ/)
    expect(printed).toMatch(/21 November 2026/)
    expect(printed).not.toMatch(/person to look|confirmed|finished/i)
    expect(await page.locator('.receipt-qr .qr').isVisible()).toBe(true)
    expect((await page.pdf({ width: '80mm', height: '200mm' })).length).toBeGreaterThan(1000)
    await page.close()
  })

  async function openPage(viewport: {
    width: number
    height: number
  }): Promise<{ page: Page; names: readonly string[] }> {
    const page = await browser.newPage({ viewport })
    await page.goto(gallery.url)
    await page.waitForFunction(() => 'showScene' in globalThis)
    return { page, names: await page.evaluate(() => window.sceneNames) }
  }
})

async function show(page: Page, name: string, look: Look = {}): Promise<void> {
  await page.evaluate(([scene, how]) => window.showScene(scene, how), [name, look] as const)
}

async function attributes(page: Page): Promise<string> {
  return page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .flatMap((element) => [...element.attributes])
      .map(({ value }) => value)
      .join('\n'),
  )
}
