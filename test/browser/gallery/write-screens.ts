/**
 * `npm run screens`: drives the product's own pages through a whole appliance, takes a picture of every screen of the kiosk and of
 * every page of the counter, and looks each over: axe-core, and what can be measured (look-over.ts). docs/screens.md says by what
 * the pictures are judged.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'
import { launchChromium, scan, settled } from '../../support/chromium.ts'
import { fillDay, newPage, startStage } from '../counter-stage.ts'
import { writeContactSheets } from './contact-sheets.ts'
import { walkCounter, walkWithoutStaff } from './counter-tour.ts'
import { measureJourneys } from './journey.ts'
import { CHAPTERS, Tour, type Chapter, type Stop } from './kiosk-tour.ts'
import { LANGUAGE_TAGS } from './locale-files.ts'
import { CONSOLE_MEASURES, lookOver, lookOverConsole, type Measures } from './look-over.ts'
import { openWorld } from './world.ts'

const HELP = `Drives kiosk and counter through a whole appliance, takes a picture of every screen and looks it over.

  npm run screens -- [--only NAME]... [--language TAG]... [--no-axe] [--no-pictures]
  npm run screens -- --journey
  npm run screens -- --sheets

  --only NAME      a part of the kiosk's way: ${CHAPTERS.map(({ name }) => name).join(', ')}; or counter
  --language TAG   one or more of: ${LANGUAGE_TAGS.join(', ')} (default: all); English is always there at the kiosk
  --no-axe         without axe-core
  --no-pictures    looks and measures, and writes nothing
  --journey        the table of seconds from "Start" to the receipt, instead of pictures
  --sheets         makes the contact sheets of docs/screens/ from the pictures that are there
  --help           this text

Pictures: test/screens/{kiosk,counter}/LANGUAGE/SET/SCREEN.png. Ends with 1 when there is a finding.

Example: npm run screens -- --only counter --language de
`
const OUT = join(import.meta.dirname, '../../screens')

/** The limits of docs/screens.md, for 27 inches upright. */
const AT_HAND: Measures = { handTopPx: 1120, leastTargetPx: 64, leastGapPx: 12, leastLetterPx: 34 }
const ANYWHERE: Measures = { ...AT_HAND, handTopPx: null }
const UPRIGHT = { viewport: { width: 1080, height: 1920 }, measures: AT_HAND }
const LYING = { viewport: { width: 1920, height: 1080 }, measures: ANYWHERE }
/** The same millimetres: 34 px of the drawing are 24 on the same diagonal. */
const SMALL = { viewport: { width: 1366, height: 768 }, measures: { ...ANYWHERE, leastLetterPx: 24 } }

interface PictureSet {
  readonly language: string
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly measures: Measures
  /** The person's settings, as display.ts puts them on the page. */
  readonly settings?: Readonly<Record<string, string>>
  /** Screens of the way through a visit alone. */
  readonly mainOnly?: boolean
}

const MAIN = { ...UPRIGHT, mainOnly: true }
/** Grouped by language, because changing it is slow. */
const KIOSK_SETS: readonly PictureSet[] = [
  { language: 'en', name: 'upright', ...UPRIGHT },
  { language: 'en', name: 'lying', ...LYING },
  { language: 'en', name: 'large-text', ...MAIN, settings: { text: '3' } },
  { language: 'en', name: 'high-contrast', ...MAIN, settings: { contrast: 'high' } },
  {
    language: 'en',
    name: 'low-buttons',
    ...MAIN,
    measures: { ...AT_HAND, handTopPx: 1300 },
    settings: { reach: 'low' },
  },
  { language: 'de', name: 'upright', ...MAIN },
  { language: 'de', name: 'lying-large-text', ...LYING, mainOnly: true, settings: { text: '3' } },
  { language: 'es', name: 'upright', ...MAIN },
  { language: 'fr', name: 'upright', ...MAIN },
  { language: 'ar', name: 'upright', ...MAIN },
  { language: 'ar', name: 'counter', ...SMALL, mainOnly: true },
]
const STANDARD = { text: '1', contrast: 'standard', reach: 'standard' }
const COUNTER_SIZES = [
  { name: '1366', viewport: { width: 1366, height: 768 } },
  { name: '1920', viewport: { width: 1920, height: 1080 } },
] as const

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    language: { type: 'string', multiple: true, default: [...LANGUAGE_TAGS] },
    'no-axe': { type: 'boolean', default: false },
    'no-pictures': { type: 'boolean', default: false },
    journey: { type: 'boolean', default: false },
    sheets: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
/** Totals of checks and findings. */
const tally = {
  pictures: 0,
  byActs: new Set<string>(),
  provoked: new Map<string, string>(),
  findings: new Map<string, string[]>(),
}
process.exitCode = await main()

