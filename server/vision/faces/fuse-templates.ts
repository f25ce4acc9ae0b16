/**
 * Several pictures of one face → one template: the mean of their templates, so that what one picture alone adds (a
 * shadow, a blink, noise) counts less. Pure arithmetic.
 */
import type { Template } from './embed.ts'
import { normalise } from './embed.ts'

/** At least one, all made by the same networks. */
export function fuseTemplates(templates: readonly Template[]): Template {
  const [first] = templates
  if (templates.length === 1) return first
  const cosines = templates.map(({ mobileFaceNet }) => mobileFaceNet).filter((numbers) => numbers !== null)
  return {
    dlib: meanOf(templates.map(({ dlib }) => dlib)),
    mobileFaceNet: cosines.length === templates.length ? normalise(meanOf(cosines)) : null,
  }
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  return vectors[0].map((_, i) => vectors.reduce((sum, vector) => sum + vector[i], 0) / vectors.length)
}
