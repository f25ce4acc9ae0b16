/** What is measured on live pictures of a face: each by itself, and a session's chosen pictures together at its end. */
import type { ContinuityMeasurement, DepthMeasurement } from '../../proofing/liveness/types.ts'
import type { FaceAppearance } from './face.ts'
import type { Box, ImageInfo, ModelUse } from './picture.ts'

/** Mean light of an area, 0–1 on a linear scale (the camera's gamma of sRGB undone). */
export interface LinearRgb {
  readonly r: number
  readonly g: number
  readonly b: number
}

export interface TrackedFace {
  /** 468 points as x, y, z: pixels of the picture, z away from the camera in the same unit. */
  readonly points: Float32Array
  /** The mesh network's own belief that it sees a face, 0–1. */
  readonly confidence: number
  /** Around the mesh's points. */
  readonly box: Box
  /** In space, from one side of the head to the other, so that turning does not narrow it. */
  readonly headWidthPx: number
  readonly interEyePx: number
  /** Degrees: positive towards the person's left. About 0 for a frontal face; people differ by some degrees. */
  readonly leftDeg: number
  /** Degrees: positive upwards. Of a frontal face by up to 9 degrees another number than 0: use a neutral of the session. */
  readonly upDeg: number
  /** Degrees: positive when the head leans towards the person's left shoulder. */
  readonly rollDeg: number
  /** Eye aspect ratio, about 0.3 open; compare only with the same session's own median. */
  readonly eyeOpenness: number
  readonly mouthOpenness: number
  readonly appearance: FaceAppearance
  /** Mean bona-fide probability of both networks, 0–1; null without the pack, or with too little around the face. */
  readonly pad: number | null
  /** Of forehead and cheeks; null where too little of them is seen. */
  readonly skin: LinearRgb | null
  /** Of the picture beside and above the head; null where the head fills it. */
  readonly surround: LinearRgb | null
}

/** One picture of a live stream. */
export interface FaceFrame {
  readonly image: ImageInfo
  /** The largest. */
  readonly face: TrackedFace | null
  /** Heights of the other faces as shares of the largest one's. */
  readonly others: readonly number[]
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

/** A picture of the session as it came, and the mesh that was found on it. */
export interface TrackedPicture {
  readonly image: Uint8Array
  readonly points: Float32Array
}

/** A session's pictures compared with each other. */
export interface LivenessMeasurement {
  /** Null where too little of the face could be followed. */
  readonly depth: DepthMeasurement | null
  /** Every target and portrait against the reference; null where a face could not be used. */
  readonly continuity: ContinuityMeasurement | null
  /** Portraits by how well they are suited to be compared, best first: indices into the input. */
  readonly portraitsByQuality: readonly number[]
  /** Against the camera's empty scene, where there is one: share of the picture away from the person that differs, 0–1. */
  readonly sceneChange: number | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}
