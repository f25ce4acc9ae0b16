/**
 * Detects faces: in the whole picture first, then in closer crops of candidates or if nothing was found. Returns boxes
 * and scores; does not judge identity or quality.
 */
import type { Affine, Raster } from '../raster.ts'
import { sampleAffine, shrinkByWhole } from '../raster.ts'
import type { Box, Point } from '../protocol.ts'
import type { ModelSession } from '../sessions.ts'
import type { DetectedFace } from './blazeface.ts'
import { BLAZEFACE_PX, decodeBlazeface } from './blazeface.ts'
import { measureMesh } from './mesh.ts'
import { intersectionOverSmaller, intersectionOverUnion, suppressOverlaps } from './nms.ts'
import { toPlanes } from './planes.ts'

export type { DetectedFace } from './blazeface.ts'
/** Restrictions that save work. */
export interface Wanted {
  /** Smaller faces need not be found. */
  readonly leastWidthPx?: number
  /** Only faces visible in the whole picture at first. */
  readonly atFirstLook?: boolean
  /** Applies with `atFirstLook`: a lower score suffices, because the caller verifies each face with the mesh. */
  readonly leastScore?: number
}
/** Sorted by size, largest face first. */
export type FaceDetector = (raster: Raster, wanted?: Wanted) => Promise<readonly DetectedFace[]>

/** The network accepts drawings and emblems at 0.5, and not at 0.75 (measured on specimen documents). */
export const DETECTION_THRESHOLD = 0.75
/** Candidates below the threshold that justify a closer look. */
const CANDIDATE_SCORE = 0.2
const CANDIDATES_LOOKED_AT = 6
/** Overlap above which two detections are one face. */
const SAME_FACE_IOU = 0.3
/** A box inside a better one by at least this share is a part of that face. */
const SAME_FACE_INSIDE = 0.7
/** A closer crop is a square this many times the face; an uncertain face gets further crops until it is certain. */
const CLOSER_LOOK = 2.5
const FURTHER_LOOKS = [CLOSER_LOOK, 1.7, 3.5]
/** Threshold: below this share of the picture's width the landmarks are too coarse for alignment (about 64 of 256 input pixels). */
const SMALL_FACE_SHARE = 0.25
/** Splits of the longer side into tiles; adjacent tiles overlap by half. */
const TILE_SPLITS = [2, 4]
/** A face this wide in the network's 256 pixels is found without a closer crop. Starting value. */
const FOUND_FROM_PX = 17
/** A smaller tile shows nothing that the whole picture did not show. */
const MIN_TILE_PX = 128
/** Minimum score at which a closer crop replaces the landmarks. */
const REFINED_MIN_SCORE = 0.5

/** Larger pictures are reduced to between this and twice this size: the finest tile needs no more. */
export const SEARCHED_PX = 1200

/** Threshold: below this width (about 10 pixels between the eyes) faces cannot be distinguished. */
const MIN_FACE_PX = 24
/** Enlarged print patterns look like faces to the detector, so the face mesh verifies them. */
const CONFIRMED_BY_MESH = 0.5

interface Square {
  readonly x: number
  readonly y: number
  readonly side: number
}

const mapFace = (face: DetectedFace, place: (point: Point) => Point, scale: number): DetectedFace => {
  const { rightEye, leftEye, nose, mouth } = face.landmarks
  return {
    score: face.score,
    box: { ...place(face.box), width: face.box.width * scale, height: face.box.height * scale },
    landmarks: {
      rightEye: place(rightEye),
      leftEye: place(leftEye),
      nose: place(nose),
      mouth: place(mouth),
    },
  }
}

const onePerFace = (faces: readonly DetectedFace[]): DetectedFace[] =>
  suppressOverlaps(suppressOverlaps(faces, SAME_FACE_IOU), SAME_FACE_INSIDE, intersectionOverSmaller)
const area = ({ box }: DetectedFace): number => box.width * box.height
const squareAround = ({ x, y, width, height }: Box, times: number): Square => {
  const side = Math.max(width, height) * times
  return { x: x + width / 2 - side / 2, y: y + height / 2 - side / 2, side }
}

/** Squares that cover the picture. */
export function listTiles(width: number, height: number, split: number): Square[] {
  const side = Math.max(width, height) / split
  if (side < MIN_TILE_PX) return []
  const starts = (length: number): number[] => {
    const count = Math.max(1, Math.ceil((length - side) / (side / 2)) + 1)
    return Array.from({ length: count }, (_, i) =>
      count === 1 ? (length - side) / 2 : ((length - side) * i) / (count - 1),
    )
  }
  return starts(height).flatMap((y) => starts(width).map((x) => ({ x, y, side })))
}

/**
 * Creates a detector from a BlazeFace session. Faces that only closer crops show must be confirmed by the mesh session.
 */
