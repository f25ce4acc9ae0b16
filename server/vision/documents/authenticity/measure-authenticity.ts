/** What a picture shows of how its document was made. Scores with their measures; no verdict. */
import type { Raster } from '../../image.ts'
import { AUTHENTICITY_SIGNALS, type AuthenticityMeasurement, type VisionCalls } from '../../protocol.ts'

export type AuthenticityHints = Omit<VisionCalls['measureAuthenticity']['input'], 'image'>

export async function measureAuthenticity(
  _raster: Raster,
  _hints: AuthenticityHints,
  now: () => number,
): Promise<AuthenticityMeasurement> {
  const startedAt = now()
  return {
    signals: AUTHENTICITY_SIGNALS.map((signal) => ({ signal, score: null, measures: {} })),
    models: [],
    elapsedMs: now() - startedAt,
  }
}
