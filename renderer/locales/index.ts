/**
 * The words of the screens. One file per language, in sections for the kiosk, the capture components and the counter; a
 * file more is a language more. English is complete and built in: what a language lacks is shown in English.
 */
import { createInstance } from 'i18next'
import type { CaptureWords } from './capture.ts'
import type { CounterWords } from './counter.ts'
import { directionOf } from './direction.ts'
import { KIOSK } from './kiosk.ts'
import type { KioskWords } from './kiosk.ts'
import { tagsOf } from './section.ts'
import type { SectionTexts, Words } from './section.ts'

interface English {
  readonly kiosk: KioskWords
  readonly capture: CaptureWords
  readonly counter: CounterWords
}
export type Section = keyof English
type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'
type WithoutForm<K> = K extends `${infer Base}_${PluralForm}` ? Base : K
/** A key of the section; for one with plural forms (`tries_one`, `tries_other`) without the form. */
export type TextKey<S extends Section = 'kiosk'> = WithoutForm<keyof English[S] & string>
/** `count` chooses the plural form. */
export type Slots = Readonly<Record<string, string | number>>
export type Translate<S extends Section = 'kiosk'> = (key: TextKey<S>, slots?: Slots) => string

export interface Language {
  readonly tag: string
  /** In the language itself. */
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
}

/** Every language there is a file for, by the names of the files. */
export const LANGUAGES: readonly Language[] = tagsOf(KIOSK).map(languageOf)

/** The name is known to the browser: a file holds words alone. */
export function languageOf(tag: string): Language {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
  return { tag, name: name.charAt(0).toLocaleUpperCase(tag) + name.slice(1), dir: directionOf(tag) }
}

/**
 * Rejects when the words cannot be fetched: whoever reads keeps the language there is.
 * @param own texts of the tenant that stand in place of ours.
 */
export async function loadTexts<S extends Section>(
  texts: SectionTexts<S>,
  tag: string,
  own: Words = {},
): Promise<Translate<S>> {
  return translator(texts, tag, { ...(await texts.others[tag]?.()), ...own })
}

/** English from the first moment on, before anything is loaded. */
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
    // Keys are flat and have dots in them.
    keySeparator: false,
    nsSeparator: false,
    interpolation: { prefix: '{', suffix: '}', escapeValue: false },
    resources:
      tag === 'en'
        ? { en: { [section]: { ...english, ...words } } }
        : { en: { [section]: english }, [tag]: { [section]: words } },
  })
  return (key: string, slots) => i18n.t(key, { ...slots })
}
