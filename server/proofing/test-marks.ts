/** Marks an identity as a test although it was not created as one. */
import type { Evidence } from './evidence.ts'
import { outcomeOf } from './judge.ts'
import type { TestCause } from './types.ts'

/** True if a specimen was shown, accepted or not. */
export function isSpecimen({ evaluation }: Pick<Evidence, 'evaluation'>): boolean {
  return outcomeOf(evaluation, 'SPECIMEN_DOCUMENT') === 'failed'
}

/** Returns null if nothing in this evidence indicates a test. */
export function testCauseOf(evidence: Pick<Evidence, 'evaluation' | 'content'>): TestCause | null {
  if (isSpecimen(evidence)) return 'SPECIMEN_DOCUMENT'
  return evidence.content.captureDetails?.pretendedCamera ? 'PRETENDED_CAMERA' : null
}
