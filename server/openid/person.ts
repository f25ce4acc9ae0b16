/** Reads from claims who the person is, and which values of the claim with the roles the configuration knows. Pure. */
import type { Claims } from './code-flow.ts'

export interface Person {
  /** Identifies the person at the issuer. */
  readonly subject: string
  /** For colleagues; the subject if the issuer tells no name. */
  readonly name: string
  /** The values of the claim that the configuration has a role for; other values are forgotten here. */
  readonly values: readonly string[]
}

interface Reading {
  readonly nameClaim: string | readonly string[]
  readonly rolesClaim: string | readonly string[]
  readonly knownValues: ReadonlySet<string>
}

const MAX_NAME = 100
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const MAX_SUBJECT = 255
/** More groups than a person has; a longer list is cut. */
const MAX_VALUES = 10_000

/** Null: the claims have no usable subject. */
export function readPerson(claims: Claims, { nameClaim, rolesClaim, knownValues }: Reading): Person | null {
  const subject = toPlainText(claims.sub, MAX_SUBJECT)
  if (subject === null) return null
  const values = [readClaim(claims, rolesClaim)]
    .flat()
    .slice(0, MAX_VALUES)
    .filter((value): value is string => typeof value === 'string' && knownValues.has(value))
  return {
    subject,
    name: toPlainText(readClaim(claims, nameClaim), MAX_NAME) ?? subject.slice(0, MAX_NAME),
    values: [...new Set(values)],
  }
}

function readClaim(claims: Claims, path: string | readonly string[]): unknown {
  return [path].flat().reduce<unknown>((at, name) => {
    const isObject = typeof at === 'object' && at !== null && Object.hasOwn(at, name)
    return isObject ? (at as Claims)[name] : undefined
  }, claims)
}

/** Control characters, and those that change the direction of a text, would falsify the lists that show the name. */
function toPlainText(value: unknown, most: number): string | null {
  if (typeof value !== 'string' || value.length > 10 * most) return null
  const plain = value
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, most)
  return plain === '' ? null : plain
}
