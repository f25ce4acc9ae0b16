/** JSON of strangers: bounded in depth, and without text that PostgreSQL does not keep. */
import { AppError } from '../errors.ts'

/** Deeper than any body of ours is; what comes after goes through them one inside the other. */
const MAX_DEPTH = 100
const CHAR = { quote: 34, backslash: 92, open: [91, 123], close: [93, 125] } as const

/** Throws `malformed_body`, also for what is nested without end, for U+0000 and for half a surrogate pair. */
export function decodeJson(bytes: Uint8Array): unknown {
  if (depthOf(bytes) > MAX_DEPTH) throw new AppError('malformed_body')
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new AppError('malformed_body')
  }
  if (!isStorable(value)) throw new AppError('malformed_body')
  return value
}

/** Whether PostgreSQL keeps every text in it, as `text` and within `jsonb`: names of members, too. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member))
}

/** How deep arrays and objects are nested in JSON text. Of text that is no JSON it says nothing of use. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes[at] ?? 0
    if (isText) {
      if (char === CHAR.backslash) at++
      else if (char === CHAR.quote) isText = false
    } else if (char === CHAR.quote) isText = true
    else if (char === CHAR.open[0] || char === CHAR.open[1]) deepest = Math.max(deepest, ++depth)
    else if (char === CHAR.close[0] || char === CHAR.close[1]) depth--
  }
  return deepest
}
