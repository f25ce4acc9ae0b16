/**
 * Detects the front of a second document beside the measured one. The back of the same card has no face of portrait size,
 * so another page with such a face is another document.
 */
import type { FaceDetector } from '../../faces/detect.ts'
import type { Box, Quad } from '../../protocol.ts'
import { boxAround } from '../../raster.ts'
import type { Candidate, OutlineSearch } from './locate-outline.ts'
import { uprightByPortrait, rectifyPage } from './page-portrait.ts'
import { quadArea } from './warp.ts'

/** Each candidate is searched in four turns. */
const MAX_LOOKED_AT = 3
/** Maximum overlap of the bounding boxes, relative to the smaller one: adjacent pages hardly overlap. Starting value. */
const MAX_OVERLAP = 0.1
/**
 * Minimum area relative to the measured page. A card beside a passport has 0.42; smaller areas are far away or no
 * document. Starting value.
 */
const MIN_AREA = 0.25
/**
 * Minimum width of the face relative to the page: a ghost image is smaller. Same value as for a cropped page
 * (settle-outline.ts).
 */
const MIN_FACE = 0.09

export async function showsSecondFront(
  { picture, candidates, threshold }: OutlineSearch,
  own: Quad | null,
  portrait: Box | null,
  detectFaces: FaceDetector,
): Promise<boolean> {
  if (own === null || portrait === null) return false
  const page = boxAround(own)
  // The holder's portrait is on the other page, so the measured page is the back of that card.
  if (overlap(page, portrait) < 1 - MAX_OVERLAP) return false
  for (const { refined } of listOtherPages(own, candidates, threshold)) {
    const found = await uprightByPortrait(rectifyPage(picture, refined.quad), false, detectFaces)
    if (found !== null && found.face.width >= MIN_FACE) return true
  }
  return false
}

/** Other pages of the picture that are searched for a face. */
export function listOtherPages(
  own: Quad,
  candidates: readonly Candidate[],
  threshold: number,
): readonly Candidate[] {
  const isBeside = ({ refined: { quad }, score }: Candidate): boolean =>
    score >= threshold &&
    quadArea(quad) >= MIN_AREA * quadArea(own) &&
    overlap(boxAround(quad), boxAround(own)) <= MAX_OVERLAP
  return candidates.filter(isBeside).slice(0, MAX_LOOKED_AT)
}

/** Overlap relative to the smaller box's area. */
function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  if (width <= 0 || height <= 0) return 0
  return (width * height) / Math.min(a.width * a.height, b.width * b.height)
}
