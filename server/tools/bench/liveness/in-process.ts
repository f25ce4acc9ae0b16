/**
 * Plays a session without HTTP, store or keys, with the same rules and measurements in this process. It is faster than
 * over HTTP and exposes all measurements, so limits are chosen with it. The protocol's own refusals are not tested.
 */
import { livenessSettings } from '../../../proofing/capture-session.ts'
import { decideLiveness } from '../../../proofing/liveness/decide.ts'
import type { LivenessLimits } from '../../../proofing/liveness/limits.ts'
import {
  advance,
  beginChallenge,
  getEnd,
  framesToKeep,
  chooseKeyFrames,
  getPrompt,
} from '../../../proofing/liveness/session.ts'
import { recordChallenge } from '../../../proofing/liveness/record.ts'
import type { ColourSet, UsedModel } from '../../../proofing/liveness/types.ts'
import type { LivenessType } from '../../../proofing/types.ts'
import { liveHint, toObservation } from '../../../verification/live-face.ts'
import { loadLivenessLimits } from '../../../verification/liveness-limits.ts'
import { loadThresholds } from '../../../verification/thresholds.ts'
import { createCalls, type CallTable } from '../../../vision/calls.ts'
import type { FaceFrame, ModelUse, TrackedPicture } from '../../../vision/protocol.ts'
import type { Sessions } from '../../../vision/sessions.ts'
import type { Screen } from '../../specimen/liveness/subject.ts'
import type { Channel, Channels, Verdict } from './channel.ts'

export function openInProcess(sessions: Sessions): Channels {
  const vision = createCalls(sessions)
  const [limits, thresholds] = [loadLivenessLimits(), loadThresholds()]
  return {
    open: async ({ type, tampering, random, colourSet }) => {
      if (tampering !== 'NONE') throw new TypeError('the protocol is tried over HTTP alone')
      return openOne({ vision, limits, thresholds, type, random, colourSet })
    },
    hasProtocol: false,
    models: sessions.models.map(({ id }) => id),
    close: async () => undefined,
  }
}

interface Tools {
  readonly vision: CallTable
  readonly limits: LivenessLimits
  readonly thresholds: ReturnType<typeof loadThresholds>
  readonly type: LivenessType
  readonly random: () => number
  readonly colourSet: ColourSet
}

function openOne({ vision, limits, thresholds, type, random, colourSet }: Tools): Channel {
  const defaults = { type, securityLevel: 'MEDIUM' } as const
  const settings = livenessSettings({ mode: 'nativeSDK', type }, defaults)
  const kept = new Map<number, TrackedPicture>()
  const models = new Map<string, UsedModel>()
  let challenge = beginChallenge(settings, (below) => Math.floor(random() * below), limits, colourSet)
  let sequence = 0
  let last: Float32Array | null = null

  const note = (used: readonly ModelUse[]): void => {
    for (const { id, version, sha256 } of used) models.set(id, { id, version, sha256 })
  }
  const screen = (seen: FaceFrame | null): Screen | null => {
    const prompt = getEnd(challenge) === null ? getPrompt(challenge) : null
    return prompt && { prompt, hint: seen ? liveHint(seen, challenge, thresholds) : 'SHOW_FACE' }
  }
  return {
    begin: async () => screen(null),
    async frame(image, atMs) {
      const seen = await vision.trackFace({ image, last })
      sequence++
      note(seen.models)
      challenge = advance(challenge, toObservation(seen, { sequence, atMs }, thresholds), limits)
      last = seen.face?.points ?? null
      if (seen.face) kept.set(sequence, { image, points: seen.face.points })
      const needed = framesToKeep(challenge)
      for (const number of kept.keys()) if (!needed.has(number)) kept.delete(number)
      return screen(seen)
    },
    async verdict(): Promise<Verdict> {
      const startedAt = performance.now()
      const keys = chooseKeyFrames(challenge)
      const picture = (number: number): TrackedPicture => {
        const found = kept.get(number)
        if (!found) throw new TypeError('a picture that the challenge asks for was not kept')
        return found
      }
      const measured =
        keys &&
        (await vision.measureLiveness({
          reference: picture(keys.reference),
          targets: keys.targets.map(picture),
          portraits: keys.portraits.map(picture),
        }))
      if (measured) note(measured.models)
      const session = { breach: null, models: [...models.values()] }
      const record = recordChallenge(settings, challenge, measured, session)
      const { outcome, code, reasons, measured: numbers } = decideLiveness(record, limits)
      return {
        isLive: outcome === 'passed',
        status: outcome,
        reasons: [...(code === null ? [] : [code]), ...reasons],
        measured: numbers,
        record,
        elapsedMs: performance.now() - startedAt,
      }
    },
  }
}
