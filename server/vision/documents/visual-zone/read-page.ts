/** The straightened page → its text with the place of every word. Never says what a word means. */
import type { Raster } from '../../image.ts'
import type { PageText, Quad, QuarterTurn } from '../../protocol.ts'

export async function readPage(
  raster: Raster,
  _quad: Quad | null,
  _rotationDeg: QuarterTurn | null,
  _now: () => number,
): Promise<PageText> {
  return {
    lines: [],
    widthPx: raster.width,
    heightPx: raster.height,
    scriptsNotRead: [],
    models: [],
    elapsedMs: 0,
  }
}
