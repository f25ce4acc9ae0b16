/** How a face is lit and shown in one picture. Numbers only; limits live in resources/thresholds.json. */
import type { Raster } from '../raster.ts'
import type { Box, FaceAppearance } from '../protocol.ts'
import type { MeshPoint } from './pose.ts'
import { measureQuality } from './quality.ts'

/** `points`: the 468 of the mesh; `box` around them. */
export function measureAppearance(raster: Raster, _points: readonly MeshPoint[], box: Box): FaceAppearance {
  return {
    ...measureQuality(raster, box),
    illuminationUniformity: null,
    backgroundUniformity: null,
    occludedShare: null,
  }
}
