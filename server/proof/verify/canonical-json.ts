/**
 * The single form in which JSON is hashed and signed: members sorted by name (UTF-16 code units), no white space, UTF-8,
 * numbers and strings as in ECMAScript. The same value always gives the same bytes (rules of RFC 8785).
 */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined
}

const DEEPEST = 100 // our deepest document has about 10 levels; the limit protects the stack from hostile nesting

/**
 * Leaves out members whose value is undefined, as JSON.stringify does. Throws TypeError for values that JSON cannot hold
 * (NaN, functions, dates) and for nesting beyond 100 levels.
 */
export function canonicalJson(value: JsonValue): string {
  return write(value, 0)
}

export function canonicalBytes(value: JsonValue): Uint8Array {
  return new TextEncoder().encode(canonicalJson(value))
}

function write(value: JsonValue, depth: number): string {
  if (depth > DEEPEST) throw new TypeError('JSON nested too deeply')
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number that JSON cannot hold')
    return JSON.stringify(value)
  }
  if (isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`
  if (!isPlainObject(value)) throw new TypeError('a value that JSON cannot hold')
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => {
      const member = value[name]
      return member === undefined ? [] : [`${JSON.stringify(name)}:${write(member, depth + 1)}`]
    })
  return `{${members.join(',')}}`
}

/** Like Array.isArray, but also narrows read-only arrays. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
