/**
 * A visit that is heard: what opens, what changes by itself and what has the focus is spoken, personal data to a headset
 * alone. The voice is scripted: it writes down what it is told to say.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { CHROMIUM, launchChromium } from '../support/chromium.ts'

const SLOW_MS = 120_000
const english = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../renderer/locales/en.json'), 'utf8'),
) as { kiosk: Record<string, string> }
const say = (key: string): string => english.kiosk[key] ?? ''

/** Inside the page, before anything else of it. */
function scriptVoice(): void {
  const heard: string[] = []
  class Utterance {
    readonly text: string
    onend: (() => void) | undefined
    constructor(text: string) {
      this.text = text
    }
  }
  const synth = {
    getVoices: () => [{ lang: 'en-GB', localService: true, default: true, name: 'scripted' }],
    speak: (utterance: Utterance) => heard.push(utterance.text),
    cancel: () => heard.push('|'),
  }
  Object.defineProperty(globalThis, 'speechSynthesis', { value: synth })
  Object.defineProperty(globalThis, 'SpeechSynthesisUtterance', { value: Utterance })
  Object.defineProperty(globalThis, 'heard', { value: heard })
}

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('a visit that is heard', () => {
  let app: TestApp
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    app = await startTestApp({ screensDir: await ensureRendererBuilt(), vision: scriptedVision() })
    browser = await launchChromium()
  }, SLOW_MS)
  afterAll(async () => {
    await browser.close()
    await app.close()
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1080, height: 1920 } })
    await page.addInitScript(scriptVoice)
    await page.goto(app.url)
    await page.locator('.choices button').first().waitFor()
  }, SLOW_MS)
  afterEach(async () => {
    await page.keyboard.press('Escape')
    await page.context().close()
  })

  /** Since the last interruption: what is to be heard now. */
  const heard = () =>
    page.evaluate(() => {
      const all = (globalThis as unknown as { heard: string[] }).heard
      return all.slice(all.lastIndexOf('|') + 1)
    })
  /** Keys of the tactile keypad that Chromium's driver does not know. */
  const press = (key: string) =>
    page.evaluate((name) => {
      const target = document.activeElement ?? document.body
      target.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }))
    }, key)
  const plugIn = () => press('F18')

  test('begins with the headset that is plugged in, and a touch interrupts it', async () => {
    expect(await heard()).toEqual([])
    await plugIn()
    await expect.poll(heard).toContain(say('welcome.title'))
    expect(await heard()).toContain(say('speech.choices'))
    await page.mouse.click(20, 20)
    expect(await heard()).toEqual([])
  })

  test('every screen, every page of it and every question over it is read when it opens, with the step', async () => {
    await plugIn()
    await page.locator('.choices').getByRole('button', { name: 'English' }).click()
    await expect.poll(heard).toContain(say('consent.title'))
    const [step = '', title] = (await heard()).slice((await heard()).indexOf(say('consent.title')) - 1)
    expect([step.slice(0, 9), title]).toEqual(['Step 1 of', say('consent.title')])
    await page.getByRole('button', { name: say('consent.read') }).click()
    await expect.poll(heard).toContain(say('consent.full.title'))
    await page.locator('#bar-stop').click()
    await expect.poll(heard).toContain(say('stop.title'))
    expect(await heard()).toEqual(expect.arrayContaining([say('stop.text'), say('stop.no'), say('stop.yes')]))
  })

  test('what is gone to by keys is named, with how it stands', async () => {
    await plugIn()
    await page.locator('#bar-display').focus()
    await page.keyboard.press('Enter')
    await expect.poll(heard).toContain(say('display.title'))
    await press('F13')
    expect(await heard()).toEqual([`${say('display.size.1')}. ${say('speech.on')}`])
    await press('F13')
    expect(await heard()).toEqual([`${say('display.size.2')}. ${say('speech.off')}`])
    await press('F15')
    await expect.poll(heard).toEqual([say('speech.on')])
  })

  test('what changes by itself is told once, behind what is being said', async () => {
    await plugIn()
    await page.locator('.choices').getByRole('button', { name: 'English' }).click()
    await expect.poll(heard).toContain(say('consent.title'))
    await page.context().setOffline(true)
    await page.locator('#consent-agree').click()
    await expect.poll(heard, { timeout: 20_000 }).toContain(say('trouble.offline'))
    const all = await page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard)
    expect(all.filter((sentence) => sentence === say('trouble.offline'))).toHaveLength(1)
    await page.context().setOffline(false)
  })

  test('pause stops, continues from the sentence that was cut short, and speed takes effect at once', async () => {
    await plugIn()
    await expect.poll(heard).toContain(say('welcome.title'))
    const whole = await heard()
    await page.locator('#bar-sound').click()
    // The touch itself was the interruption.
    const dialog = page.locator('dialog[open]')
    await dialog.getByRole('button', { name: say('sound.resume') }).click()
    expect(await heard()).toEqual(whole)
    await dialog.getByRole('button', { name: say('sound.pause') }).click()
    expect(await heard()).toEqual([])
    // It may stand on the next page of the question.
    await dialog.locator('button', { hasText: say('sound.faster') }).dispatchEvent('click')
    expect(await heard()).toEqual(whole)
    await dialog.getByRole('button', { name: say('sound.repeat') }).click()
    expect(await heard()).toEqual(whole)
  })

  test('Listen reads the consent and stops it, and says so where no voice speaks the language', async () => {
    await page.locator('.choices').getByRole('button', { name: 'English' }).click()
    const listen = page.getByRole('button', { name: say('consent.listen') })
    await listen.click()
    await expect.poll(heard).toContain(say('consent.title'))
    await listen.click()
    expect(await heard()).toEqual([])
    expect(await listen.getAttribute('aria-pressed')).toBe('false')
    await page.evaluate(() => Object.assign(speechSynthesis, { getVoices: () => [] }))
    await listen.click()
    await page.getByText(say('sound.absent')).waitFor()
    await page.keyboard.press('Escape')
    expect(await listen.getAttribute('aria-pressed')).toBe('false')
  })

  test('without the headset nothing more of it is said, and the keypad repeats what stands there', async () => {
    await plugIn()
    await expect.poll(heard).toContain(say('welcome.title'))
    const whole = await heard()
    await press('F17')
    expect(await heard()).toEqual(whole)
    await press('F19')
    expect(await heard()).toEqual([])
    await press('F17')
    expect(await heard()).toEqual([])
  })

  test(
    'speech is offered only once the browser has found a voice of the language',
    async () => {
      const fresh = await browser.newPage({ viewport: { width: 1080, height: 1920 } })
      // A machine as it starts: voices come after the page, or never.
      await fresh.addInitScript(() => {
        const voices: object[] = []
        const changed: (() => void)[] = []
        const addEventListener = (_: string, listener: () => void) => changed.push(listener)
        const synth = { getVoices: () => voices, speak: () => 0, cancel: () => 0, addEventListener }
        Object.defineProperty(globalThis, 'speechSynthesis', { value: synth })
        const install = () => {
          voices.push({ lang: 'en-GB', localService: true, default: false, name: 'English' })
          for (const listener of changed) listener()
        }
        Object.defineProperty(globalThis, 'installVoice', { value: install })
      })
      await fresh.goto(app.url)
      const english = fresh.getByRole('button', { name: 'English' })
      await english.waitFor()
      const offer = fresh.getByText('The machine can speak')
      expect(await offer.count()).toBe(0)
      await fresh.evaluate(() => (globalThis as unknown as { installVoice(): void }).installVoice())
      await offer.waitFor()
      await english.click()
      await fresh.getByRole('button', { name: 'Listen' }).waitFor()
      await fresh.close()
    },
    SLOW_MS,
  )
})
