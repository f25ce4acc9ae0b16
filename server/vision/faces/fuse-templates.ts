/**
 * Several pictures of one face → one template: the mean of their templates, so that what one picture alone adds (a
 * shadow, a blink, noise) counts less. Pure arithmetic.
 *
 * A mean lies nearer to everybody than its parts do, strangers included: at dlib's distance of 0.54 the means of four
 * photographs matched strangers in 0.86 % of pairs, single photographs in 0.13 % (10 people, LFW, 21 Nov 2026). So the
 * mean remembers how far apart its pictures were, and scores.ts takes that off again.
 */
import type { Template } from './embed.ts'
import { normalise } from './embed.ts'

/** At least one, all made by the same networks and none of them fused before. */
export function fuseTemplates(templates: readonly Template[]): Template {
  const [first] = templates
  if (templates.length === 1) return first
  const dlib = meanOf(templates.map((template) => template.dlib))
  const cosines = templates.map(({ mobileFaceNet }) => mobileFaceNet).filter((numbers) => numbers !== null)
  const mean = cosines.length === templates.length ? meanOf(cosines) : null
  const spread = {
    dlib:
      templates.reduce((sum, template) => sum + squaredDistance(template.dlib, dlib), 0) / templates.length,
    mobileFaceNet: mean ? Math.min(1, Math.hypot(...mean)) : 1,
  }
  return { dlib, mobileFaceNet: mean && normalise(mean), spread }
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  return vectors[0].map((_, i) => vectors.reduce((sum, vector) => sum + vector[i], 0) / vectors.length)
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0)
}
