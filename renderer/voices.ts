/** Chooses a voice of this computer for a language. Pure. */

/** The default country of a language; it matches the spelling of the texts. */
const COUNTRY: Readonly<Partial<Record<string, string>>> = { en: 'gb', fr: 'fr', es: 'es', de: 'de' }

type Voice = Pick<SpeechSynthesisVoice, 'name' | 'lang' | 'localService' | 'default'>

/**
 * Null: this computer has no voice for the language. Network voices are excluded, because they would send the
 * text to another company.
 */
export function chooseVoice<V extends Voice>(voices: readonly V[], tag: string): V | null {
  const [base = '', country = COUNTRY[base]] = tag.toLowerCase().split('-')
  const splitTag = ({ lang }: Voice): readonly string[] => lang.toLowerCase().split(/[-_]/)
  const rank = (voice: V): number => {
    const [, ...further] = splitTag(voice)
    const isPlain = further.length === 0 || (further.length === 1 && further[0] === country)
    // espeak-ng has a hundred playful variants of each voice, such as "English+Demonic".
    return (voice.name.includes('+') ? 4 : 0) + (voice.default ? 0 : 2) + (isPlain ? 0 : 1)
  }
  const own = voices.filter((voice) => voice.localService && splitTag(voice)[0] === base)
  return own.reduce<V | null>(
    (best, voice) => (best === null || rank(voice) < rank(best) ? voice : best),
    null,
  )
}
