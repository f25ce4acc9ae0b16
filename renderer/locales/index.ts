/// <reference types="vite/client" />
/**
 * The words of the screens. One file per language, in sections for the kiosk, the capture components and the counter; a
 * file more is a language more. English is complete and built in: what a language lacks is shown in English.
 */
import { createInstance } from 'i18next'
import { directionOf } from './direction.ts'
import en from './en.json' with { type: 'json' }

export type Section = 'kiosk' | 'capture' | 'counter'
type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'
type WithoutForm<K> = K extends `${infer Base}_${PluralForm}` ? Base : K
/** A key of the section; for one with plural forms (`tries_one`, `tries_other`) without the form. */
export type TextKey<S extends Section = 'kiosk'> = WithoutForm<keyof (typeof en)[S] & string>
/** `count` chooses the plural form. */
export type Slots = Readonly<Record<string, string | number>>
export type Translate<S extends Section = 'kiosk'> = (key: TextKey<S>, slots?: Slots) => string

export interface Language {
  readonly tag: string
  /** In the language itself. */
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
}

type LocaleFile = Partial<Record<Section, Readonly<Record<string, string>>>>

// Fetched when somebody chooses them: nobody waits for the words of four languages that are not spoken to him.
const files = import.meta.glob<LocaleFile>(['./*.json', '!./en.json'], { import: 'default' })

/** Every language there is a file for, by the names of the files. */
export const LANGUAGES: readonly Language[] = ['en', ...Object.keys(files).map(tagOf)].sort().map(languageOf)

/** The name is known to the browser: a file holds words alone. */
export function languageOf(tag: string): Language {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
  return { tag, name: name.charAt(0).toLocaleUpperCase(tag) + name.slice(1), dir: directionOf(tag) }
}

function tagOf(path: string): string {
  return path.replace(/^\.\/|\.json$/g, '')
}

/** @param own texts of the tenant that stand in place of ours. */
export async function loadTexts<S extends Section>(
  section: S,
  tag: string,
  own: Readonly<Record<string, string>> = {},
): Promise<Translate<S>> {
  const load = tag === 'en' ? undefined : files[`./${tag}.json`]
  const translated = load ? (await load())[section] : undefined
  return translator(section, tag, { ...translated, ...own })
}

/** English from the first moment on, before anything is loaded. */
export function englishTexts<S extends Section>(section: S): Translate<S> {
  return translator(section, 'en', {})
}

function translator<S extends Section>(
  section: S,
  tag: string,
  texts: Readonly<Record<string, string>>,
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
        ? { en: { [section]: { ...en[section], ...texts } } }
        : { en: { [section]: en[section] }, [tag]: { [section]: texts } },
  })
  return (key: string, slots) => i18n.t(key, { ...slots })
}
