/**
 * Describes an event of the log beside its type, as pairs of words. Ids, hashes and internal figures appear
 * only in the export. Pure.
 */
import type { Texts } from './text.tsx'
import { levelWord } from './words.ts'

interface EventDetail {
  readonly name: string
  readonly value: string
}

type EventTexts = Pick<Texts, 't' | 'known' | 'formats'>

/** The text keys of a member in order of preference; every other member is looked up under `value.`. */
const KEYS: Readonly<Record<string, (code: string) => readonly string[]>> = {
  type: (code) => [`evidence.${code}`, `consent.${code}`, `fraud.${code}`],
  types: (code) => [`fraud.${code}`],
  kind: (code) => [`tamper.${code}`, `value.${code}`],
  outcome: (code) => [`outcome.${code}`, `value.${code}`],
  reason: (code) => [`reason.${code}`, `desk.reason.${code}`],
  reasons: (code) => [`freeze.${code}`],
  why: (code) => [`erase.reason.${code}`, `value.${code}`],
  // Error codes without an underscore were stored with one at their end, so that they look like codes.
  because: (code) => [`problem.${code.replace(/_$/, '')}`, 'problem.internal'],
  answer: (code) => [`help.answer.${code}`],
  channel: (code) => [`channel.${code}`],
  exceptions: (code) => [`assist.exception.${code}`],
  roles: (code) => [`role.${code}`],
  before: (code) => [`role.${code}`],
  // The voice of the machine is tested; the component `voice` of the health report calls landlines.
  part: (code) => [`tested-part.${code}`, `part.${code}`],
  fault: (code) => [`trust-fault.${code}`],
  chart: (code) => [`chart.${code}`],
  connector: (code) => [`connector.${code}`],
  trouble: (code) => [`call-trouble.${code}`],
  values: (code) => [`sent.${code}`],
  setting: (code) => [`setting.${code}`],
}
const MOMENTS = ['expiresAt', 'until', 'undoUntil']

/** Null: the value has no text. Every value of a closed list has one (test/renderer/counter/words). */
function eventValue(name: string, value: unknown, texts: EventTexts): string | null {
  const { t, known, formats } = texts
  if (Array.isArray(value)) {
    const words = value.flatMap((one: unknown) => eventValue(name, one, texts) ?? [])
    return words.length > 0 ? formats.list(words) : null
  }
  if (typeof value === 'boolean') return t(`value.${value}`)
  if (typeof value === 'number')
    return MOMENTS.includes(name) ? formats.dateTime(new Date(value).toISOString()) : formats.number(value)
  if (typeof value !== 'string') return null
  if (name === 'language') return formats.language(value)
  if (['version', 'levelOfAssurance', 'source'].includes(name)) return value
  if (/^LEVEL\d$/.test(value)) return levelWord(value, texts)
  // The timeline passes every value as a text.
  for (const key of KEYS[name]?.(value) ?? [`value.${value}`]) {
    const word = known(key, '')
    if (word !== '') return word
  }
  return null
}

/** Lists the members that have texts, in their order. */
export function eventDetails(body: Readonly<Record<string, unknown>>, texts: EventTexts): EventDetail[] {
  return Object.entries(body).flatMap(([name, said]) => {
    const label = texts.known(`detail.${name}`, '')
    const value = label === '' ? null : eventValue(name, said, texts)
    return value === null ? [] : [{ name: label, value }]
  })
}
