/** Parses untrusted JSON: UTF-8, limited depth, and only text that canonical JSON can represent. */
import { AppError } from '../errors.ts'

/** Deeper than any body of the contracts. Schemas and serialisers walk a value recursively. */
const MAX_DEPTH = 100
const CHAR = { quote: 34, backslash: 92, open: [91, 123], close: [93, 125] } as const

/**
 * UTF-8 JSON, byte order mark allowed. Undefined for nothing but white space. Throws `malformed_body`, also for what is
 * nested deeper than 100 and for half a surrogate pair. The parser's own words quote the text and are dropped.
 */
export function parseJson(bytes: Uint8Array, field?: string): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw createMalformedError(field, 'must be UTF-8 text')
  }
  if (text.trim() === '') return undefined
  if (measureDepth(bytes) > MAX_DEPTH)
    throw createMalformedError(field, `must not be nested deeper than ${MAX_DEPTH}`)
  try {
    return JSON.parse(text, requireWritable) as unknown
  } catch (error) {
    if (error instanceof UnwritableText)
      throw createMalformedError(field, 'must hold no half of a surrogate pair')
    throw createMalformedError(field, 'must be well-formed JSON')
  }
}

/** Canonical JSON (RFC 8785) cannot hold this text, and so no proof can. */
class UnwritableText extends Error {}

function requireWritable(name: string, value: unknown): unknown {
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) throw new UnwritableText()
  return value
}

/** How deep arrays and objects are nested in JSON text. The number means nothing where the text is not JSON. */
function measureDepth(bytes: Uint8Array): number {
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

export function createMalformedError(field: string | undefined, message: string): AppError {
  return new AppError(
    'malformed_body',
    {},
    { problems: [{ code: 'malformed_body', message, ...(field ? { field } : {}) }] },
  )
}
