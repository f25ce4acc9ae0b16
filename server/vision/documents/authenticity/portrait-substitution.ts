/**
 * Measures signs of a replaced portrait. Different grain or compression indicates a portrait inserted into the picture; a
 * shadow along its border indicates one glued onto the page. Threshold and error rates are data.
 */
import type { GreyRaster, Raster } from '../../raster.ts'
import type { AuthenticitySignal } from '../../protocol.ts'
import type { Pyramid } from '../grey.ts'
import type { AuthenticityHints } from './region.ts'
import { foreignGrid, measureGrain } from './portrait-noise.ts'
import { reliefAround } from './portrait-relief.ts'
import { computeHull, pageQuad, scoreAt, textAngleDeg } from './region.ts'

/** Narrower portraits show no grain. */
const MIN_WIDTH_PX = 90
/**
 * Units: octaves of grain, strength of the second JPEG grid, brightness levels of the shadow. The shadow reaches 12 on
 * 162 genuine pictures (scenes of seeds 1001-1120 and real ones) and 23 to 62 on glued portraits of seeds 1001-1006 (21
 * November 2026).
 */
const LIMIT = { grainOctaves: 0.75, grid: 0.35, relief: 18 } as const

export function measurePortraitSubstitution(
  raster: Raster,
  pyramid: Pyramid,
  hints: AuthenticityHints,
): AuthenticitySignal {
  const signal = 'PORTRAIT_SUBSTITUTION'
  const { portrait } = hints
  const quad = pageQuad(raster, hints)
  const page = quad && computeHull(quad, raster)
  if (!portrait || !page || Math.min(portrait.width, portrait.height) < MIN_WIDTH_PX)
    return { signal, score: null, measures: {} }
  const grey: GreyRaster = pyramid[0]
  const around = computeHull(
    [
      { x: Math.max(page.x, portrait.x - portrait.width), y: Math.max(page.y, portrait.y - portrait.height) },
      {
        x: Math.min(page.x + page.width, portrait.x + 2 * portrait.width),
        y: Math.min(page.y + page.height, portrait.y + 2 * portrait.height),
      },
    ],
    raster,
  )
  const relief = hints.quad ? reliefAround(pyramid, portrait, hints.quad, textAngleDeg(hints)) : 0
  const grain = around && measureGrain(grey, portrait, around, page)
  // A shadow counts without measurable grain; a missing shadow does not exclude an inserted portrait.
  if (!grain)
    return {
      signal,
      score: relief >= LIMIT.relief ? scoreAt(relief, LIMIT.relief) : null,
      measures: { relief },
    }
  // Fine print makes a page look grainier than its sensor, and compression may remove all grain from a blank table. A
  // value between the two is therefore no sign.
  const grainOctaves = Math.max(
    Math.log2(Math.min(grain.outside, grain.beside) / grain.inside),
    Math.log2(grain.inside / Math.max(grain.outside, grain.beside)),
    0,
  )
  const grid = foreignGrid(grey, portrait, around)
  const score = Math.max(
    scoreAt(grainOctaves, LIMIT.grainOctaves),
    scoreAt(grid, LIMIT.grid),
    scoreAt(relief, LIMIT.relief),
  )
  return {
    signal,
    score,
    measures: {
      grainInside: grain.inside,
      grainOutside: grain.outside,
      grainBeside: grain.beside,
      grainOctaves,
      grid,
      relief,
    },
  }
}
