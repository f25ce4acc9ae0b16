/** Builds the stored record of a session on this appliance: everything drawn, prompted and measured. Judges nothing. */
import type { LivenessSettings } from '../capture-session.ts'
import { getTrace, type ChallengeSequence } from './session.ts'
import type { OwnLivenessRecord } from './types.ts'

type Measured = Pick<OwnLivenessRecord, 'depth' | 'continuity' | 'sceneChange' | 'screen'>

/** `measured`: null if the pictures were not compared. */
export function recordChallenge(
  { livenessType, securityLevel }: LivenessSettings,
  challenge: ChallengeSequence,
  measured: Measured | null,
  { breach, models }: Pick<OwnLivenessRecord, 'breach' | 'models'>,
): OwnLivenessRecord {
  return {
    source: 'appliance',
    livenessType,
    securityLevel,
    trace: getTrace(challenge),
    breach,
    depth: measured?.depth ?? null,
    continuity: measured?.continuity ?? null,
    sceneChange: measured?.sceneChange ?? null,
    screen: measured?.screen ?? null,
    models,
  }
}
