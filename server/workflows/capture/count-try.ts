/** Counts the tries of a visit: each submitted capture and each typed passcode. Notes a refused face at the counter. */
import type { Context } from '../../context.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { isFaceMismatch } from '../../proofing/face-mismatch.ts'

/** A file says nothing about the camera, so its code differs. */
const STEP_OF = {
  DOCUMENT: 'document',
  DOCUMENT_FILE: 'document',
  PORTRAIT: 'portrait',
  PORTRAIT_FILE: 'portrait',
  PASSCODE: 'phone',
} as const
/** Codes of tries with a camera picture. */
export const CAMERA_TRIES: readonly string[] = ['DOCUMENT', 'PORTRAIT'] satisfies (keyof typeof STEP_OF)[]

/**
 * Must run inside a transaction. An identity without a running visit (of a relying service) is not counted.
 */
export function countTry({ store, clock }: Context, identityId: string, code: keyof typeof STEP_OF): void {
  const visit = store.visits.findByIdentity(identityId)
  if (!visit || visit.endedAt !== null) return
  store.visits.note({ visitId: visit.id, at: clock.now(), step: STEP_OF[code], kind: 'TRY', code })
}

/**
 * Must run inside a transaction. The note stays with the visit, also if the face is replaced or the identity erased. The
 * kiosk notes the ends of its own tries.
 */
export function noteMismatch(
  { store, clock }: Context,
  { identityId, family, evaluation }: Pick<Evidence, 'identityId' | 'family' | 'evaluation'>,
): void {
  if (family !== 'PORTRAIT' || !isFaceMismatch(evaluation)) return
  const visit = store.visits.findByIdentity(identityId)
  if (visit?.channel !== 'COUNTER' || visit.endedAt !== null) return
  const about = { visitId: visit.id, at: clock.now(), step: STEP_OF.PORTRAIT }
  store.visits.note({ ...about, kind: 'END', code: 'PORTRAIT_DIFFERS' })
}
