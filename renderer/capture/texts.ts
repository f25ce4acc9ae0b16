/// <reference types="vite/client" />
/**
 * The words of the capture elements: the section `capture` of every language file, built in, so that a page that holds nothing
 * but an element needs no second file. English where a language lacks something.
 */
import type { TextKey, Translate } from '../locales/index.ts'

const SECTIONS = import.meta.glob<Readonly<Record<string, string>> | undefined>('../locales/*.json', {
  eager: true,
  import: 'capture',
})
const byTag = new Map(
  Object.entries(SECTIONS).map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts ?? {}]),
)

/** @param tag as of `lang`; `fr-CA` is served by `fr`. */
export function textsIn(tag: string): Translate<'capture'> {
  const lower = tag.toLowerCase()
  const texts = byTag.get(lower) ?? byTag.get(lower.split('-')[0]) ?? {}
  const english = byTag.get('en') ?? {}
  return (key, slots = {}) => filled(texts[key] ?? english[key] ?? key, slots)
}

/** A text that not every message has: none where it is missing, in English too. */
export function hasText(key: string): key is TextKey<'capture'> {
  return key in (byTag.get('en') ?? {})
}

function filled(text: string, slots: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => (name in slots ? String(slots[name]) : slot))
}
