/**
 * Fuses templates of one face to their mean direction, which reduces the effect of a shadow, a blink or noise in one
 * picture. Pure arithmetic.
 *
 * A mean is nearer to every template than its parts are, including those of other people: at dlib's cosine of 0.927 the
 * means of four photographs matched other people in 0.43 % of pairs, single photographs in 0.09 % (160 people, 28 Nov
 * 2026). The fused template therefore stores how well its pictures agree, and scores.ts corrects for it.
 */
import type { Template } from './embed.ts'
import { normalise } from './embed.ts'

/** Requires at least one template, all from the same networks and none already fused. */
export function fuseTemplates(templates: readonly Template[]): Template {
  const [first] = templates
  if (templates.length === 1) return first
  const dlib = fuseVectors(templates.map((template) => template.dlib))
  const seconds = templates.map(({ mobileFaceNet }) => mobileFaceNet).filter((numbers) => numbers !== null)
  const mobileFaceNet = seconds.length === templates.length ? fuseVectors(seconds) : null
  return {
    dlib: dlib.direction,
    mobileFaceNet: mobileFaceNet?.direction ?? null,
    agreement: { dlib: dlib.agreement, mobileFaceNet: mobileFaceNet?.agreement ?? 1 },
  }
}

function fuseVectors(units: readonly Float32Array[]): { direction: Float32Array; agreement: number } {
  const mean = units[0].map((_, i) => units.reduce((sum, unit) => sum + unit[i], 0) / units.length)
  return { direction: normalise(mean), agreement: Math.min(1, Math.hypot(...mean)) }
}
