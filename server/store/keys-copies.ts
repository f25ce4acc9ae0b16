/** Records where this appliance's copies of the identity keys are, so that a refused start can name the newest. */
import { resolve } from 'node:path'
import type { Meta } from './meta.ts'

export interface KeysCopy {
  readonly path: string
  /** Generation of the keys in it (`vault`). */
  readonly generation: number
  /** Milliseconds since 1970. */
  readonly madeAt: number
}

const NAME = 'keys-copies'
/** Maximum number of places, most recent first. */
const MAX_PLACES = 20

export function listKeysCopies(meta: Meta): readonly KeysCopy[] {
  return (meta.getJson(NAME) as KeysCopy[] | null) ?? []
}

/** A newer copy replaces the older one at its place. */
export function noteKeysCopy(
  meta: Meta,
  made: { readonly path: string; readonly generation: number; readonly createdAt: Date },
): void {
  const { generation, createdAt } = made
  const copy: KeysCopy = { path: resolve(made.path), generation, madeAt: createdAt.getTime() }
  const others = listKeysCopies(meta).filter(({ path }) => path !== copy.path)
  meta.setJson(NAME, [copy, ...others].slice(0, MAX_PLACES))
}
