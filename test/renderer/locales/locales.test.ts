/** Every language says everything: the same keys as English, the plural forms it needs, the same slots, nothing unused. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LANGUAGES, getLanguage } from '../../../renderer/locales/index.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SECTIONS = ['kiosk', 'capture', 'counter', 'fleet'] as const
const PLURAL = /_(zero|one|two|few|many|other)$/

type Section = Readonly<Record<string, string>>
type Locale = Readonly<Record<(typeof SECTIONS)[number], Section>>

const FOLDER = join(ROOT, 'renderer/locales')
const read = (tag: string) => JSON.parse(readFileSync(join(FOLDER, `${tag}.json`), 'utf8')) as Locale
const TAGS = readdirSync(FOLDER).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
const english = read('en')

const baseOf = (key: string): string => key.replace(PLURAL, '')
const basesOf = (section: Section): string[] => [...new Set(Object.keys(section).map(baseOf))].sort()
const slotsOf = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()
/** Slots of whole families, by their keys without a form: a form like "one" need not repeat the number. */
function slotsByFamily(section: Section): Map<string, string> {
  const families = Map.groupBy(Object.entries(section), ([key]) => baseOf(key))
  return new Map(
    [...families].map(([base, forms]) => [base, slotsOf(forms.map(([, text]) => text).join()).join()]),
  )
}

test('the five languages of the product are there', () => {
  expect(TAGS).toEqual(expect.arrayContaining(['ar', 'de', 'en', 'es', 'fr']))
})

describe.each(TAGS)('%s', (tag) => {
  const locale = read(tag)
  const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories

  test.each(SECTIONS)('says all that English says in %s, and nothing else', (section) => {
    expect(basesOf(locale[section])).toEqual(basesOf(english[section]))
  })

  test.each(SECTIONS)('has every plural form that its grammar asks for in %s', (section) => {
    const families = new Set(
      Object.keys(english[section])
        .filter((key) => PLURAL.test(key))
        .map(baseOf),
    )
    const missing = [...families].flatMap((base) =>
      forms.map((form) => `${base}_${form}`).filter((key) => !locale[section][key]),
    )
    expect(missing).toEqual([])
  })

  test.each(SECTIONS)('fills the same slots in %s', (section) => {
    const own = slotsByFamily(locale[section])
    const other = [...slotsByFamily(english[section])].filter(([base, slots]) => own.get(base) !== slots)
    expect(other).toEqual([])
  })

  test('says each sentence once: of two with the same key the screens would show the last', () => {
    const written = readFileSync(join(FOLDER, `${tag}.json`), 'utf8').match(/^ {4}"[^"]+":/gm) ?? []
    const sentences = SECTIONS.map((section) => Object.keys(locale[section]).length)
    expect(written).toHaveLength(sentences.reduce((sum, count) => sum + count))
  })

  test('leaves no sentence empty', () => {
    const empty = SECTIONS.flatMap((section) =>
      Object.entries(locale[section]).flatMap(([key, text]) => (text.trim() === '' ? [key] : [])),
    )
    expect(empty).toEqual([])
  })

  test.skipIf(tag === 'en')('is another language than English', () => {
    const long = Object.entries(english.kiosk).filter(([, text]) => text.split(' ').length >= 4)
    const same = long.filter(([key, text]) => locale.kiosk[key] === text)
    expect(same).toEqual([])
  })
})

test('each is offered by its own name, and reads in its own direction', () => {
  const offered = ['en', 'fr', 'es', 'de', 'ar'].map(getLanguage).map(({ name, dir }) => `${name} ${dir}`)
  expect(offered).toEqual(['English ltr', 'Français ltr', 'Español ltr', 'Deutsch ltr', 'العربية rtl'])
  expect(LANGUAGES.map(({ tag }) => tag)).toEqual([...TAGS].sort())
})

describe('the keys', () => {
  // The server names some of the counter's words by key.
  const sources = ['renderer', 'server/counter', 'server/proofing']
    .flatMap((folder) => sourcesIn(join(ROOT, folder)))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  // A key made from a code of a closed list: `guidance.${code}`, or 'guidance.' + code.
  const beginnings = [...sources.matchAll(/[`'"]([a-z][\w.-]*\.)(?:\$\{|['"`]\s*\+)/g)].map(
    ([, start]) => start,
  )
  // Words of a chart: the server names the band or the advice, the page the family.
  beginnings.push('age.', 'advice.')
  const endings = [...sources.matchAll(/\}(\.[\w.-]+)`/g)].map(([, end]) => end)

  test.each(SECTIONS)('of %s are all used', (section) => {
    const unused = basesOf(english[section]).filter(
      (key) =>
        !sources.includes(`'${key}'`) &&
        !sources.includes(`\`${key}\``) &&
        !sources.includes(`"${key}"`) &&
        !beginnings.some((start) => key.startsWith(start)) &&
        !endings.some((end) => key.endsWith(end)),
    )
    expect(unused).toEqual([])
  })
})

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
