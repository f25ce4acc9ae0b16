/** Liveness records as sessions of a live person leave them, to be made worse. */
import { play, settingsOf } from './simulated-subject.ts'
import { getTrace } from '../../../../server/proofing/liveness/session.ts'
import type {
  ColourTrace,
  ExternalLivenessRecord,
  OwnLivenessRecord,
  UsedModel,
} from '../../../../server/proofing/liveness/types.ts'
import { SCREEN_SHINE } from '../../../../server/proofing/liveness/types.ts'
import type { LivenessType } from '../../../../server/proofing/types.ts'

const SHA = 'a'.repeat(64)
export const CORE_MODELS: readonly UsedModel[] = [{ id: 'face-mesh-468', version: '1', sha256: SHA }]
export const ALL_MODELS: readonly UsedModel[] = [
  ...CORE_MODELS,
  { id: 'minifasnet-v2-2.7', version: '1', sha256: SHA },
]

/** Scale and thresholds of the continuity, without its measurement. */
export const CONTINUITY = {
  measure: 'cosine-similarity',
  thresholds: { decision: 0.93, review: 0.915 },
} as const

/** The screen's light comes back from the skin, a tenth of the room's. */
export function reflected(colours: readonly ColourTrace[], share = 0.15): readonly ColourTrace[] {
  return colours.map((trace) => {
    const [r, g, b] = SCREEN_SHINE[trace.colour]
    const skin = { r: 0.4 * (1 + share * r), g: 0.3 * (1 + share * g), b: 0.25 * (1 + share * b) }
    return { ...trace, skin, forehead: skin }
  })
}

/** As an obedient person leaves it who is measured well. */
export function liveRecord(
  livenessType: LivenessType,
  over: Partial<OwnLivenessRecord> = {},
): OwnLivenessRecord {
  const trace = getTrace(play(settingsOf(livenessType)).challenge)
  return {
    source: 'appliance',
    livenessType,
    securityLevel: 'MEDIUM',
    trace: { ...trace, colours: reflected(trace.colours) },
    breach: null,
    depth: { depth: 0.85, explainedShare: 0.65, residualPx: 0.4, views: 4, points: 300, approach: 0.55 },
    continuity: { ...CONTINUITY, worst: 0.95, compared: 8 },
    sceneChange: null,
    screen: { sceneMoved: 0, frontEdge: 0.1 },
    models: ALL_MODELS,
    ...over,
  }
}

export function externalRecord(over: Partial<ExternalLivenessRecord> = {}): ExternalLivenessRecord {
  return {
    source: 'external',
    livenessType: 'LIVENESS_ACTIVE',
    securityLevel: 'MEDIUM',
    service: 'biometrics',
    serviceVersion: '4.2',
    outcome: 'passed',
    score: 0.97,
    threshold: 0.8,
    ...over,
  }
}
