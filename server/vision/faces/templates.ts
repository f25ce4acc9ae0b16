/**
 * Serialises templates for encrypted storage. The ids of the models precede the numbers, and templates of different
 * models are never compared. template-bytes.ts defines the layout; this file validates the networks' numbers.
 */
import type { ModelUse } from '../protocol.ts'
import { readTemplate, writeTemplate } from '../template-bytes.ts'
import type { Template, TemplateSpread } from './embed.ts'

/** Length of both networks' vectors. */
const NUMBERS = 128
/** Tolerance of the norm after float32 and rotation: rounding alone stays below 1e-6. */
const LENGTH_TOLERANCE = 1e-3

const OF_ONE_PICTURE: TemplateSpread = { dlib: 0, mobileFaceNet: 1 }

/** Identifies a network by its weights: another file of the same name yields incompatible numbers. */
export function templateModelId({ id, sha256 }: Pick<ModelUse, 'id' | 'sha256'>): string {
  return `${id}:${sha256.slice(0, 16)}`
}

/** @param modelIds the Euclidean network first, then the cosine network if the template has its part */
export function encodeTemplate(template: Template, modelIds: readonly string[]): Uint8Array {
  const { dlib, mobileFaceNet, spread = OF_ONE_PICTURE } = template
  const parts = [
    { numbers: dlib, spread: spread.dlib },
    ...(mobileFaceNet ? [{ numbers: mobileFaceNet, spread: spread.mobileFaceNet }] : []),
  ]
  if (parts.length !== modelIds.length) throw new TypeError('one id for each part of a template')
  return writeTemplate(parts.map((part, i) => ({ madeBy: modelIds[i], ...part })))
}

/** Returns null for bytes of other models or that are no template. */
export function decodeTemplate(bytes: Uint8Array, modelIds: readonly string[]): Template | null {
  const parts = readTemplate(bytes)
  const isOurs =
    parts?.length === modelIds.length &&
    parts.every(({ madeBy, numbers }, i) => madeBy === modelIds[i] && numbers.length === NUMBERS)
  if (!isOurs) return null
  const [dlib, mobileFaceNet] = parts
  // A manipulated norm could make a cosine arbitrarily high, and a manipulated spread a distance arbitrarily small.
  if (mobileFaceNet && Math.abs(Math.hypot(...mobileFaceNet.numbers) - 1) > LENGTH_TOLERANCE) return null
  const spread = { dlib: dlib.spread, mobileFaceNet: mobileFaceNet?.spread ?? 1 }
  if (spread.dlib < 0 || spread.mobileFaceNet <= 0 || spread.mobileFaceNet > 1) return null
  const isFused = spread.dlib !== OF_ONE_PICTURE.dlib || spread.mobileFaceNet !== OF_ONE_PICTURE.mobileFaceNet
  return {
    dlib: dlib.numbers,
    mobileFaceNet: mobileFaceNet?.numbers ?? null,
    ...(isFused ? { spread } : {}),
  }
}
