/**
 * Measures authenticity signals on a picture: glyphs of the MRZ, border of the portrait, screen grid, colours. Scores are
 * null where the picture does not allow a measurement. Gives no verdict.
 */
import type { Raster } from '../../raster.ts'
import type { AuthenticityMeasurement } from '../../protocol.ts'
import type { Pyramid } from '../grey.ts'
import { measurePhotocopy } from './photocopy.ts'
import { measurePortraitSubstitution } from './portrait-substitution.ts'
import type { AuthenticityHints } from './region.ts'
import { measureScreenRecapture } from './screen-recapture.ts'
import { measureMrzGlyphs } from './mrz-glyphs.ts'

/** `pyramid`: pyramid of the same picture. */
export async function measureAuthenticity(
  raster: Raster,
  pyramid: Pyramid,
  hints: AuthenticityHints,
  now: () => number,
): Promise<AuthenticityMeasurement> {
  const startedAt = now()
  const signals = [
    await measureMrzGlyphs(pyramid, hints.mrz),
    measurePortraitSubstitution(raster, pyramid, hints),
    measureScreenRecapture(raster, hints),
    measurePhotocopy(raster, hints),
  ]
  return { signals, models: [], elapsedMs: now() - startedAt }
}
