/** The language files as they lie in the repository, for tests that have to name a button in the page's own words. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../renderer/locales')

export type Words = (key: string, slots?: Readonly<Record<string, string>>) => string

/** English first, then the others by their tags. */
export const LANGUAGE_TAGS: readonly string[] = [
  'en',
  ...readdirSync(FOLDER)
    .flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
    .filter((tag) => tag !== 'en')
    .sort(),
]

/** @param tag must be one of `LANGUAGE_TAGS`; what it lacks is English, as on the page. */
export const counterWords = (tag: string): Words => wordsOf('counter', tag)
export const kioskWords = (tag: string): Words => wordsOf('kiosk', tag)

type Section = Readonly<Record<string, string>>

function wordsOf(section: 'counter' | 'kiosk', tag: string): Words {
  const [english, own] = ['en', tag].map((each) => read(each)[section])
  return (key, slots = {}) => {
    const text = own?.[key] ?? english?.[key]
    if (text === undefined) throw new TypeError(`no such key: ${key}`)
    return text.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot)
  }
}

function read(tag: string): Readonly<Partial<Record<'counter' | 'kiosk', Section>>> {
  return JSON.parse(readFileSync(join(FOLDER, `${tag}.json`), 'utf8')) as Partial<
    Record<'counter' | 'kiosk', Section>
  >
}
