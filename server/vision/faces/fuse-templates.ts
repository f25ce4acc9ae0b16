/**
 * Fuses templates of one face to their mean, which reduces the effect of a shadow, a blink or noise in one picture. Pure
 * arithmetic.
 *
 * A mean is nearer to every template than its parts are, including those of other people: at dlib's distance of 0.54 the
 * means of four photographs matched other people in 0.86 % of pairs, single photographs in 0.13 % (10 people, LFW, 21 Nov
 * 2026). The fused template therefore stores its spread, and scores.ts corrects for it.
 */
import type { Template } from './embed.ts'
import { normalise } from './embed.ts'

/** Requires at least one template, all from the same networks and none already fused. */
export function fuseTemplates(templates: readonly Template[]): Template {
  const [first] = templates
  if (templates.length === 1) return first
  const dlib = averageVectors(templates.map((template) => template.dlib))
  const cosines = templates.map(({ mobileFaceNet }) => mobileFaceNet).filter((numbers) => numbers !== null)
  const mean = cosines.length === templates.length ? averageVectors(cosines) : null
  const spread = {
    dlib:
      templates.reduce((sum, template) => sum + squaredDistance(template.dlib, dlib), 0) / templates.length,
    mobileFaceNet: mean ? Math.min(1, Math.hypot(...mean)) : 1,
  }
  return { dlib, mobileFaceNet: mean && normalise(mean), spread }
}

function averageVectors(vectors: readonly Float32Array[]): Float32Array {
  return vectors[0].map((_, i) => vectors.reduce((sum, vector) => sum + vector[i], 0) / vectors.length)
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0)
}
