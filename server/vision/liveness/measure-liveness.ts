/** A session's chosen pictures held against each other: depth, one person all along, the best still, the empty scene. */
import type { FaceTools } from '../faces/tools.ts'
import type { LivenessMeasurement, VisionCalls } from '../protocol.ts'
import type { Sessions } from '../sessions.ts'

export type LivenessMeter = (input: VisionCalls['measureLiveness']['input']) => Promise<LivenessMeasurement>

export function createLivenessMeter(
  _sessions: Sessions,
  _faces: FaceTools,
  _now: () => number,
): LivenessMeter {
  return async () => {
    throw new TypeError('not written yet')
  }
}
