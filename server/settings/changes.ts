/** Lists the differences between two settings documents: each field with its value before and after. Pure. */
import { isDeepStrictEqual } from 'node:util'

export interface Change {
  /** Path such as `steps.2.maxSubmissions`; empty: the whole document. */
  readonly field: string
  /** Long texts are cut; null: no value. */
  readonly before: unknown
  readonly after: unknown
}

const LONGEST = 200

export function listChanges(before: unknown, after: unknown, field = ''): readonly Change[] {
  if (isDeepStrictEqual(before, after)) return []
  // A document that is new or removed is listed member by member.
  if (field === '' && (before === null || after === null)) return listChanges(before ?? {}, after ?? {})
  if (!isTree(before) || !isTree(after)) return [{ field, before: shown(before), after: shown(after) }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) =>
    listChanges(before[name], after[name], field === '' ? name : `${field}.${name}`),
  )
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value
  return value ?? null
}
