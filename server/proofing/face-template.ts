/** Whose face becomes a template, and until when the index of duplicate faces holds it. */
import type { Evidence } from './evidence.ts'
import { DAY_MS } from './time.ts'

/**
 * A portrait whose quality is good enough to be compared; of a capture session, only one that a live person stood for.
 * Whether it matches the document says nothing about that: who comes with somebody else's document is looked for, too.
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
