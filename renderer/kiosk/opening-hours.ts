/** The branch's opening hours in the applicant's language. */
import type { ScreenState } from './screen-context.ts'

/** Null where the journey names none. A language without a text of its own gets the text of the first one. */
export function openingHours({
  journey,
  language,
}: Pick<ScreenState, 'journey' | 'language'>): string | null {
  const hours = journey?.receipt.openingHours
  if (hours === undefined || typeof hours === 'string') return hours || null
  return hours[language.tag] ?? Object.values(hours)[0] ?? null
}
