/**
 * Templates as bytes, for whoever seals them: which models made them stands in front of the numbers, and templates of
 * other models are never compared.
 */
import type { Template } from './embed.ts'

export function encodeTemplate(_template: Template, _modelIds: readonly string[]): Uint8Array {
  throw new TypeError('not written yet')
}

/** Null for bytes of other models or of no template. */
export function decodeTemplate(_bytes: Uint8Array, _modelIds: readonly string[]): Template | null {
  throw new TypeError('not written yet')
}
