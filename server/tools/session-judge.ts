/**
 * One liveness session with the product's rules and measurements, without HTTP, store or keys. It checks no frame
 * signatures and reads no clock: the caller gives each picture its time.
 */
import type { LivenessSettings } from '../proofing/capture-session.ts'
import { decideLiveness, type LivenessVerdict } from '../proofing/liveness/decide.ts'
import type { LivenessLimits } from '../proofing/liveness/limits.ts'
import { recordChallenge } from '../proofing/liveness/record.ts'
import {
  advanceSession,
  beginChallenge,
  chooseKeyFrames,
  framesToKeep,
  getEnd,
  getPrompt,
} from '../proofing/liveness/session.ts'
import type {
  ColourSet,
  Draw,
  LiveObservation,
  LivenessPrompt,
  OwnLivenessRecord,
  SessionBreach,
  UsedModel,
} from '../proofing/liveness/types.ts'
import type { PortraitHint } from '../proofing/portrait-quality.ts'
import { liveHint, toObservation } from '../verification/live-face.ts'
import type { loadThresholds } from '../verification/thresholds.ts'
import type { CallTable } from '../vision/calls.ts'
import type { FaceFrame, ModelUse, TrackedPicture } from '../vision/protocol.ts'

export interface JudgeTools {
  readonly vision: CallTable
  readonly limits: LivenessLimits
  readonly thresholds: ReturnType<typeof loadThresholds>
}

interface JudgedSession {
  readonly settings: LivenessSettings
  readonly draw: Draw
  readonly colourSet: ColourSet
  readonly cameraMoves?: boolean
  readonly emptyScene?: Uint8Array | null
}

interface SessionJudge {
  /** Null after the end. */
  getPrompt(): LivenessPrompt | null
  /** Returns the hint for the applicant. Throws ImageFaultError for a picture that cannot be read. */
  addFrame(image: Uint8Array, at: Pick<LiveObservation, 'sequence' | 'atMs' | 'ownMs'>): Promise<PortraitHint>
  /** Measures the key frames and decides. `breach`: of the protocol, which this judge does not check. */
  decide(breach: SessionBreach | null): Promise<{ verdict: LivenessVerdict; record: OwnLivenessRecord }>
}

export function openSessionJudge(
  { vision, limits, thresholds }: JudgeTools,
  session: JudgedSession,
): SessionJudge {
  const { settings, draw, colourSet, cameraMoves, emptyScene } = session
  const kept = new Map<number, TrackedPicture>()
  const models = new Map<string, UsedModel>()
  let challenge = beginChallenge(settings, draw, limits, colourSet)
  let last: Float32Array | null = null

  const note = (used: readonly ModelUse[]): void => {
    for (const { id, version, sha256 } of used) models.set(id, { id, version, sha256 })
  }
  const picture = (number: number): TrackedPicture => {
    const found = kept.get(number)
    if (!found) throw new TypeError('a picture that the challenge asks for was not kept')
    return found
  }
  return {
    getPrompt: () => (getEnd(challenge) === null ? getPrompt(challenge) : null),
    async addFrame(image, at) {
      const seen: FaceFrame = await vision.trackFace({ image, last })
      note(seen.models)
      challenge = advanceSession(challenge, toObservation(seen, at, thresholds), limits)
      last = seen.face?.points ?? null
      if (seen.face) kept.set(at.sequence, { image, points: seen.face.points })
      const needed = framesToKeep(challenge)
      for (const number of kept.keys()) if (!needed.has(number)) kept.delete(number)
      return liveHint(seen, challenge, thresholds)
    },
    async decide(breach) {
      const keys = breach ? null : chooseKeyFrames(challenge)
      const measured =
        keys &&
        (await vision.measureLiveness({
          reference: picture(keys.reference),
          targets: keys.targets.map(picture),
          portraits: keys.portraits.map(picture),
          ...(emptyScene ? { emptyScene } : {}),
          ...(cameraMoves === undefined ? {} : { cameraMoves }),
        }))
      if (measured) note(measured.models)
      const record = recordChallenge(settings, challenge, measured, { breach, models: [...models.values()] })
      return { verdict: decideLiveness(record, limits), record }
    },
  }
}
