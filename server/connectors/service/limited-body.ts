/** Reads answers of external services up to a maximum size. */

/** Returns null for a larger body, whose rest is never fetched. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Returns undefined for invalid JSON, and for an object that names a member twice: programs differ in which of the two they take
 * (RFC 8259 section 4), so a source and a proxy before it may state different answers.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString('utf8')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  // A parsed object has a member once: the text then has more of them.
  return countMembers(json) === countColons(text) ? json : undefined
}

const CHAR = { quote: 34, colon: 58, backslash: 92 } as const

/** Counts the colons of valid JSON outside its strings: one for each member of an object. */
function countColons(text: string): number {
  let count = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === CHAR.quote) isString = !isString
    else if (isString && char === CHAR.backslash) at++
    else if (!isString && char === CHAR.colon) count++
  }
  return count
}

/** Uses no recursion, because the answer decides how deep it is nested. */
function countMembers(json: unknown): number {
  let count = 0
  const open = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (!Array.isArray(value)) count += members.length
    for (const member of members) open.push(member)
  }
  return count
}
