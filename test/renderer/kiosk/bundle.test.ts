/**
 * The kiosk's page is small: a browser that has just started, or a page loaded again after each visit, shows it at once.
 * What it does not show it does not load: other languages come when they are wanted, staff's words never.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { measureBundle, namedBy } from '../../../server/tools/bench/screens-bundle.ts'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'

/**
 * Maximum size that the kiosk loads before its first screen, compressed, without fonts. It is 80 kB today; a
 * second language would add 8 kB, staff's texts 21 kB, all languages together 150 kB.
 */
const MAX_BYTES = 100_000

const SECTIONS = ['kiosk', 'capture', 'counter', 'fleet'] as const
type Section = (typeof SECTIONS)[number]
const LOCALES = join(import.meta.dirname, '../../../renderer/locales')
const TAGS = readdirSync(LOCALES).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))

/** Whole sentences that this section alone says, as they stand in a script whatever quotes are around them. */
function sentencesOf(tag: string, section: Section): string[] {
  const file = JSON.parse(readFileSync(join(LOCALES, `${tag}.json`), 'utf8')) as Record<
    Section,
    Record<string, string>
  >
  const others = SECTIONS.filter((other) => other !== section)
    .flatMap((other) => Object.values(file[other]))
    .join('\n')
  const texts = Object.values(file[section])
  return texts.filter((text) => /^[^'"`\\{}\n]{25,}$/.test(text) && !others.includes(text))
}

let screens = ''
beforeAll(async () => {
  screens = await ensureRendererBuilt()
})

const scriptsOf = (page: 'kiosk' | 'counter') =>
  namedBy(screens, page)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(screens, 'assets', name), 'utf8'))
    .join('\n')
const shareIn = (script: string, sentences: readonly string[]) =>
  sentences.filter((sentence) => script.includes(sentence)).length / sentences.length

test('scripts and styles that the kiosk loads before its first screen are at most 100 kB compressed', () => {
  const { scripts, styles } = measureBundle(screens, 'kiosk')
  // Less than any page could be: then nothing was measured.
  expect(Math.min(scripts, styles)).toBeGreaterThan(1_000)
  expect(scripts + styles).toBeLessThanOrEqual(MAX_BYTES)
})

test('its first screen comes with English alone, and without what staff read', () => {
  const script = scriptsOf('kiosk')
  expect(shareIn(script, sentencesOf('en', 'kiosk'))).toBe(1)
  expect(shareIn(script, sentencesOf('en', 'capture'))).toBe(1)
  expect(shareIn(script, sentencesOf('en', 'counter'))).toBe(0)
  for (const tag of TAGS.filter((one) => one !== 'en'))
    for (const section of SECTIONS)
      expect([tag, section, shareIn(script, sentencesOf(tag, section))]).toEqual([tag, section, 0])
})

describe.each(TAGS.filter((tag) => tag !== 'en'))('%s', (tag) => {
  test.each(SECTIONS)('has a script of its own for %s', (section) => {
    const names = readdirSync(join(screens, 'assets')).filter((name) => name.startsWith(`${tag}-${section}-`))
    expect(names).toHaveLength(1)
    const script = readFileSync(join(screens, 'assets', names[0] ?? ''), 'utf8')
    expect(shareIn(script, sentencesOf(tag, section))).toBe(1)
  })
})

test('the stand-alone capture elements are one script with every language in it, and fetch nothing more', () => {
  expect(readdirSync(join(screens, 'capture')).sort()).toEqual([
    'counterproof-capture.css',
    'counterproof-capture.js',
  ])
  const script = readFileSync(join(screens, 'capture/counterproof-capture.js'), 'utf8')
  for (const tag of TAGS) expect([tag, shareIn(script, sentencesOf(tag, 'capture'))]).toEqual([tag, 1])
  expect(shareIn(script, sentencesOf('en', 'kiosk'))).toBe(0)
  expect(script).not.toMatch(/\bimport\s*\(/)
})
