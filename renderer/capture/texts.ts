/**
 * The texts of the capture elements, in every language that has been fetched. A page's build fetches a
 * language when it is needed; the stand-alone bundle contains all, so that other pages need no second file.
 * Missing texts fall back to English.
 */
import { CAPTURE } from '../locales/capture.ts'
import type { TextKey, Translate } from '../locales/index.ts'
import type { Words } from '../locales/section.ts'

const { english, others } = CAPTURE
const fetched = new Map<string, Words>()
const underWay = new Map<string, Promise<void>>()

/** `fr-CA` is served by `fr`; null: English is the best available. */
function findTextFile(tag: string): string | null {
  const lower = tag.toLowerCase()
  return [lower, lower.split('-')[0] ?? ''].find((one) => one in others) ?? null
}

/** True if `textsIn` already returns the best available texts. */
export function hasTexts(tag: string): boolean {
  const file = findTextFile(tag)
  return file === null || fetched.has(file)
}

/** Rejects when the texts cannot be fetched; the next call tries again. */
export function fetchTexts(tag: string): Promise<void> {
  const file = findTextFile(tag)
  if (file === null || fetched.has(file)) return Promise.resolve()
  const fetching =
    underWay.get(file) ??
    (others[file]?.() ?? Promise.resolve({}))
      .then((words) => void fetched.set(file, words ?? {}))
      .finally(() => underWay.delete(file))
  underWay.set(file, fetching)
  return fetching
}

/** Returns the texts, or English until they are fetched. @param tag value of `lang` */
export function getTexts(tag: string): Translate<'capture'> {
  const words = fetched.get(findTextFile(tag) ?? '') ?? {}
  return (key, slots = {}) => filled(words[key] ?? english[key] ?? key, slots)
}

/** True if the key exists; some texts exist only for some messages. */
export function hasText(key: string): key is TextKey<'capture'> {
  return key in english
}

function filled(text: string, slots: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => (name in slots ? String(slots[name]) : slot))
}
