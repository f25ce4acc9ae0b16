/** Output of an outline proposer, input of the common refinement. */
import type { DocumentOutline, Quad } from '../../protocol.ts'

export interface Proposal {
  /** Unit: pixels of the picture, clockwise. */
  readonly quad: Quad
  readonly foundBy: DocumentOutline['foundBy']
  /** The proposer's confidence, 0–1; comparable only within one proposer. */
  readonly score: number
  /** The first corner is the upper left corner of the upright content. */
  readonly isUpright: boolean
}

/** Side i runs from corner i to the next. */
export const SIDES = [0, 1, 2, 3] as const

/** True for clockwise corners with angles below 180 degrees. */
export function isConvex(quad: Quad): boolean {
  return SIDES.every((i) => {
    const [a, b, c] = [quad[i], quad[(i + 1) % 4], quad[(i + 2) % 4]]
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 0
  })
}
