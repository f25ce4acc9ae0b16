/** What a proposer of outlines hands to the common refinement, and what is asked of any quadrilateral. */
import type { DocumentOutline, Quad } from '../../protocol.ts'

export interface Proposal {
  /** In pixels of the picture, clockwise as seen. */
  readonly quad: Quad
  readonly foundBy: DocumentOutline['foundBy']
  /** The proposer's own trust, 0–1; comparable within one proposer only. */
  readonly score: number
  /** The first corner is the upper left one of the upright content. */
  readonly isUpright: boolean
}

/** Side i runs from corner i to the next. */
export const SIDES = [0, 1, 2, 3] as const

/** Clockwise in the picture, without a corner of 180 degrees or more. */
export function isConvex(quad: Quad): boolean {
  return SIDES.every((i) => {
    const [a, b, c] = [quad[i], quad[(i + 1) % 4], quad[(i + 2) % 4]]
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 0
  })
}
