/**
 * `npm run screens`: a picture of every screen of the kiosk and of every page of the counter, in every state and language,
 * into test/screens/, to be looked at one by one (docs/screens.md says by what). axe-core looks at each of them, and what of a
 * kiosk's screen can be measured is measured (look-over.ts).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'
import { fillDay, newPage, startStage } from '../counter-stage.ts'
import { launchChromium, scan } from '../../support/chromium.ts'
import { writeContactSheets } from './contact-sheets.ts'
import { walkCounter, walkWithoutStaff } from './counter-tour.ts'
import { LANGUAGE_TAGS } from './locale-files.ts'
import { lookOver } from './look-over.ts'
import type { Measures } from './look-over.ts'
import type { Look } from './main.ts'
import { openGallery } from './open-gallery.ts'

const HELP = `Takes a picture of every screen in every state, measures it, and lets axe-core look at it.

  npm run screens -- [--language TAG]... [--only kiosk|counter] [--set NAME]... [--scene PART] [--no-axe] [--no-pictures]
  npm run screens -- --sheets

  --language TAG   one or more of: ${LANGUAGE_TAGS.join(', ')} (default: all)
  --only WHICH     the kiosk's screens or the counter's pages
  --set NAME       upright, lying, counter; each with -medium-text or -large-text; high-contrast, low-buttons;
                   counter pages: 1366, 1920
  --scene PART     only scenes with this in their name
  --no-axe         without axe-core
  --no-pictures    looks and measures, and writes nothing
  --sheets         makes the contact sheets of docs/screens/ from the pictures that are there
  --help           this text

Pictures: test/screens/{kiosk,counter}/LANGUAGE/SET/SCENE.png. What speech says of each: kiosk/LANGUAGE/spoken.txt. Ends with 1 when there is a finding.
`
const OUT = join(import.meta.dirname, '../../screens')
interface PictureSet {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly look: Look
  readonly measures: Measures
}
/** ux.md "Reach", "Text" and "Targets", for 27 inches upright. */
const AT_HAND: Measures = { handTopPx: 1120, leastTargetPx: 64, leastGapPx: 12, leastLetterPx: 34 }
const ANYWHERE: Measures = { ...AT_HAND, handTopPx: null }
const KIOSK_SIZES: readonly PictureSet[] = [
  { name: 'upright', viewport: { width: 1080, height: 1920 }, look: {}, measures: AT_HAND },
  { name: 'lying', viewport: { width: 1920, height: 1080 }, look: {}, measures: ANYWHERE },
  // The same millimetres: 34 px of the drawing are 24 on the same diagonal.
  {
    name: 'counter',
    viewport: { width: 1366, height: 768 },
    look: {},
    measures: { ...ANYWHERE, leastLetterPx: 24 },
  },
]
const upright = KIOSK_SIZES.slice(0, 1)
const KIOSK_SETS: readonly PictureSet[] = [
  ...KIOSK_SIZES,
  ...KIOSK_SIZES.flatMap((size) => [
    { ...size, name: `${size.name}-medium-text`, look: { settings: { textSize: 2 } } } as const,
    { ...size, name: `${size.name}-large-text`, look: { settings: { textSize: 3 } } } as const,
  ]),
  ...upright.flatMap((size) => [
    { ...size, name: 'high-contrast', look: { settings: { highContrast: true } } },
    {
      ...size,
      name: 'low-buttons',
      look: { settings: { lowerButtons: true } },
      measures: { ...AT_HAND, handTopPx: 1300 },
    },
  ]),
]
const COUNTER_SIZES = [
  { name: '1366', viewport: { width: 1366, height: 768 } },
  { name: '1920', viewport: { width: 1920, height: 1080 } },
] as const

interface Wanted {
  readonly languages: readonly string[]
  readonly sets: readonly string[]
  readonly scene: string
  readonly axe: boolean
  readonly pictures: boolean
}

/** What was looked at and what was found, over all of it. */
const tally = { screens: 0, findings: new Map<string, string[]>() }

