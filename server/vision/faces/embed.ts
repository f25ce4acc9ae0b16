/**
 * Face → template: the aligned chip through each embedding network that is loaded.
 * A template is biometric data: it stays in this process and is never logged or answered.
 */
import type { Raster } from '../raster.ts'
import { sampleAffine } from '../raster.ts'
import type { ModelSession, Sessions } from '../sessions.ts'
import { sessionOf } from '../sessions.ts'
import type { ChipTemplate, FourPoints } from './align.ts'
import { chipToPhoto, DLIB_CHIP_150, MOBILEFACENET_CHIP } from './align.ts'
import type { DetectedFace } from './blazeface.ts'
import type { FaceMesh } from './mesh.ts'
import { alignmentPoints } from './pose.ts'
import { toPlanes } from './planes.ts'

export const DLIB = 'dlib-resnet29-150'
export const MOBILEFACENET = 'mobilefacenet-112'
/** Channel means and deviations of ImageNet (torchvision), times 255. */
const IMAGENET_MEAN = [123.675, 116.28, 103.53]
const IMAGENET_STD = [58.395, 57.12, 57.375]

export interface Template {
  /** 128 numbers, not normalised: Euclidean distance. */
  readonly dlib: Float32Array
  /** 128 numbers of length 1: cosine. Null when the extended pack is not loaded. */
  readonly mobileFaceNet: Float32Array | null
}

export function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / (length || 1))
}

/**
 * The mesh's points where it sees a face, else the detector's. On 100 photographs of 10 people the mesh's points took
 * the fused FNMR at FMR 1e-3 from 2.9 % to 0.2 % (selfie) and from 4.7 % to 2.1 % (simulated identity portrait).
 */
const pointsOf = ({ landmarks }: DetectedFace, mesh: FaceMesh | null): FourPoints =>
  mesh
    ? alignmentPoints(mesh.points)
    : [landmarks.rightEye, landmarks.leftEye, landmarks.nose, landmarks.mouth]

async function runChip(
  session: ModelSession,
  raster: Raster,
  points: FourPoints,
  chip: ChipTemplate,
  scale: (value: number, channel: number) => number,
): Promise<Float32Array> {
  const pixels = sampleAffine(raster, chipToPhoto(points, chip), chip.px, chip.px)
  const outputs = await session.run(toPlanes(pixels, scale), [1, 3, chip.px, chip.px])
  return Float32Array.from(outputs[session.outputNames[0]].data)
}

/** `mesh` is null where the mesh network does not see a face. */
export type Embedder = (raster: Raster, face: DetectedFace, mesh: FaceMesh | null) => Promise<Template>

export function createEmbedder(sessions: Sessions): Embedder {
  const dlib = sessionOf(sessions, DLIB)
  const mobileFaceNet = sessions.byId.get(MOBILEFACENET)
  const byImageNet = (value: number, channel: number): number =>
    (value - IMAGENET_MEAN[channel]) / IMAGENET_STD[channel]
  return async (raster, face, mesh) => {
    const points = pointsOf(face, mesh)
    return {
      dlib: await runChip(dlib, raster, points, DLIB_CHIP_150, (value) => value),
      mobileFaceNet: mobileFaceNet
        ? normalise(await runChip(mobileFaceNet, raster, points, MOBILEFACENET_CHIP, byImageNet))
        : null,
    }
  }
}