async function main(): Promise<number> {
  const parts = [...CHAPTERS.map(({ name }) => name), 'counter']
  const unknown = [
    ...values.only.filter((name) => !parts.includes(name)),
    ...values.language.filter((tag) => !LANGUAGE_TAGS.includes(tag)),
  ]
  if (values.help || unknown.length > 0) {
    if (unknown.length > 0) process.stderr.write(`${unknown.join(', ')} is not known.\n\n`)
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  if (values.sheets) {
    for (const line of await writeContactSheets(OUT)) process.stdout.write(`${line}\n`)
    return 0
  }
  const browser = await launchChromium()
  try {
    if (values.journey) return (await measureJourneys(browser)) ? 0 : 1
    await driveKiosk(browser)
    if (isWanted('counter')) await driveCounter(browser)
  } finally {
    await browser.close()
  }
  return report()
}

function report(): number {
  const { pictures, byActs, provoked, findings } = tally
  process.stdout.write(
    `${pictures} pictures; ${byActs.size} screens reached by acts, ${provoked.size} provoked; ${findings.size} pictures with a finding\n`,
  )
  for (const [name, how] of provoked) process.stdout.write(`  provoked by ${how}: ${name}\n`)
  for (const [name, found] of findings) process.stdout.write(`  ${name}: ${found.join('; ')}\n`)
  return findings.size === 0 ? 0 : 1
}

async function driveKiosk(browser: Browser): Promise<void> {
  const wanted = CHAPTERS.filter(({ name }) => isWanted(name))
  await driveChapters(
    browser,
    wanted.filter(({ config }) => config === undefined),
  )
  for (const chapter of wanted) if (chapter.config) await driveChapters(browser, [chapter], chapter.config)
}

/** Through one appliance. */
async function driveChapters(
  browser: Browser,
  chapters: readonly Chapter[],
  config: object = {},
): Promise<void> {
  if (chapters.length === 0) return
  const world = await openWorld({ browser, config })
  const tour = new Tour(world, lookAtKiosk)
  try {
    for (const chapter of chapters) {
      const beganMs = performance.now()
      try {
        await chapter.walk(tour)
      } catch (error) {
        // One way that is blocked does not take the others; where it ended is on the picture.
        const where = join(OUT, `blocked-${chapter.name}.png`)
        mkdirSync(OUT, { recursive: true })
        await tour.page.screenshot({ path: where }).catch(() => undefined)
        tally.findings.set(`kiosk/${chapter.name}`, [`blocked, see ${where}: ${(error as Error).message}`])
      }
      process.stderr.write(`${chapter.name} ${Math.round((performance.now() - beganMs) / 1000)} s\n`)
    }
  } finally {
    await tour.close()
    await world.close()
  }
}

async function lookAtKiosk(page: Page, stop: Stop): Promise<void> {
  const sets = KIOSK_SETS.filter(
    ({ language, mainOnly }) =>
      (stop.isMain || mainOnly !== true) && (language === 'en' || values.language.includes(language)),
  )
  let spoken = 'en'
  for (const { language, name, viewport, measures, settings } of sets) {
    if (language !== spoken) {
      spoken = language
      await speak(page, language)
      await stop.again(page)
    }
    await page.setViewportSize(viewport)
    await wear(page, { ...STANDARD, ...settings })
    const measured = await page.evaluate(lookOver, measures)
    await keep(page, ['kiosk', language, name, stop.name], measured)
  }
  await page.setViewportSize(UPRIGHT.viewport)
  await wear(page, STANDARD)
  if (spoken !== 'en') {
    await speak(page, 'en')
    await stop.again(page)
  }
  if (stop.provoked === null) tally.byActs.add(`kiosk ${stop.name}`)
  else tally.provoked.set(`kiosk ${stop.name}`, stop.provoked)
}

/** Switches speech on during the visit. */
async function speak(page: Page, language: string): Promise<void> {
  while ((await page.locator('dialog[open]').count()) > 0) {
    await page.keyboard.press('Escape')
    await page.waitForTimeout(100)
  }
  await page.locator('#bar-language').click()
  await page.locator(`dialog[open] button[lang=${language}]`).click()
  await page.waitForFunction((tag) => document.documentElement.lang === tag, language)
  await page.locator('main:not(.is-working)').waitFor()
}

async function wear(page: Page, settings: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate((worn) => Object.assign(document.documentElement.dataset, worn), settings)
  await settled(page)
  // Pages are cut again in the next animation frame.
  await page.waitForTimeout(100)
  await settled(page)
}

async function driveCounter(browser: Browser): Promise<void> {
  const stage = await startStage(await ensureRendererBuilt())
  const reference = '9ZQ2-WX4T'
  try {
    const [first] = COUNTER_SIZES
    const look = (page: Page, language: string) => async (scene: string) => {
      for (const { name, viewport } of COUNTER_SIZES) {
        await page.setViewportSize(viewport)
        const measured = await page.evaluate(lookOverConsole, CONSOLE_MEASURES)
        await keep(page, ['counter', language, name, scene], measured)
      }
      await page.setViewportSize(first.viewport)
      tally.byActs.add(`counter ${scene}`)
    }
    const inEach = async (walk: (page: Page, language: string) => Promise<void>) => {
      for (const language of values.language) {
        const page = await newPage(browser)
        await walk(page, language)
        await page.context().close()
        process.stderr.write(`counter ${language}\n`)
      }
    }
    await inEach((page, language) => walkWithoutStaff(page, stage, language, look(page, language)))
    fillDay(stage)
    const identityId = await stage.proofing(reference)
    const proofing = { identityId, reference }
    await inEach((page, language) => walkCounter(page, stage, language, proofing, look(page, language)))
  } finally {
    await stage.app.close()
  }
}

async function keep(page: Page, place: readonly string[], measured: readonly string[] = []): Promise<void> {
  if (!values['no-pictures']) {
    const path = `${join(OUT, ...place)}.png`
    mkdirSync(dirname(path), { recursive: true })
    await page.screenshot({ path, animations: 'disabled' })
  }
  tally.pictures += 1
  const found = [...measured, ...(values['no-axe'] ? [] : await scan(page))]
  if (found.length > 0) tally.findings.set(place.join('/'), found)
}

function isWanted(part: string): boolean {
  return values.only.length === 0 || values.only.includes(part)
}
