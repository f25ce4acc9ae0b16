/** Maps parts of a face to points of the face mesh, and samples the pixels there. Judges nothing. */
import type { Point } from '../protocol.ts'
import type { Raster } from '../raster.ts'

/** Right and left as seen by the person in the picture. Indices of MediaPipe's face mesh. */
export const FACE_REGIONS = {
  foreheadRight: [104, 69, 108, 107, 66, 105, 67],
  foreheadLeft: [333, 299, 337, 336, 296, 334, 297],
  eyeRight: [
    33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7, 247, 30, 29, 27, 28, 56, 110,
    24, 23, 22, 26, 25, 130, 31, 228, 229, 230, 231, 226, 113, 225, 224, 223, 222, 221, 189,
  ],
  eyeLeft: [
    263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249, 467, 260, 259, 257, 258,
    286, 339, 254, 253, 252, 256, 255, 359, 261, 448, 449, 450, 451, 446, 342, 445, 444, 443, 442, 441, 413,
  ],
  cheekRight: [117, 118, 101, 36, 205, 187, 123, 50, 147, 192, 213, 207, 206, 216, 116, 111],
  cheekLeft: [346, 347, 330, 266, 425, 411, 352, 280, 376, 416, 433, 427, 426, 436, 345, 340],
  nose: [
    6, 197, 195, 5, 4, 122, 351, 196, 419, 3, 248, 51, 281, 45, 275, 220, 440, 198, 420, 131, 360, 115, 344,
  ],
  chin: [
    152, 175, 199, 200, 18, 83, 313, 182, 406, 201, 421, 208, 428, 171, 396, 148, 377, 32, 262, 140, 369, 176,
    400,
  ],
} as const
export type FaceRegion = keyof typeof FACE_REGIONS

/** A point represents a square with this half side, in head widths. */
const HALF_SIDE = 0.012
/** Maximum samples per direction in a square. */
const MAX_ACROSS = 5

/** Calls `see` with the three bytes of each place around the point inside the picture. */
export function visitPixels(
  { data, width, height }: Raster,
  { x, y }: Point,
  headWidthPx: number,
  see: (r: number, g: number, b: number) => void,
): void {
  const half = Math.max(1, Math.round(headWidthPx * HALF_SIDE))
  const step = Math.ceil((2 * half + 1) / MAX_ACROSS)
  const [column, row] = [Math.round(x), Math.round(y)]
  for (let dy = -half; dy <= half; dy += step)
    for (let dx = -half; dx <= half; dx += step) {
      const [px, py] = [column + dx, row + dy]
      if (px < 0 || py < 0 || px >= width || py >= height) continue
      const at = (py * width + px) * 3
      see(data[at], data[at + 1], data[at + 2])
    }
}
