/** Decides which faces become templates, and how long the index of duplicate faces keeps them. */
import type { Evidence } from './evidence.ts'
import { DAY_MS } from './time.ts'

/**
 * Requires a portrait of sufficient quality and, from a capture session, proven liveness. A match with the document is
 * not required, because users of other people's documents must be found too.
 */
export function deservesTemplate({ family, deletedAt, content, evaluation }: Evidence): boolean {
  const { positiveIndicators } = evaluation
  const isLive = content.sessionId === undefined || positiveIndicators.includes('BIOMETRIC_LIVENESS_OK')
  return (
    family === 'PORTRAIT' &&
    deletedAt === null &&
    isLive &&
    positiveIndicators.includes('BIOMETRIC_QUALITY_CHECK_OK')
  )
}

export function indexedUntil(madeAt: Date, retentionDays: number): Date {
  return new Date(madeAt.getTime() + retentionDays * DAY_MS)
}
