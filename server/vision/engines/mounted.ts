/** The common part of every mounted engine: its name in the manifest, and its state when it cannot be used. */
import type { ModelUse, OperatingPoint } from '../protocol.ts'
import {
  EngineUnavailableError,
  type AttackDetectionEngine,
  type Engine,
  type EngineTrouble,
  type FaceMatchEngine,
  type OperatingPoints,
} from './engine.ts'
import type { AttackEngineManifest, FaceEngineManifest } from './engine-manifest.ts'

export function describeMounted({
  id,
  version,
  card,
  runtime: { sha256 },
}: FaceEngineManifest | AttackEngineManifest): Pick<Engine, 'about' | 'card' | 'models'> {
  const about: ModelUse = { id, version, sha256 }
  return { about, card, models: [about] }
}

export function listPoints({ measure, points }: FaceEngineManifest): OperatingPoints {
  const withMeasure = (point: (typeof points)['decision']): OperatingPoint => ({ ...point, measure })
  return {
    decision: withMeasure(points.decision),
    review: withMeasure(points.review),
    strict: withMeasure(points.strict),
  }
}

/** Answers nothing: its file is missing, changed or no network. No other engine takes its place. */
export function refuseFaceEngine(manifest: FaceEngineManifest, fault: string): FaceMatchEngine {
  const refuse = rejectWith('refused')
  return {
    ...describeMounted(manifest),
    points: listPoints(manifest),
    fault,
    check: async () => 'refused',
    embed: refuse,
    fuse: refuse,
    compare: refuse,
  }
}

export function refuseAttackEngine(manifest: AttackEngineManifest, fault: string): AttackDetectionEngine {
  return {
    ...describeMounted(manifest),
    point: manifest.point,
    fault,
    check: async () => 'refused',
    score: rejectWith('refused'),
  }
}

const rejectWith = (trouble: EngineTrouble) => async (): Promise<never> => {
  throw new EngineUnavailableError(trouble)
}
