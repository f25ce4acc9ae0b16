/** Marks an identity as a test although it was not created as one. */
import type { Evidence } from './evidence.ts'
import { findOutcome } from './judge.ts'
import type { TestCause } from './types.ts'

/** True if a specimen was shown, accepted or not. */
export function isSpecimen({ evaluation }: Pick<Evidence, 'evaluation'>): boolean {
  return findOutcome(evaluation, 'SPECIMEN_DOCUMENT') === 'failed'
}

/** Returns null if nothing in this evidence indicates a test. */
export function findTestCause(evidence: Pick<Evidence, 'evaluation' | 'content'>): TestCause | null {
  if (isSpecimen(evidence)) return 'SPECIMEN_DOCUMENT'
  return evidence.content.captureDetails?.pretendedCamera ? 'PRETENDED_CAMERA' : null
}
