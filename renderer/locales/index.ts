/** The words of the screens. English is complete and built in; every other language is a file of the same keys. */
import en from './en.json' with { type: 'json' }

export type TextKey = keyof typeof en
export type Slots = Readonly<Record<string, string | number>>
export type Texts = Readonly<Record<TextKey, string>>
type Translation = Partial<Texts>

/** A further language: its file here, and its line in the journey. */
const TRANSLATIONS: Readonly<Record<string, () => Promise<Translation>>> = {
  en: () => Promise.resolve(en),
}

/** The texts of a language; what is not translated yet stays English. */
export async function loadTexts(language: string): Promise<Texts> {
  const load = TRANSLATIONS[language]
  return { ...en, ...(load ? await load() : {}) }
}

/** The sentence with its `{slots}` filled. */
export function fill(sentence: string, slots: Slots = {}): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in slots ? String(slots[name]) : whole,
  )
}

export const ENGLISH: Texts = en
