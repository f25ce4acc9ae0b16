/** Texts, dates and numbers of the counter in the officer's language. It fetches only texts, no data. */
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

/** The language is stored on this computer: it is no personal data, and the sign-in page needs it. */
const STORED_AS = 'counterproof-counter-language'
/** Stored for this tab, so that a reloaded page keeps the chosen language. */
const CHOSEN_AS = 'counterproof-counter-language-chosen'

interface Shown {
  readonly language: Language
  readonly t: Translate<'counter'>
}

const TextContext = createContext<Texts | null>(null)

export function TextProvider({ children }: { readonly children: ComponentChildren }) {
  const [wanted, setWanted] = useState(() => localStorage.getItem(STORED_AS) ?? 'en')
  const [{ language, t }, setShown] = useState<Shown>(() => ({
    language: languageOf('en'),
    t: englishTexts(COUNTER),
  }))
  useEffect(() => {
    let current = true
    // Texts and direction change together; if the texts cannot be loaded, the present language stays.
    loadTexts(COUNTER, wanted).then(
      (loaded) => {
        if (current) setShown({ language: languageOf(wanted), t: loaded })
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
        sessionStorage.setItem(CHOSEN_AS, tag)
        localStorage.setItem(STORED_AS, tag)
        setWanted(tag)
      },
      suggestLanguage: (tag) => {
        if (sessionStorage.getItem(CHOSEN_AS) !== null) return
        localStorage.setItem(STORED_AS, tag)
        setWanted(tag)
      },
      forgetChoice: () => sessionStorage.removeItem(CHOSEN_AS),
    }),
    [t, language],
  )
  return <TextContext.Provider value={texts}>{children}</TextContext.Provider>
}

/** Throws outside TextProvider. */
export function useText(): Texts {
  const texts = useContext(TextContext)
  if (!texts) throw new TypeError('no TextProvider above')
  return texts
}

export type CounterKey = TextKey<'counter'>
