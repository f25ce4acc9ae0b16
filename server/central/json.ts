/** JSON of strangers that PostgreSQL can keep. */
import { AppError } from '../errors.ts'
import { parseJson } from '../http/json.ts'

/** Undefined where there is no body. Throws `malformed_body`, also for U+0000. */
export function decodeJson(bytes: Uint8Array): unknown {
  const value = parseJson(bytes)
  if (!isStorable(value)) throw new AppError('malformed_body')
  return value
}

/** True if PostgreSQL can store every text in it, also the names of members, as `text` and within `jsonb`. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member))
}
