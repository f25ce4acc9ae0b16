/** The line between the lips and the outlines of both lips. */
import { bell } from './distance.ts'
import type { Sitting } from './identity.ts'

/** Heights (y, cm) above and below one x; `at` fills them on every call. */
interface LipLines {
  line: number
  upperEdge: number
  lowerEdge: number
  /** 1 in the middle, 0 at the corners, negative beyond. */
  weight: number
}

export interface Mouth {
  readonly y: number
  readonly halfWidth: number
  /** Gap between the lips, cm. */
  readonly open: number
  /** The next call reuses the result. */
  at(x: number): LipLines
}

export function createMouth({ who, expression }: Sitting): Mouth {
  const { mouth, asymmetry } = who
  const { smile, mouthOpen } = expression
  const halfWidth = mouth.halfWidth * (1 + 0.14 * smile - 0.08 * mouthOpen)
  const lines: LipLines = { line: 0, upperEdge: 0, lowerEdge: 0, weight: 0 }
  return {
    y: mouth.y,
    halfWidth,
    open: mouthOpen,
    at(x) {
      const u = x / halfWidth
      const w = Math.max(0, 1 - u * u)
      lines.weight = 1 - u * u
      lines.line =
        mouth.y +
        0.55 * smile * u * u * Math.min(1.4, u * u + 0.3) -
        0.035 * (1 - u * u) -
        0.06 * bell(x, 0.5) +
        0.03 * asymmetry * u
      const cupidsBow = 1 - 0.28 * bell(x, 0.32) + 0.1 * bell(Math.abs(x) - 0.55, 0.4)
      lines.upperEdge = lines.line + mouth.upperLip * (1 - 0.25 * smile) * Math.pow(w, 0.7) * cupidsBow
      lines.lowerEdge = lines.line - mouth.lowerLip * (1 - 0.2 * smile) * Math.pow(w, 0.62)
      return lines
    },
  }
}
