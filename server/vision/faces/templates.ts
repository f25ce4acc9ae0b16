/**
 * Templates as bytes, for whoever seals them: which models made them stands in front of the numbers, and templates of
 * other models are never compared. The layout is template-bytes.ts; here stands what our networks' numbers must be.
 */
import type { ModelUse } from '../protocol.ts'
import { readTemplate, writeTemplate } from '../template-bytes.ts'
import type { Template, TemplateSpread } from './embed.ts'

/** Both networks give so many numbers. */
const NUMBERS = 128
/** Of a length of 1, after float32 and a rotation: rounding alone is below 1e-6. */
const LENGTH_TOLERANCE = 1e-3

const OF_ONE_PICTURE: TemplateSpread = { dlib: 0, mobileFaceNet: 1 }

/** A network by its weights: another file of the same name gives numbers that mean something else. */
export function templateModelId({ id, sha256 }: Pick<ModelUse, 'id' | 'sha256'>): string {
  return `${id}:${sha256.slice(0, 16)}`
}

/** @param modelIds the Euclidean network first, then the cosine network where the template has its part */
export function encodeTemplate(template: Template, modelIds: readonly string[]): Uint8Array {
  const { dlib, mobileFaceNet, spread = OF_ONE_PICTURE } = template
  const parts = [
    { numbers: dlib, spread: spread.dlib },
    ...(mobileFaceNet ? [{ numbers: mobileFaceNet, spread: spread.mobileFaceNet }] : []),
  ]
  if (parts.length !== modelIds.length) throw new TypeError('one id for each part of a template')
  return writeTemplate(parts.map((part, i) => ({ madeBy: modelIds[i], ...part })))
}

/** Null for bytes of other models or of no template. */
export function decodeTemplate(bytes: Uint8Array, modelIds: readonly string[]): Template | null {
  const parts = readTemplate(bytes)
  const isOurs =
    parts?.length === modelIds.length &&
    parts.every(({ madeBy, numbers }, i) => madeBy === modelIds[i] && numbers.length === NUMBERS)
  if (!isOurs) return null
  const [dlib, mobileFaceNet] = parts
  // Of another length a cosine could be made as high as one likes; of another spread a distance as small.
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
