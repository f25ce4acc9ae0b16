/**
 * Whether a face shows that its person was there: by its liveness, or by the statement of the officer who attended
 * its capture. A picture file shows neither, whatever level it reaches or an officer says. Kiosk and counter confirm by
 * this rule.
 */
import type { Evidence } from './evidence.ts'

export function showsPresence(positiveIndicators: readonly string[] = []): boolean {
  return positiveIndicators.includes('BIOMETRIC_LIVENESS_OK') || showsAttendance(positiveIndicators)
}

/** The officer's statement alone, for a capture that the officer takes in place of the machine. */
export function showsAttendance(positiveIndicators: readonly string[] = []): boolean {
  return positiveIndicators.includes('ATTENDED_CAPTURE_OK')
}

/**
 * A captured document that no camera of the appliance took, in a capture session or on the counter: a picture file does not
 * show when and where it was taken.
 */
export function isDocumentFromFile({ family, content }: Pick<Evidence, 'family' | 'content'>): boolean {
  const isByCamera =
    content.sessionId !== undefined || content.captureDetails?.source === 'LIVE_CAPTURE_IMAGE'
  return family === 'IDDOCUMENT' && content.submittedAsText !== true && !isByCamera
}

/** A picture file shows not when and where it was taken, so no officer can attest it. */
export const isFromFile = (evidence: Pick<Evidence, 'family' | 'content'>): boolean =>
  isFaceFromFile(evidence) || isDocumentFromFile(evidence)

/** A face from a capture session has the session's id; a face without one is a picture file. */
export function isFaceFromFile({ family, content }: Pick<Evidence, 'family' | 'content'>): boolean {
  return family === 'PORTRAIT' && content.sessionId === undefined
}