export function createDetector(session: ModelSession, meshSession: ModelSession): FaceDetector {
  /** Detects faces inside a square of the picture, which may extend beyond its edge; in pixels of the picture. */
  async function look(raster: Raster, square: Square, minScore: number): Promise<DetectedFace[]> {
    const scale = square.side / BLAZEFACE_PX
    const toSource: Affine = [scale, 0, square.x + scale / 2 - 0.5, 0, scale, square.y + scale / 2 - 0.5]
    const pixels = sampleAffine(raster, toSource, BLAZEFACE_PX, BLAZEFACE_PX)
    const input = toPlanes(pixels, (value) => (value - 127.5) / 127.5)
    const out = await session.run(input, [1, 3, BLAZEFACE_PX, BLAZEFACE_PX])
    const faces = decodeBlazeface(
      [out.Identity.data, out.Identity_1.data],
      [out.Identity_2.data, out.Identity_3.data],
      minScore,
    )
    const place = ({ x, y }: Point): Point => ({
      x: square.x + x * square.side,
      y: square.y + y * square.side,
    })
    return onePerFace(faces.map((face) => mapFace(face, place, square.side)))
  }

  /** Returns the face with more precise landmarks if a closer crop shows it too. */
  async function refine(raster: Raster, face: DetectedFace): Promise<DetectedFace> {
    const seen = await look(raster, squareAround(face.box, CLOSER_LOOK), REFINED_MIN_SCORE)
    const same = seen.find(({ box }) => intersectionOverUnion(box, face.box) > SAME_FACE_IOU)
    return same ? { ...same, score: Math.max(same.score, face.score) } : face
  }

  /** Stops at the tiles in which a face of the minimum width would have been found. */
  async function searchTiles(raster: Raster, leastWidthPx: number): Promise<DetectedFace[]> {
    const longer = Math.max(raster.width, raster.height)
    for (const [i, split] of TILE_SPLITS.entries()) {
      const seenPx = i === 0 ? 0 : (leastWidthPx * BLAZEFACE_PX * TILE_SPLITS[i - 1]) / longer
      if (seenPx >= FOUND_FROM_PX) break
      const found: DetectedFace[] = []
      for (const tile of listTiles(raster.width, raster.height, split))
        found.push(...(await look(raster, tile, DETECTION_THRESHOLD)))
      if (found.length > 0) return onePerFace(found)
    }
    return []
  }

  async function confirmed(raster: Raster, faces: readonly DetectedFace[]): Promise<DetectedFace[]> {
    const kept: DetectedFace[] = []
    for (const face of faces)
      if ((await measureMesh(meshSession, raster, face)).confidence >= CONFIRMED_BY_MESH) kept.push(face)
    return kept
  }

  async function lookCloser(raster: Raster, seen: readonly DetectedFace[]): Promise<DetectedFace[]> {
    for (const times of FURTHER_LOOKS) {
      const found: DetectedFace[] = []
      for (const face of seen.slice(0, CANDIDATES_LOOKED_AT))
        found.push(...(await look(raster, squareAround(face.box, times), DETECTION_THRESHOLD)))
      const faces = await confirmed(raster, onePerFace(found))
      if (faces.length > 0) return faces
    }
    return []
  }

  async function search(raster: Raster, wanted: Wanted): Promise<DetectedFace[]> {
    const { leastWidthPx = 0, atFirstLook, leastScore = DETECTION_THRESHOLD } = wanted
    const longer = Math.max(raster.width, raster.height)
    const whole: Square = { x: (raster.width - longer) / 2, y: (raster.height - longer) / 2, side: longer }
    const seen = await look(raster, whole, CANDIDATE_SCORE)
    if (atFirstLook) return seen.filter(({ score }) => score >= leastScore)
    const sure = seen.filter(({ score }) => score >= DETECTION_THRESHOLD)
    const faces: DetectedFace[] = []
    for (const face of sure)
      faces.push(face.box.width < SMALL_FACE_SHARE * longer ? await refine(raster, face) : face)
    if (faces.length > 0) return faces
    const closer = await lookCloser(raster, seen)
    if (closer.length > 0) return closer
    for (const face of await searchTiles(raster, leastWidthPx)) faces.push(await refine(raster, face))
    return confirmed(raster, faces)
  }

  return async (raster, wanted = {}) => {
    const shrink = Math.max(1, Math.floor(Math.max(raster.width, raster.height) / SEARCHED_PX))
    const needed = { ...wanted, leastWidthPx: (wanted.leastWidthPx ?? 0) / shrink }
    const faces = onePerFace(await search(shrinkByWhole(raster, shrink), needed))
    const shift = (shrink - 1) / 2 // the first pixel's centre, in pixels of the picture
    const place = ({ x, y }: Point): Point => ({ x: x * shrink + shift, y: y * shrink + shift })
    return faces
      .map((face) => mapFace(face, place, shrink))
      .filter(({ box }) => box.width >= MIN_FACE_PX)
      .sort((a, b) => area(b) - area(a))
  }
}
