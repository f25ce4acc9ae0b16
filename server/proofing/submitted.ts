/** Converts submitted data to evidence data, in which nothing is verified yet. */
import type { AddressData, NamedValue, PersonalAttributes } from './evidence.ts'

/** A value object as submitted: without `verified`, which only the appliance sets. */
export type Submitted<T> = T extends readonly (infer Item)[]
  ? readonly Submitted<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as Exclude<Key, 'verified'>]: Submitted<T[Key]> }
    : T

export function markUnverified<T extends object>(submitted: T): T & { readonly verified: false } {
  return { ...submitted, verified: false }
}

export function unverifiedAttributes<T extends PersonalAttributes>(submitted: Submitted<T>): T {
  const marked = Object.entries(submitted as Submitted<PersonalAttributes>)
    .filter(
      (entry): entry is [string, Submitted<NamedValue> | readonly Submitted<NamedValue>[]] => !!entry[1],
    )
    .map(([name, value]) => [name, isList(value) ? value.map(markUnverified) : markUnverified(value)])
  return Object.fromEntries(marked) as T
}

export function unverifiedAddress(submitted: Submitted<AddressData>): AddressData {
  const { streetDetails, ...parts } = submitted
  return {
    ...markUnverified(parts),
    ...(streetDetails ? { streetDetails: markUnverified(streetDetails) } : {}),
  }
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}
