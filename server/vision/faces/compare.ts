/** Compares two face templates with our loaded networks. Draws no conclusion about the person. */
import type { EngineScore, PointUse } from '../engines/engine.ts'
import type { ManifestPoint, Pack } from '../manifest.ts'
import { operatingPointFor } from '../manifest.ts'
import type { ModelUse } from '../protocol.ts'
import type { Sessions } from '../sessions.ts'
import { requireSession, listSessions } from '../sessions.ts'
import type { Template } from './embed.ts'
import { DLIB, MOBILEFACENET } from './embed.ts'
import { dlibCosine, fuseScores, mobileFaceNetCosine } from './scores.ts'

type Scored = EngineScore['scores'][number]

export interface TemplateComparer {
  readonly compare: (probe: Template, reference: Template) => EngineScore
  readonly points: Readonly<Record<PointUse, ManifestPoint>>
}

export function createTemplateComparer(sessions: Sessions): TemplateComparer {
  const packs: Pack[] = [...new Set(listSessions(sessions, 'face-embedding').map(({ pack }) => pack))]
  const findPoint = (use: PointUse): ManifestPoint => operatingPointFor(sessions.manifest, packs, use)
  const findModel = (id: string): ModelUse => requireSession(sessions, id).model
  return {
    points: { decision: findPoint('decision'), review: findPoint('review'), strict: findPoint('strict') },
    compare: (probe, reference) => {
      const first = dlibCosine(probe, reference)
      const byDlib: Scored = { model: findModel(DLIB), measure: 'cosine-similarity', value: first }
      const second = mobileFaceNetCosine(probe, reference)
      if (second === null) return { score: first, scores: [byDlib] }
      const bySecond: Scored = {
        model: findModel(MOBILEFACENET),
        measure: 'cosine-similarity',
        value: second,
      }
      return { score: fuseScores(second, first), scores: [byDlib, bySecond] }
    },
  }
}
