/**
 * Whether a face shows that its person was there: by its liveness, or by the statement of the officer who attended
 * its capture. A picture file shows neither, whatever level it reaches. Kiosk and counter confirm by this rule.
 */
import type { Evidence } from './evidence.ts'

const SHOWS_PRESENCE = ['BIOMETRIC_LIVENESS_OK', 'ATTENDED_CAPTURE_OK']

export function showsPresence(positiveIndicators: readonly string[] = []): boolean {
  return positiveIndicators.some((indicator) => SHOWS_PRESENCE.includes(indicator))
}

/** A face from a capture session has the session's id; a face without one is a picture file. */
export function isFaceFromFile({ family, content }: Pick<Evidence, 'family' | 'content'>): boolean {
  return family === 'PORTRAIT' && content.sessionId === undefined
}
