/** The place in a sorted list after which its next page begins: the value that is sorted by, and the id. Pure. */
import { fieldProblem } from '../errors.ts'

export type PagePlace = readonly [value: number, id: string]

const CURSOR = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export const writeCursor = (place: PagePlace): string => place.join('_')

/** Throws `validation_failed` for the field `after`. */
export function readCursor(text: string): PagePlace {
  const [, value, id] = CURSOR.exec(text) ?? []
  if (value === undefined || id === undefined) {
    throw fieldProblem('wrong_form', 'after', 'must be the next of the page before')
  }
  return [Number(value), id]
}
