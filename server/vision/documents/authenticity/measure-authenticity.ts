/**
 * Owns what a picture shows of how its document was made: the shapes of its zone, the border of its portrait, a display's
 * grid, its colours. Scores with their measures, null where a picture does not allow to measure; no verdict.
 */
import type { Raster } from '../../raster.ts'
import type { AuthenticityMeasurement, VisionCalls } from '../../protocol.ts'
import type { Pyramid } from '../grey.ts'
import { measurePhotocopy } from './photocopy.ts'
import { measurePortraitSubstitution } from './portrait-substitution.ts'
import { measureScreenRecapture } from './screen-recapture.ts'
import { measureZoneGlyphs } from './zone-glyphs.ts'

export type AuthenticityHints = Omit<VisionCalls['measureAuthenticity']['input'], 'image'>

/** `pyramid`: of the same picture. */
export async function measureAuthenticity(
  raster: Raster,
  pyramid: Pyramid,
  hints: AuthenticityHints,
  now: () => number,
): Promise<AuthenticityMeasurement> {
  const startedAt = now()
  const signals = [
    await measureZoneGlyphs(pyramid, hints.zone),
    measurePortraitSubstitution(raster, pyramid, hints),
    measureScreenRecapture(raster, hints),
    measurePhotocopy(raster, hints),
  ]
  return { signals, models: [], elapsedMs: now() - startedAt }
}
