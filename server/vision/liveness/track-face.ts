/**
 * Tracks the face in a live picture: pose, light and PAD score. Gives no verdict and keeps no state between pictures: the
 * caller passes back the last result.
 */
import { measureAppearance } from '../faces/appearance.ts'
import type { DetectedFace } from '../faces/detect.ts'
import { measureMesh, type FaceMesh } from '../faces/mesh.ts'
import { createPadMeter } from '../faces/pad.ts'
import { alignmentPoints, stateOfMesh, type MeshPoint } from '../faces/pose.ts'
import { measureSkinLight } from '../faces/skin-light.ts'
import type { FaceTools } from '../faces/tools.ts'
import type { Box, FaceFrame, ImageInfo, ModelUse, TrackedFace } from '../protocol.ts'
import { boxAround, type Raster } from '../raster.ts'
import { listSessions, type Sessions } from '../sessions.ts'
import { headWidth } from './mesh-points.ts'
import { meshPoints, computeScale, sentBox, sentPoints, type CopyScale } from './sent-points.ts'
import { createMeshTracker, MIN_CONFIDENCE } from './track-mesh.ts'

/** Working size for tracking: the mesh network uses 192 pixels, about the size of a head at a kiosk here. */
export const TRACKED_SIDE_PX = 640
/** The tracked head stays the largest until another is higher by this factor. Starting value. */
const CLEARLY_LARGER = 1.15
/** A head turned by 25 degrees scores 0.7 to 0.8; the mesh verifies every detection. Starting value. */
const MIN_DETECTION = 0.5
/** Maximum number of other faces that are reported. */
const MAX_OTHERS = 5
/** Size of the detector's box relative to the mesh's: medians over 34 photographs of faces and specimens, 21 Nov 2026. */
const DETECTED_TIMES = { width: 1.11, height: 0.93 }

/** `raster` may be a reduced copy of the picture described by `info`; results are in pixels of the latter. */
type FaceTracker = (
  picture: { readonly raster: Raster; readonly info: ImageInfo },
  last: Float32Array | null,
) => Promise<FaceFrame>

export function createFaceTracker(sessions: Sessions, faces: FaceTools, now: () => number): FaceTracker {
  const [detectorSession] = listSessions(sessions, 'face-detector')
  const [meshSession] = listSessions(sessions, 'face-mesh')
  const trackMesh = createMeshTracker(meshSession, faces.detectFaces)
  const measurePad = createPadMeter(sessions)

  /** Enlarged patterns look like faces to the detector, so the mesh verifies them. */
  async function confirmed(raster: Raster, found: readonly DetectedFace[]): Promise<DetectedFace[]> {
    const kept: DetectedFace[] = []
    for (const face of found.slice(0, MAX_OTHERS))
      if ((await measureMesh(meshSession, raster, face)).confidence >= MIN_CONFIDENCE) kept.push(face)
    return kept
  }

  async function findLargest(raster: Raster, last: readonly MeshPoint[] | null): Promise<Largest | null> {
    const found = await faces.detectFaces(raster, { atFirstLook: true, leastScore: MIN_DETECTION })
    let mesh = await trackMesh(raster, last, found)
    for (const face of found.slice(1, MAX_OTHERS)) mesh ??= await trackMesh(raster, null, [face])
    if (mesh === null) return null
    const tracked = largestWith(mesh, found)
    const others = await confirmed(raster, tracked.others)
    const larger = others.find(({ box }) => box.height > CLEARLY_LARGER * tracked.box.height)
    const largerMesh = larger && (await trackMesh(raster, null, [larger]))
    if (!largerMesh) return { ...tracked, others }
    const own: DetectedFace[] = tracked.own ? [tracked.own] : []
    const overtaken = largestWith(largerMesh, [...others, ...own])
    // Includes a face that only the mesh still tracks.
    const heights = [...overtaken.others.map(({ box }) => box), ...(tracked.own ? [] : [tracked.box])]
    return { ...overtaken, others: heights.map((box) => ({ box })) }
  }

  async function describe(
    raster: Raster,
    { mesh, box }: Largest,
    scale: CopyScale,
  ): Promise<{ readonly face: TrackedFace; readonly models: readonly ModelUse[] }> {
    const pad = await measurePad(raster, box)
    const around = boxAround(mesh.points)
    return {
      models: pad?.models ?? [],
      face: {
        ...describeShape(mesh, scale),
        box: sentBox(around, scale),
        appearance: measureAppearance(raster, mesh.points, around),
        pad: pad?.score ?? null,
        ...measureSkinLight(raster, mesh.points),
      },
    }
  }

  return async ({ raster, info }, last) => {
    const start = now()
    const scale = computeScale(raster, info)
    const largest = await findLargest(raster, meshPoints(last, scale, raster))
    const described = largest && (await describe(raster, largest, scale))
    return {
      image: info,
      face: described?.face ?? null,
      others: largest?.others.map(({ box }) => box.height / largest.box.height) ?? [],
      models: [detectorSession.model, meshSession.model, ...(described?.models ?? [])],
      elapsedMs: now() - start,
    }
  }
}

interface Largest {
  readonly mesh: FaceMesh
  /** Follows the detector's convention, even if the detector missed the face. */
  readonly box: Box
  readonly others: readonly { readonly box: Box }[]
}

/** Separates the detection of this mesh's face from the others. */
function largestWith(mesh: FaceMesh, found: readonly DetectedFace[]) {
  const around = boxAround(mesh.points)
  const own = found.find((face) => isInside(computeMiddle(face), around)) ?? null
  return {
    mesh,
    own,
    box: own?.box ?? detectedBox(around),
    others: found.filter((face) => !isInside(computeMiddle(face), around)),
  }
}

function computeMiddle({ landmarks }: DetectedFace): { readonly x: number; readonly y: number } {
  const { rightEye, leftEye, nose, mouth } = landmarks
  const points = [rightEye, leftEye, nose, mouth]
  return {
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  }
}

function isInside({ x, y }: { readonly x: number; readonly y: number }, box: Box): boolean {
  return x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height
}

function detectedBox({ x, y, width, height }: Box): Box {
  const [wide, high] = [width * DETECTED_TIMES.width, height * DETECTED_TIMES.height]
  return { x: x + (width - wide) / 2, y: y + (height - high) / 2, width: wide, height: high }
}

/** Position and pose in the contract's convention: left and right are the person's own. */
function describeShape({ points, confidence }: FaceMesh, scale: CopyScale) {
  const { yawDeg, pitchDeg, rollDeg, eyeOpenness, mouthOpenness } = stateOfMesh(points)
  const [rightEye, leftEye] = alignmentPoints(points)
  return {
    points: sentPoints(points, scale),
    confidence,
    headWidthPx: headWidth(points) * scale.x,
    interEyePx: Math.hypot(leftEye.x - rightEye.x, leftEye.y - rightEye.y) * scale.x,
    leftDeg: -yawDeg,
    upDeg: -pitchDeg,
    rollDeg,
    eyeOpenness,
    mouthOpenness,
  }
}
