/**
 * The texts of the screens. One file per language, with sections for the kiosk, the capture components, the
 * counter and the fleet; to add a language, add a file. English is complete and built in: it replaces missing texts.
 */
import { createInstance } from 'i18next'
import type { CaptureWords } from './capture.ts'
import type { CounterWords } from './counter.ts'
import type { FleetWords } from './fleet.ts'
import { getDirection } from './direction.ts'
import { KIOSK } from './kiosk.ts'
import type { KioskWords } from './kiosk.ts'
import { listTags } from './section.ts'
import type { SectionTexts, Words } from './section.ts'

interface English {
  readonly kiosk: KioskWords
  readonly capture: CaptureWords
  readonly counter: CounterWords
  readonly fleet: FleetWords
}
export type Section = keyof English
type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'
type WithoutForm<K> = K extends `${infer Base}_${PluralForm}` ? Base : K
/** A key of the section; for a text with plural forms (`tries_one`, `tries_other`) without the form. */
export type TextKey<S extends Section = 'kiosk'> = WithoutForm<keyof English[S] & string>
/** `count` chooses the plural form. */
export type Slots = Readonly<Record<string, string | number>>
export type Translate<S extends Section = 'kiosk'> = (key: TextKey<S>, slots?: Slots) => string

export interface Language {
  readonly tag: string
  /** The language's name in itself. */
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
}

/** One language per file; the file name is the tag. */
export const LANGUAGES: readonly Language[] = listTags(KIOSK).map(getLanguage)

/** The browser knows the name: a file contains only texts. */
export function getLanguage(tag: string): Language {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
  return { tag, name: name.charAt(0).toLocaleUpperCase(tag) + name.slice(1), dir: getDirection(tag) }
}

/**
 * Rejects when the texts cannot be fetched; the caller keeps the present language. @param own texts of the
 * tenant that replace ours
 */
export async function loadTexts<S extends Section>(
  texts: SectionTexts<S>,
  tag: string,
  own: Words = {},
): Promise<Translate<S>> {
  return translator(texts, tag, { ...(await texts.others[tag]?.()), ...own })
}

/** English, available before anything is loaded. */
export function englishTexts<S extends Section>(texts: SectionTexts<S>): Translate<S> {
  return translator(texts, 'en', {})
}

function translator<S extends Section>(
  { section, english }: SectionTexts<S>,
  tag: string,
  words: Words,
): Translate<S> {
  const i18n = createInstance()
  void i18n.init({
    lng: tag,
    fallbackLng: 'en',
    initAsync: false,
    ns: [section],
    defaultNS: section,
    // Keys are flat and contain dots.
    keySeparator: false,
    nsSeparator: false,
    interpolation: { prefix: '{', suffix: '}', escapeValue: false },
    resources:
      tag === 'en'
        ? { en: { [section]: { ...english, ...words } } }
        : { en: { [section]: english }, [tag]: { [section]: words } },
  })
  const unnamed = section === 'kiosk' ? i18n.t('organisation.unnamed') : null
  return (key: string, slots) => {
    const text = i18n.t(key, { ...slots })
    return unnamed !== null && slots?.organisation === unnamed ? fitIntoSentence(text, unnamed, tag) : text
  }
}

/** Words that stand in place of a name begin with a capital letter only where they begin a sentence. */
function fitIntoSentence(text: string, words: string, tag: string): string {
  const inside = words.charAt(0).toLocaleLowerCase(tag) + words.slice(1)
  return text.replaceAll(words, (_, at: number) => (/(^|[.!?:] )$/.test(text.slice(0, at)) ? words : inside))
}
