/**
 * Locates the document in the picture: proposals from edges and, if present, the locator network; one refinement; one
 * score. Reads nothing and does not judge the outline.
 */
import type { Raster } from '../../raster.ts'
import type { DocumentOutline, Quad } from '../../protocol.ts'
import { findEdges, makeSmallCopy, type EdgeMap, type SmallCopy } from './edges.ts'
import { SIDES, type Proposal } from './proposal.ts'
import { proposeByEdges } from './propose-edges.ts'
import { refineQuad, type RefinedQuad } from './refine-quad.ts'
import { computeFeatures } from './score-quad.ts'
import { estimatePose, quadArea, turnQuad } from './warp.ts'
import { MIN_SCORE, WITH_NETWORK, WITHOUT_NETWORK } from './weights.ts'

/** A refined quadrilateral with its score. */
export interface Candidate {
  readonly refined: RefinedQuad
  readonly foundBy: DocumentOutline['foundBy']
  /** Log odds against "no document here". */
  readonly score: number
  readonly isUpright: boolean
  /** Inputs of the score, in the order of score-quad.ts. */
  readonly features: readonly number[]
}

export interface OutlineSearch {
  readonly picture: Raster
  readonly small: SmallCopy
  readonly edges: EdgeMap
  readonly byNetwork: readonly Proposal[] | null
  /** Sorted by score, best first. */
  readonly candidates: readonly Candidate[]
  readonly threshold: number
}

/** Further proposals are rarely right and cost time. */
const MAX_PROPOSALS = 20
/** The network's corners are accurate to a hundredth of the document's length, in pixels of the copy. */
const NETWORK_REACH = 6
/** A quad adopts the network's corner order if its corners are this near, as a share of the diagonal. */
const NEAR_SHARE = 0.08
/** Maximum margin that a cropped scan leaves around a document, as a share of the picture's longer side. */
const CROP_SHARE = 0.04

/** Returns null if nothing has the edges of a card or page. `byNetwork` is null without the network. */
export function locateOutline(
  picture: Raster,
  byNetwork: readonly Proposal[] | null,
): DocumentOutline | null {
  const search = searchOutline(picture, byNetwork)
  const [best] = search.candidates
  return best !== undefined && best.score >= search.threshold ? toOutline(best, search) : null
}

export function searchOutline(picture: Raster, byNetwork: readonly Proposal[] | null): OutlineSearch {
  const small = makeSmallCopy(picture)
  const edges = findEdges(small.raster)
  const weights = byNetwork === null ? WITHOUT_NETWORK : WITH_NETWORK
  const candidates = [...proposeByEdges(edges, small, MAX_PROPOSALS), ...(byNetwork ?? [])]
    .map((proposal): Candidate => {
      const refined = refine(picture, proposal, small.factor)
      const features = computeFeatures(refined, edges, small, picture)
      const score = features.reduce((sum, value, i) => sum + value * weights[i], 0)
      const { foundBy, isUpright } = proposal
      return { refined, foundBy, score, isUpright, features }
    })
    .sort((a, b) => b.score - a.score)
  return { picture, small, edges, byNetwork, candidates, threshold: MIN_SCORE }
}

/** Directions of the most likely page's sides, clockwise from the picture's rows; null if no page is seen. */
export function sideSlopesDeg({ candidates, threshold }: OutlineSearch): readonly number[] | null {
  const [best] = candidates
  if (best === undefined || best.score < threshold) return null
  return slopesDeg(best.refined.quad)
}

/** Slopes of the upper, right, lower and left side of an upright page. */
export function slopesDeg(quad: Quad): readonly number[] {
  return SIDES.map((side) => {
    const [a, b] = [quad[side], quad[(side + 1) % 4]]
    return (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI
  })
}

export function refine(picture: Raster, { quad, foundBy }: Proposal, factor: number): RefinedQuad {
  const near = foundBy === 'edges' ? quad : refineQuad(picture, quad, factor, NETWORK_REACH).quad
  return refineQuad(picture, near, factor)
}

/** Corners from the edges; orientation of the content from the network, if known. */
export function toOutline(candidate: Candidate, { picture, byNetwork }: OutlineSearch): DocumentOutline {
  const { quad, sides } = candidate.refined
  const upright = candidate.isUpright ? quad : uprightByNetwork(quad, byNetwork ?? [])
  return describeQuad(upright ?? asItLies(quad), picture, {
    confidence: 1 / (1 + Math.exp(-candidate.score)),
    sidesOutside: isCrop(quad, picture) ? 0 : sides.filter(({ isBorder }) => isBorder).length,
    foundBy: candidate.foundBy,
    uprightBy: upright === null ? null : 'network',
  })
}

/**
 * A scan cropped to its document has no side well inside the picture. If one side is inside, a side on the picture's
 * border is cut off.
 */
function isCrop(quad: Quad, { width, height }: Raster): boolean {
  const near = CROP_SHARE * Math.max(width, height)
  return SIDES.every((i) => {
    const [a, b] = [quad[i], quad[(i + 1) % 4]]
    const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2]
    return Math.min(x, y, width - x, height - y) <= near
  })
}

/** Starts with the corner whose upper edge runs most to the picture's right. */
function asItLies(quad: Quad): Quad {
  const ahead = (q: Quad) => (q[1].x - q[0].x) / Math.hypot(q[1].x - q[0].x, q[1].y - q[0].y)
  return SIDES.map((quarters) => turnQuad(quad, quarters)).reduce((best, turned) =>
    ahead(turned) > ahead(best) ? turned : best,
  )
}

/** Properties that follow from the corners alone. */
export function describeQuad(
  quad: Quad,
  { width, height }: { readonly width: number; readonly height: number },
  known: Pick<DocumentOutline, 'confidence' | 'sidesOutside' | 'foundBy' | 'uprightBy'>,
): DocumentOutline {
  const pose = estimatePose(quad, { width, height })
  return {
    quad,
    aspect: pose?.aspect ?? 1,
    tiltDeg: pose?.tiltDeg ?? 0,
    areaShare: Math.min(1, quadArea(quad) / (width * height)),
    confidence: known.confidence,
    sidesOutside: known.sidesOutside,
    foundBy: known.foundBy,
    uprightBy: known.uprightBy,
  }
}

/** Reorders the corners like the nearest proposal with a known orientation; null if none is near. */
function uprightByNetwork(quad: Quad, proposals: readonly Proposal[]): Quad | null {
  const near = NEAR_SHARE * Math.hypot(quad[2].x - quad[0].x, quad[2].y - quad[0].y)
  for (const proposal of proposals.filter(({ isUpright }) => isUpright))
    for (let quarters = 0; quarters < 4; quarters++) {
      const turned = turnQuad(quad, quarters)
      const distances = turned.map((p, i) => Math.hypot(p.x - proposal.quad[i].x, p.y - proposal.quad[i].y))
      if (distances.reduce((sum, d) => sum + d, 0) / 4 < near) return turned
    }
  return null
}
