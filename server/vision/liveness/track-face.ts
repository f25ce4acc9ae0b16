/**
 * One live picture → the face in it, how it is held, lit and how alive it looks. Never judges, and keeps nothing from one
 * picture to the next: whoever asks hands back what was found on the last one.
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
import { sessionsOf, type Sessions } from '../sessions.ts'
import { headWidth } from './mesh-points.ts'
import { meshPoints, scaleOf, sentBox, sentPoints, type CopyScale } from './sent-points.ts'
import { createMeshTracker, MIN_CONFIDENCE } from './track-mesh.ts'

/** A picture's longer side for tracking: the mesh network looks at 192 pixels, and a head before a kiosk has as many here. */
export const TRACKED_SIDE_PX = 640
/** Between two heads of one size the tracked one stays; this much higher, the other is the largest. Starting value. */
const CLEARLY_LARGER = 1.15
/** A head turned by 25 degrees gets 0.7 to 0.8 of the detector; whatever it finds is asked of the mesh as well. Starting value. */
const MIN_DETECTION = 0.5
/** A crowd is more than one face however many it is. */
const MAX_OTHERS = 5
/** The detector's box over the mesh's: medians over 34 photographs of faces and specimens, 21 Nov 2026. */
const DETECTED_TIMES = { width: 1.11, height: 0.93 }

/** `raster` may be a smaller copy of what `info` tells of; the answer's coordinates are in pixels of what `info` tells of. */
export type FaceTracker = (
  picture: { readonly raster: Raster; readonly info: ImageInfo },
  last: Float32Array | null,
) => Promise<FaceFrame>

export function createFaceTracker(sessions: Sessions, faces: FaceTools, now: () => number): FaceTracker {
  const [detectorSession] = sessionsOf(sessions, 'face-detector')
  const [meshSession] = sessionsOf(sessions, 'face-mesh')
  const trackMesh = createMeshTracker(meshSession, faces.detectFaces)
  const measurePad = createPadMeter(sessions)

  /** Enlarged patterns look like faces to the detector; the mesh knows better. */
  async function confirmed(raster: Raster, found: readonly DetectedFace[]): Promise<DetectedFace[]> {
    const kept: DetectedFace[] = []
    for (const face of found.slice(0, MAX_OTHERS))
      if ((await measureMesh(meshSession, raster, face)).confidence >= MIN_CONFIDENCE) kept.push(face)
    return kept
  }

  async function largestOf(raster: Raster, last: readonly MeshPoint[] | null): Promise<Largest | null> {
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
    // A face that the mesh alone still holds is there all the same.
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
        ...shapeOf(mesh, scale),
        box: sentBox(around, scale),
        appearance: measureAppearance(raster, mesh.points, around),
        pad: pad?.score ?? null,
        ...measureSkinLight(raster, mesh.points),
      },
    }
  }

  return async ({ raster, info }, last) => {
    const start = now()
    const scale = scaleOf(raster, info)
    const largest = await largestOf(raster, meshPoints(last, scale, raster))
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
  /** As the detector draws boxes, whether it saw the face or not. */
  readonly box: Box
  readonly others: readonly { readonly box: Box }[]
}

/** Which of the detections is the face of this mesh; the others are others. */
function largestWith(mesh: FaceMesh, found: readonly DetectedFace[]) {
  const around = boxAround(mesh.points)
  const own = found.find((face) => isInside(middleOf(face), around)) ?? null
  return {
    mesh,
    own,
    box: own?.box ?? detectedBox(around),
    others: found.filter((face) => !isInside(middleOf(face), around)),
  }
}

function middleOf({ landmarks }: DetectedFace): { readonly x: number; readonly y: number } {
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

/** Where the face is and how it is held, in the signs of the contract: left and right are the person's own. */
function shapeOf({ points, confidence }: FaceMesh, scale: CopyScale) {
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
