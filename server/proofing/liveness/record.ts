/** What is kept of a session of this appliance, of all that was drawn, asked and measured in it. Judges nothing. */
import type { LivenessSettings } from '../capture-session.ts'
import { traceOf, type Course } from './session.ts'
import type { OwnLivenessRecord } from './types.ts'

type Measured = Pick<OwnLivenessRecord, 'depth' | 'continuity' | 'sceneChange'>

/** `measured`: null where the pictures were not compared with each other. */
export function recordOfCourse(
  { livenessType, securityLevel }: LivenessSettings,
  course: Course,
  measured: Measured | null,
  { breach, models }: Pick<OwnLivenessRecord, 'breach' | 'models'>,
): OwnLivenessRecord {
  return {
    source: 'appliance',
    livenessType,
    securityLevel,
    trace: traceOf(course),
    breach,
    depth: measured?.depth ?? null,
    continuity: measured?.continuity ?? null,
    sceneChange: measured?.sceneChange ?? null,
    models,
  }
}
