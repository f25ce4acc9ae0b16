/** Decodes the output of BlazeFace (256 × 256, back camera): anchors, boxes, landmarks. Pure arithmetic. */
import type { Box, Point } from '../protocol.ts'

export const BLAZEFACE_PX = 256

export interface DetectedFace {
  readonly box: Box
  /** 0–1 */
  readonly score: number
  /** Right and left as seen by the person in the picture. */
  readonly landmarks: {
    readonly rightEye: Point
    readonly leftEye: Point
    readonly nose: Point
    readonly mouth: Point
  }
}

/** Two anchors per cell of a 16 × 16 grid, then six per cell of an 8 × 8 grid: centres as shares of the input's side. */
const ANCHORS: readonly Point[] = [
  { cells: 16, perCell: 2 },
  { cells: 8, perCell: 6 },
].flatMap(({ cells, perCell }) =>
  Array.from({ length: cells * cells * perCell }, (_, i) => {
    const cell = Math.floor(i / perCell)
    return { x: ((cell % cells) + 0.5) / cells, y: (Math.floor(cell / cells) + 0.5) / cells }
  }),
)
/** Numbers of an anchor: centre, size, then six points: right eye, left eye, nose, mouth, right ear, left ear. */
const NUMBERS_PER_ANCHOR = 16

/**
 * Faces with at least the given score, before overlaps are removed. `logits`: 512 + 384 numbers; `regressions`: (512 +
 * 384) · 16 numbers. Coordinates are shares of the input's side, 0–1.
 */
export function decodeBlazeface(
  logits: readonly [Float32Array, Float32Array],
  regressions: readonly [Float32Array, Float32Array],
  minScore: number,
): DetectedFace[] {
  const faces: DetectedFace[] = []
  let anchor = 0
  for (let part = 0; part < 2; part++)
    for (let i = 0; i < logits[part].length; i++, anchor++) {
      const score = 1 / (1 + Math.exp(-logits[part][i]))
      if (score < minScore) continue
      const value = (k: number): number => regressions[part][i * NUMBERS_PER_ANCHOR + k] / BLAZEFACE_PX
      const point = (k: number): Point => ({
        x: ANCHORS[anchor].x + value(k),
        y: ANCHORS[anchor].y + value(k + 1),
      })
      const centre = point(0)
      const [width, height] = [value(2), value(3)]
      faces.push({
        box: { x: centre.x - width / 2, y: centre.y - height / 2, width, height },
        score,
        landmarks: { rightEye: point(4), leftEye: point(6), nose: point(8), mouth: point(10) },
      })
    }
  return faces
}
