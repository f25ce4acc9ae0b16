/**
 * Templates of a mounted ONNX engine: one vector. The score of several pictures is the mean of their scores, so that an
 * operating point that was measured with single pictures holds. Pure arithmetic.
 */
import { cosineSimilarity } from '../faces/scores.ts'
import { readTemplate, writeTemplate } from '../template-bytes.ts'
import type { FaceTemplate } from './engine.ts'

type VectorMeasure = 'euclidean-distance' | 'cosine-similarity'

/** Tolerance of a norm after float32 and rotation. */
const LENGTH_TOLERANCE = 1e-3

interface VectorTemplates {
  encode(numbers: Float32Array): FaceTemplate
  fuse(templates: readonly FaceTemplate[]): FaceTemplate
  /** Null if one of both is no template of this maker. */
  compare(a: FaceTemplate, b: FaceTemplate): number | null
}

/** `agreement` of the pictures: for a cosine the norm of the mean of unit vectors, 1 if alone; for a distance the mean squared distance. */
interface Vector {
  readonly numbers: Float32Array
  readonly agreement: number
}

/** `maker`: name of the engine in its templates; `size`: numbers of a vector, of norm 1 for a cosine. */
export function createVectorTemplates(measure: VectorMeasure, maker: string, size: number): VectorTemplates {
  const isCosine = measure === 'cosine-similarity'
  const alone = isCosine ? 1 : 0
  const write = (vector: Vector): FaceTemplate => writeTemplate([{ madeBy: maker, ...vector }])
  const read = (template: FaceTemplate): Vector | null => {
    const parts = readTemplate(template)
    if (parts?.length !== 1 || parts[0].madeBy !== maker || parts[0].numbers.length !== size) return null
    const [vector] = parts
    // A manipulated norm or agreement could make faces arbitrarily alike.
    const isPossible = isCosine
      ? Math.abs(Math.hypot(...vector.numbers) - 1) <= LENGTH_TOLERANCE &&
        vector.agreement > 0 &&
        vector.agreement <= 1
      : vector.agreement >= 0
    return isPossible ? vector : null
  }
  const fuse = (vectors: readonly Vector[]): Vector => {
    const mean = vectors[0].numbers.map(
      (_, i) => vectors.reduce((sum, { numbers }) => sum + numbers[i], 0) / vectors.length,
    )
    if (isCosine) {
      const length = Math.hypot(...mean)
      return { numbers: mean.map((value) => value / length), agreement: Math.min(1, length) }
    }
    const squares = vectors.map(({ numbers }) => euclideanDistance(numbers, mean) ** 2)
    return { numbers: mean, agreement: squares.reduce((sum, one) => sum + one, 0) / squares.length }
  }
  return {
    encode: (numbers) => write({ numbers, agreement: alone }),
    fuse: (templates) => {
      if (templates.length === 1) return templates[0]
      const vectors = templates.map(read).filter((vector) => vector !== null)
      if (vectors.length < templates.length) throw new TypeError('a template is not of this engine')
      return write(fuse(vectors))
    },
    compare: (one, other) => {
      const [a, b] = [read(one), read(other)]
      if (!a || !b) return null
      if (isCosine) return cosineSimilarity(a.numbers, b.numbers) * a.agreement * b.agreement
      return Math.sqrt(euclideanDistance(a.numbers, b.numbers) ** 2 + a.agreement + b.agreement)
    },
  }
}

function euclideanDistance(a: Float32Array, b: Float32Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0))
}
