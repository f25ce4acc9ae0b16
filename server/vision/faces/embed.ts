/**
 * Face → template: the aligned chip through each embedding network that is loaded.
 * A template is biometric data: it stays in this process and is never logged or answered.
 */
import type { Raster } from '../image.ts'
import { sampleAffine } from '../image.ts'
import type { ModelSession, Sessions } from '../sessions.ts'
import { sessionOf } from '../sessions.ts'
import type { ChipTemplate, FourPoints } from './align.ts'
import { chipToPhoto, DLIB_CHIP_150, MOBILEFACENET_CHIP } from './align.ts'
import type { DetectedFace } from './blazeface.ts'
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

const fourPoints = ({ landmarks }: DetectedFace): FourPoints => [
  landmarks.rightEye,
  landmarks.leftEye,
  landmarks.nose,
  landmarks.mouth,
]

async function runChip(
  session: ModelSession,
  raster: Raster,
  face: DetectedFace,
  chip: ChipTemplate,
  scale: (value: number, channel: number) => number,
): Promise<Float32Array> {
  const pixels = sampleAffine(raster, chipToPhoto(fourPoints(face), chip), chip.px, chip.px)
  const outputs = await session.run(toPlanes(pixels, scale), [1, 3, chip.px, chip.px])
  return Float32Array.from(outputs[session.outputNames[0]].data)
}

export type Embedder = (raster: Raster, face: DetectedFace) => Promise<Template>

export function createEmbedder(sessions: Sessions): Embedder {
  const dlib = sessionOf(sessions, DLIB)
  const mobileFaceNet = sessions.byId.get(MOBILEFACENET)
  return async (raster, face) => ({
    dlib: await runChip(dlib, raster, face, DLIB_CHIP_150, (value) => value),
    mobileFaceNet: mobileFaceNet
      ? normalise(
          await runChip(mobileFaceNet, raster, face, MOBILEFACENET_CHIP, (value, channel) => {
            return (value - IMAGENET_MEAN[channel]) / IMAGENET_STD[channel]
          }),
        )
      : null,
  })
}
