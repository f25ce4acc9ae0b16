/** Describes places and values of a settings file in words: readers see no path and no JSON. Pure. */
import type { Texts } from '../../text.tsx'
import { levelWord } from '../../words.ts'

type Words = Pick<Texts, 't' | 'known' | 'formats'>

/**
 * `steps.2.maxSubmissions` → "Steps › no. 3 › Tries at most". A name without a text, such as the key of a
 * text, stays unchanged.
 */
export function placeWords(field: string, words: Words): string {
  const { t } = words
  if (field === '') return t('settings.at-whole')
  const names = field.split('.')
  // The key of a text contains dots itself.
  const parts = names[0] === 'texts' ? [...names.slice(0, 2), names.slice(2).join('.')] : names
  return parts
    .filter((part) => part !== '')
    .map((part) => memberWord(part, words))
    .join(' › ')
}

const isLanguage = (name: string): boolean => /^[a-z]{2}(-[A-Z]{2})?$/.test(name)

export function memberWord(name: string, words: Words): string {
  if (/^\d+$/.test(name)) return words.t('settings.at-number', { n: Number(name) + 1 })
  const member = words.known(`settings.at.${name}`, '')
  if (member !== '') return member
  return isLanguage(name) ? words.formats.language(name) : codeWord(name, words)
}

const LONGEST = 300

/**
 * Formats a value for a sentence: texts without quotation marks, yes and no, the members of a tree by their
 * names.
 */
export function valueWords(field: string, value: unknown, words: Words): string {
  const { t, formats } = words
  const said = (one: unknown): string => {
    if (typeof one === 'boolean') return t(one ? 'settings.value.yes' : 'settings.value.no')
    if (typeof one === 'number') return formats.number(one)
    if (typeof one === 'string') return textWord(field, one, words)
    if (one === null || one === undefined) return t('settings.value.nothing')
    const members = Array.isArray(one)
      ? one.map(said)
      : Object.entries(one).map(([name, inner]) =>
          t('settings.value.pair', { name: memberWord(name, words), value: said(inner) }),
        )
    return members.length === 0 ? t('settings.value.nothing') : formats.list(members)
  }
  const text = said(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

function textWord(field: string, text: string, words: Words): string {
  if (/(^|\.)languages?(\.\d+)?$/.test(field) && isLanguage(text)) return words.formats.language(text)
  return codeWord(text, words)
}

/** Translates a code of the product; a name by the administrator stays unchanged. */
function codeWord(text: string, { known, t }: Words): string {
  if (/^LEVEL\d$/.test(text)) return levelWord(text, { t })
  const own = known(`settings.word.${text}`, text)
  const families = ['step', 'evidence', 'consent', 'check', 'indicator', 'desk.reason'] as const
  return families.reduce((word, family) => (word === text ? known(`${family}.${text}`, text) : word), own)
}
