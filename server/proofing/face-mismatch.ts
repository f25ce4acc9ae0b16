/** The face of a portrait and the face of the document do not match, as the check of the appliance found. Pure. */
import type { Evaluation } from './evidence.ts'

/** Result code: the portrait does not match the document closely enough. */
const NO_MATCH = '1600'

export function isFaceMismatch({ errors = [] }: Partial<Pick<Evaluation, 'errors'>>): boolean {
  return errors.some(({ code }) => code === NO_MATCH)
}
