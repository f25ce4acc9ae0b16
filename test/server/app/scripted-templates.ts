/** Templates of faces that have a name: one face, one direction; two names lie far apart. */
import {
  readTemplate,
  writeTemplate,
  type OperatingPoint,
  type VisionCalls,
} from '../../../server/vision/protocol.ts'

const MADE_BY = 'scripted:0000000000000000'
const SIZE = 128

/** The same numbers for the same name; of two names the product is below 0.4. */
export function templateOf(face: string, madeBy = MADE_BY): Uint8Array {
  const seed = [...face].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7)
  const raw = Float32Array.from({ length: SIZE }, (_, i) => Math.sin(seed * (i + 1) * 1.37))
  const length = Math.hypot(...raw)
  return writeTemplate([{ madeBy, numbers: raw.map((value) => value / length), agreement: 1 }])
}

/** Null for a candidate made by another model than this one. */
export function compareScripted(
  { probe, candidates }: VisionCalls['compareTemplates']['input'],
  operatingPoint: OperatingPoint,
): VisionCalls['compareTemplates']['output'] {
  const numbersOf = (bytes: Uint8Array) =>
    readTemplate(bytes)?.find(({ madeBy }) => madeBy === MADE_BY)?.numbers
  const known = numbersOf(probe)
  const scores = candidates.map((bytes) => {
    const other = numbersOf(bytes)
    return known && other ? known.reduce((sum, value, i) => sum + value * other[i], 0) : null
  })
  return { scores, measure: 'cosine-similarity', operatingPoint }
}