const { values } = parseArgs({
  options: {
    language: { type: 'string', multiple: true },
    only: { type: 'string' },
    set: { type: 'string', multiple: true },
    scene: { type: 'string', default: '' },
    'no-axe': { type: 'boolean', default: false },
    'no-pictures': { type: 'boolean', default: false },
    sheets: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
process.exitCode = await main()

async function main(): Promise<number> {
  const { language: languages = LANGUAGE_TAGS, only, set: sets = [], scene } = values
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (values.sheets) {
    for (const line of await writeContactSheets(OUT)) process.stdout.write(`${line}\n`)
    return 0
  }
  const unknown = languages.find((tag) => !LANGUAGE_TAGS.includes(tag))
  if (unknown !== undefined || (only !== undefined && only !== 'kiosk' && only !== 'counter')) {
    process.stderr.write(`${unknown ?? only} is not known.\n\n${HELP}`)
    return 2
  }
  const wanted: Wanted = { languages, sets, scene, axe: !values['no-axe'], pictures: !values['no-pictures'] }
  const browser = await launchChromium()
  try {
    if (only !== 'counter') await writeKiosk(browser, wanted)
    if (only !== 'kiosk') await writeCounter(browser, wanted)
  } finally {
    await browser.close()
  }
  const { screens, findings } = tally
  process.stdout.write(
    `${screens} screens${wanted.pictures ? ` in ${OUT}` : ''}, ${findings.size} with a finding\n`,
  )
  for (const [name, found] of tally.findings) process.stdout.write(`  ${name}: ${found.join('; ')}\n`)
  return tally.findings.size === 0 ? 0 : 1
}

async function writeKiosk(browser: Browser, wanted: Wanted): Promise<void> {
  const gallery = await openGallery()
  try {
    for (const language of wanted.languages)
      for (const { name: set, viewport, look, measures } of KIOSK_SETS) {
        if (!isWanted(set, wanted)) continue
        const page = await browser.newPage({ viewport })
        await page.goto(gallery.url)
        await page.waitForFunction(() => 'showScene' in globalThis)
        const transcripts: string[] = []
        for (const scene of await page.evaluate(() => window.sceneNames)) {
          if (!scene.includes(wanted.scene)) continue
          const how = { ...look, language }
          await page.evaluate(([name, shown]) => window.showScene(name, shown), [scene, how] as const)
          const measured = await page.evaluate(lookOver, measures)
          await keep(page, ['kiosk', language, set, scene.replaceAll('/', '-')], wanted, measured)
          if (set !== 'upright') continue
          const spoken = await page.evaluate((tag) => window.transcript(tag), language)
          transcripts.push(`${scene}\n${spoken.map((sentence) => `  ${sentence}\n`).join('')}`)
        }
        if (transcripts.length > 0)
          writeFileSync(join(OUT, 'kiosk', language, 'spoken.txt'), transcripts.join('\n'))
        await page.close()
        process.stderr.write(`kiosk ${language} ${set}\n`)
      }
  } finally {
    gallery.close()
  }
}

async function writeCounter(browser: Browser, wanted: Wanted): Promise<void> {
  const stage = await startStage(await ensureRendererBuilt())
  const sizes = COUNTER_SIZES.filter(({ name }) => isWanted(name, wanted))
  const reference = '9ZQ2-WX4T'
  try {
    const [first] = COUNTER_SIZES
    const look = (page: Page, language: string) => async (scene: string) => {
      if (!scene.includes(wanted.scene)) return
      for (const { name, viewport } of sizes) {
        await page.setViewportSize(viewport)
        await keep(page, ['counter', language, name, scene], wanted)
      }
      await page.setViewportSize(first.viewport)
    }
    const inEach = async (walk: (page: Page, language: string) => Promise<void>) => {
      for (const language of wanted.languages) {
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

async function keep(
  page: Page,
  place: readonly string[],
  wanted: Wanted,
  measured: readonly string[] = [],
): Promise<void> {
  if (wanted.pictures) {
    const path = join(OUT, ...place)
    mkdirSync(join(path, '..'), { recursive: true })
    await page.screenshot({ path: `${path}.png`, animations: 'disabled' })
  }
  tally.screens += 1
  const found = [...measured, ...(wanted.axe ? await scan(page) : [])]
  if (found.length > 0) tally.findings.set(place.join('/'), found)
}

function isWanted(set: string, { sets }: Wanted): boolean {
  return sets.length === 0 || sets.includes(set)
}
