/** Texts, dates and numbers of a page in its reader's language. It fetches only texts, no data. */
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { englishTexts, getLanguage, loadTexts } from '../locales/index.ts'
import type { Language, Slots, TextKey, Translate } from '../locales/index.ts'
import { listTags } from '../locales/section.ts'
import type { SectionTexts } from '../locales/section.ts'
import { createFormats } from './formats.ts'
import type { Formats } from './formats.ts'

/** The pages that use the kit (`ui/`). */
type KitPage = 'counter' | 'fleet'

export interface Texts<S extends KitPage = 'counter'> {
  readonly t: Translate<S>
  /** For keys that come from the server: an unknown one is shown as `otherwise`. */
  readonly known: (key: string, otherwise: string, slots?: Slots) => string
  readonly language: Language
  readonly formats: Formats
  /** The choice by hand: it precedes the account's language until `forgetChoice`. */
  readonly chooseLanguage: (tag: string) => void
  /** The account's language, if none was chosen on this screen. */
  readonly suggestLanguage: (tag: string) => void
  /** Runs at the sign-out: the next officer has chosen nothing yet. */
  readonly forgetChoice: () => void
}

/** The first language of the browser that has texts; English otherwise. */
function browserLanguage(section: SectionTexts<KitPage>): string {
  const tags = listTags(section)
  const preferred = navigator.languages.flatMap((tag) => [tag, tag.split('-')[0] ?? tag])
  return preferred.find((tag) => tags.includes(tag)) ?? 'en'
}

interface Shown {
  readonly language: Language
  readonly t: Translate<'counter'>
}

const TextContext = createContext<Texts | null>(null)

export function TextProvider({
  section,
  children,
}: {
  readonly section: SectionTexts<KitPage>
  readonly children: ComponentChildren
}) {
  // The language is stored on this computer: it is no personal data, and the sign-in page needs it.
  const storedAs = `counterproof-${section.section}-language`
  // Stored for this tab, so that a reloaded page keeps the chosen language.
  const chosenAs = `${storedAs}-chosen`
  // `useText` gives them the type of the page's own section.
  const texts = section as SectionTexts<'counter'>
  const [wanted, setWanted] = useState(() => localStorage.getItem(storedAs) ?? browserLanguage(section))
  const [{ language, t }, setShown] = useState<Shown>(() => ({
    language: getLanguage('en'),
    t: englishTexts(texts),
  }))
  useEffect(() => {
    let current = true
    // Texts and direction change together; if the texts cannot be loaded, the present language stays.
    loadTexts(texts, wanted).then(
      (loaded) => {
        if (current) setShown({ language: getLanguage(wanted), t: loaded })
      },
      () => undefined,
    )
    return () => {
      current = false
    }
  }, [wanted])
  useEffect(() => {
    document.documentElement.lang = language.tag
    document.documentElement.dir = language.dir
  }, [language])
  const value = useMemo<Texts>(
    () => ({
      t,
      known: (key, otherwise, slots) => {
        const text = (t as (key: string, slots?: Slots) => string)(key, slots)
        return text === key ? otherwise : text
      },
      language,
      formats: createFormats(language.tag, t),
      chooseLanguage: (tag) => {
        sessionStorage.setItem(chosenAs, tag)
        localStorage.setItem(storedAs, tag)
        setWanted(tag)
      },
      suggestLanguage: (tag) => {
        if (sessionStorage.getItem(chosenAs) !== null) return
        localStorage.setItem(storedAs, tag)
        setWanted(tag)
      },
      forgetChoice: () => sessionStorage.removeItem(chosenAs),
    }),
    [t, language],
  )
  return <TextContext.Provider value={value}>{children}</TextContext.Provider>
}

/** Throws outside TextProvider. */
export function useText<S extends KitPage = 'counter'>(): Texts<S> {
  const texts = useContext(TextContext)
  if (!texts) throw new TypeError('no TextProvider above')
  return texts as unknown as Texts<S>
}

/** The kit's own texts. Each page that uses the kit has them in its section. */
export type KitTranslate = (key: TextKey<'counter'> & TextKey<'fleet'>, slots?: Slots) => string

export function useKitText(): Omit<Texts, 't'> & { readonly t: KitTranslate } {
  return useText()
}

export type CounterKey = TextKey<'counter'>
