/** The part of a picture that a person before the camera may cover, from the box of the face. */
import type { Box } from '../protocol.ts'

/**
 * Area that the person covers, relative to the mesh's box: hair, headscarf, ears; from the chin on shoulders and arms:
 * the full width below, sloping up to the neck.
 */
const PERSON = { side: 0.45, above: 0.6, shoulder: 1.6, neck: 0.05 }

/** Tests whether a place shows the scene outside the area that a person covers. */
export function createSceneTest(face: Box, scale: number): (x: number, y: number) => boolean {
  const middle = (face.x + face.width / 2) * scale
  const chin = (face.y + face.height * (1 - PERSON.neck)) * scale
  const crown = (face.y - PERSON.above * face.height) * scale
  const half = (0.5 + PERSON.side) * face.width * scale
  const slope = (PERSON.shoulder * face.width - half / scale) * scale
  return (x, y) => {
    const aside = Math.abs(x - middle)
    if (y < crown) return true
    if (y < chin) return aside > half
    return aside > half + slope && y < chin + face.height * scale * 0.25
  }
}
