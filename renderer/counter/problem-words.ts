/** Chooses the sentence for a problem of the server. Pure. */
import type { ApiProblem } from './api/client.ts'
import type { Texts } from './text.tsx'

/**
 * Returns the most specific sentence: for the code with its reason (its first error), for the code, or the
 * general one.
 */
export function problemSentence(
  {
    code,
    details,
    status,
    errors = [],
  }: Pick<ApiProblem, 'code' | 'details' | 'status'> & Partial<Pick<ApiProblem, 'errors'>>,
  known: Texts['known'],
): string {
  const slots = Object.fromEntries(
    Object.entries(details).filter(
      (entry): entry is [string, string | number] =>
        typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  )
  const reason = errors.at(0)?.code ?? ''
  const general = known(status >= 500 ? 'problem.internal' : 'problem.other', '')
  return known(`problem.${code}.${reason}`, known(`problem.${code}`, general, slots), slots)
}
