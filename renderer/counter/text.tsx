/** The console's words, dates and numbers in the language of the person who works with it. It never fetches data. */
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { COUNTER } from '../locales/counter.ts'
import { englishTexts, languageOf, loadTexts } from '../locales/index.ts'
import type { Language, Slots, TextKey, Translate } from '../locales/index.ts'
import { createFormats } from './formats.ts'
import type { Formats } from './formats.ts'

export interface Texts {
  readonly t: Translate<'counter'>
  /** For keys that come from the server: what this console has no words for is shown as `otherwise`. */
  readonly known: (key: string, otherwise: string, slots?: Slots) => string
  readonly language: Language
  readonly formats: Formats
  readonly chooseLanguage: (tag: string) => void
}

/** The language is kept on this computer: it says nothing about a person, and the sign-in page needs it. */
const STORED_AS = 'counterproof-counter-language'

const TextContext = createContext<Texts | null>(null)

export function TextProvider({ children }: { readonly children: ComponentChildren }) {
  const [language, setLanguage] = useState<Language>(() =>
    languageOf(localStorage.getItem(STORED_AS) ?? 'en'),
  )
  const [t, setT] = useState<Translate<'counter'>>(() => englishTexts(COUNTER))
  useEffect(() => {
    let current = true
    void loadTexts(COUNTER, language.tag).then((loaded) => {
      if (current) setT(() => loaded)
    })
    document.documentElement.lang = language.tag
    document.documentElement.dir = language.dir
    return () => {
      current = false
    }
  }, [language])
  const texts = useMemo<Texts>(
    () => ({
      t,
      known: (key, otherwise, slots) => {
        const text = (t as (key: string, slots?: Slots) => string)(key, slots)
        return text === key ? otherwise : text
      },
      language,
      formats: createFormats(language.tag, t),
      chooseLanguage: (tag) => {
        localStorage.setItem(STORED_AS, tag)
        setLanguage(languageOf(tag))
      },
    }),
    [t, language],
  )
  return <TextContext.Provider value={texts}>{children}</TextContext.Provider>
}

/** Throws outside of TextProvider. */
export function useText(): Texts {
  const texts = useContext(TextContext)
  if (!texts) throw new TypeError('no TextProvider above')
  return texts
}

export type CounterKey = TextKey<'counter'>
