/** Expected shapes of answers, as functions from a value to its faults. Independent of the server. */

/**
 * Returns one sentence per fault; none if the value is as expected. Values are never quoted, because they may
 * be personal data.
 */
export type Shape = (value: unknown, at: string) => readonly string[]

export const anything: Shape = () => []
export const text: Shape = (value, at) =>
  typeof value === 'string' && value !== '' ? [] : [`${at} must be a text that is not empty`]
export const flag: Shape = (value, at) => (typeof value === 'boolean' ? [] : [`${at} must be true or false`])
export const whole: Shape = (value, at) => (Number.isInteger(value) ? [] : [`${at} must be a whole number`])

export function matching(pattern: RegExp, words: string): Shape {
  return (value, at) =>
    typeof value === 'string' && pattern.test(value) ? [] : [`${at} must be ${words} (${pattern.source})`]
}

export function oneOf(...values: readonly unknown[]): Shape {
  return (value, at) => (values.includes(value) ? [] : [`${at} must be one of ${values.join(', ')}`])
}

export function listOf(item: Shape, least = 0): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) return [`${at} must be a list`]
    const faults = value.flatMap((entry, index) => [...item(entry, `${at}[${index}]`)])
    return value.length < least ? [...faults, `${at} must have at least ${least} entries`] : faults
  }
}

/** Fields whose name ends in `?` may be absent. Further fields are allowed: clients ignore unknown ones. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  return (value, at) => {
    if (!isObject(value)) return [`${at} must be an object`]
    return Object.entries(fields).flatMap(([field, shape]) => {
      const name = field.replace(/\?$/, '')
      if (value[name] === undefined) return field.endsWith('?') ? [] : [`${at}.${name} is missing`]
      return [...shape(value[name], `${at}.${name}`)]
    })
  }
}

export function both(...shapes: readonly Shape[]): Shape {
  return (value, at) => shapes.flatMap((shape) => [...shape(value, at)])
}

export function recordOf(item: Shape): Shape {
  return (value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, entry]) => [...item(entry, `${at}.${name}`)])
      : [`${at} must be an object`]
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
