/**
 * Compares two face templates with the loaded networks and relates the score to their operating points. Draws no
 * conclusion about the person.
 */
import type { ManifestPoint, Pack } from '../manifest.ts'
import { operatingPointFor, toOperatingPoint } from '../manifest.ts'
import type { FaceComparison, ModelUse } from '../protocol.ts'
import type { Sessions } from '../sessions.ts'
import { requireSession, listSessions } from '../sessions.ts'
import type { Template } from './embed.ts'
import { DLIB, MOBILEFACENET } from './embed.ts'
import { dlibCosine, fuseScores, isAtOrBeyond, mobileFaceNetCosine } from './scores.ts'

export type TemplateComparison = NonNullable<FaceComparison['comparison']>
type Scored = TemplateComparison['scores'][number]

export interface TemplateComparer {
  readonly compare: (probe: Template, reference: Template) => TemplateComparison
  /** True if the faces are similar enough for a human review; otherwise it is another person's face. */
  readonly isPlausible: (probe: Template, other: Template) => boolean
  /** Operating point for 1:N searches. */
  readonly strict: () => ManifestPoint
}

export function createTemplateComparer(sessions: Sessions): TemplateComparer {
  const packs: Pack[] = [...new Set(listSessions(sessions, 'face-embedding').map(({ pack }) => pack))]
  const [decision, review, strict] = (['decision', 'review', 'strict'] as const).map((use) =>
    operatingPointFor(sessions.manifest, packs, use),
  )
  const findModel = (id: string): ModelUse => requireSession(sessions, id).model

  function computeScores(probe: Template, reference: Template): { score: number; scores: readonly Scored[] } {
    const first = dlibCosine(probe, reference)
    const byDlib: Scored = { model: findModel(DLIB), measure: 'cosine-similarity', value: first }
    const second = mobileFaceNetCosine(probe, reference)
    if (second === null) return { score: first, scores: [byDlib] }
    const bySecond: Scored = { model: findModel(MOBILEFACENET), measure: 'cosine-similarity', value: second }
    return { score: fuseScores(second, first), scores: [byDlib, bySecond] }
  }

  return {
    strict: () => strict,
    compare: (probe, reference) => {
      const { score, scores } = computeScores(probe, reference)
      return {
        score,
        operatingPoint: toOperatingPoint(decision),
        reviewPoint: toOperatingPoint(review),
        atOrBeyondThreshold: isAtOrBeyond(decision.measure, score, decision.threshold),
        scores,
      }
    },
    isPlausible: (probe, other) =>
      isAtOrBeyond(review.measure, computeScores(probe, other).score, review.threshold),
  }
}
