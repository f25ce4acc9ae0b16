/** Template and attack score of one picture, as the product measures them. */
import type { Engines, FaceTemplate } from '../../vision/engines/engine.ts'
import { createFaceTools } from '../../vision/faces/tools.ts'
import { EngineUnavailableError } from '../../vision/engines/engine.ts'
import { matchZone } from '../../proofing/match-zone.ts'
import type { Sessions } from '../../vision/sessions.ts'
import { engineFailed } from '../tool-engines.ts'
import { toText } from './job.ts'
import { readPicture } from './read-picture.ts'

/** Why there is no template or score. */
type FaceOutcome = 'ok' | 'unreadable' | 'no_face'

export interface MeasuredFace {
  readonly outcome: FaceOutcome
  readonly template: FaceTemplate | null
  /** Bona-fide probability, 0–1; null without attack networks or with too little background. */
  readonly padScore: number | null
}

/** `score` and `decision` are empty without an answer; `outcome` says why. */
export interface Scored {
  readonly score: string
  readonly decision: string
  readonly outcome: string
}

/** Measures the bytes of a picture file. Rejects with UsageError if the engine gives no answer. */
export function createFaceMeasurer(
  sessions: Sessions,
  engines: Engines,
): (picture: Uint8Array) => Promise<MeasuredFace> {
  const tools = createFaceTools(sessions, undefined, engines)
  return async (picture) => {
    const decoded = await readPicture(picture).catch(() => null)
    if (!decoded) return { outcome: 'unreadable', template: null, padScore: null }
    const { template, measurement, failure = measurement.padFailure } = await tools.preparePortrait(decoded)
    if (failure) throw engineFailed(failure)
    return { outcome: template ? 'ok' : 'no_face', template, padScore: measurement.pad?.score ?? null }
  }
}

/** Rejects with UsageError if the engine gives no answer. */
export async function scorePair(
  { faceMatching: engine }: Engines,
  probe: MeasuredFace,
  reference: MeasuredFace,
): Promise<Scored> {
  const failed =
    probe.outcome !== 'ok'
      ? `probe_${probe.outcome}`
      : reference.outcome !== 'ok'
        ? `reference_${reference.outcome}`
        : null
  if (failed || !probe.template || !reference.template)
    return { score: '', decision: '', outcome: failed ?? 'ok' }
  const [compared] = await engine.compare(probe.template, [reference.template]).catch((error: unknown) => {
    if (!(error instanceof EngineUnavailableError)) throw error
    throw engineFailed({ engine: engine.about, trouble: error.trouble })
  })
  if (!compared) return { score: '', decision: '', outcome: 'ok' }
  const { decision, review } = engine.points
  const { score } = compared
  const limits = { measure: decision.measure, decision: decision.threshold, review: review.threshold }
  return {
    score: toText(score),
    decision: matchZone({ ...limits, score }).replace('-', '_'),
    outcome: 'ok',
  }
}

/** @param limit scores below it look like an attack */
export function scoreAttack({ outcome, padScore }: MeasuredFace, limit: number): Scored {
  return {
    score: toText(padScore),
    decision: padScore === null ? '' : padScore >= limit ? 'bona_fide' : 'attack',
    outcome: outcome === 'ok' && padScore === null ? 'too_little_background' : outcome,
  }
}
