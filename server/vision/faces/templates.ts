/**
 * Serialises templates of our engine. The names of the networks precede the numbers, and templates of different networks
 * are never compared. template-bytes.ts defines the layout; this file validates the networks' numbers.
 */
import { readTemplate, writeTemplate } from '../template-bytes.ts'
import type { Template, TemplateAgreement } from './embed.ts'

/** Length of both networks' vectors. */
const NUMBERS = 128
/** Tolerance of the norm after float32 and rotation: rounding alone stays below 1e-6. */
const LENGTH_TOLERANCE = 1e-3

const OF_ONE_PICTURE: TemplateAgreement = { dlib: 1, mobileFaceNet: 1 }

/** @param makers names (`nameMaker`): dlib's first, then MobileFaceNet's if the template has its part */
export function encodeTemplate(template: Template, makers: readonly string[]): Uint8Array {
  const { dlib, mobileFaceNet, agreement = OF_ONE_PICTURE } = template
  const parts = [
    { numbers: dlib, agreement: agreement.dlib },
    ...(mobileFaceNet ? [{ numbers: mobileFaceNet, agreement: agreement.mobileFaceNet }] : []),
  ]
  if (parts.length !== makers.length) throw new TypeError('one id for each part of a template')
  return writeTemplate(parts.map((part, i) => ({ madeBy: makers[i], ...part })))
}

/** Returns null for bytes of other models or that are no template. */
export function decodeTemplate(bytes: Uint8Array, makers: readonly string[]): Template | null {
  const parts = readTemplate(bytes)
  const isOurs =
    parts?.length === makers.length &&
    parts.every(({ madeBy, numbers }, i) => madeBy === makers[i] && numbers.length === NUMBERS)
  // A manipulated norm or agreement could make a cosine arbitrarily high.
  if (!isOurs || !parts.every(({ numbers, agreement }) => hasNormOne(numbers) && isAgreement(agreement)))
    return null
  const [dlib, mobileFaceNet] = parts
  const agreement = { dlib: dlib.agreement, mobileFaceNet: mobileFaceNet?.agreement ?? 1 }
  const isFused = agreement.dlib !== 1 || agreement.mobileFaceNet !== 1
  return {
    dlib: dlib.numbers,
    mobileFaceNet: mobileFaceNet?.numbers ?? null,
    ...(isFused ? { agreement } : {}),
  }
}

const hasNormOne = (numbers: Float32Array): boolean =>
  Math.abs(Math.hypot(...numbers) - 1) <= LENGTH_TOLERANCE

const isAgreement = (value: number): boolean => value > 0 && value <= 1
