/** Types of the measurements on live pictures of a face: per picture, and per session. */
import type {
  ContinuityMeasurement,
  DepthMeasurement,
  ScreenMeasurement,
} from '../../proofing/liveness/types.ts'
import type { FaceAppearance } from './face.ts'
import type { Box, ImageInfo, ModelUse } from './picture.ts'

/** Geometric mean of the light of an area, 0–1 on a linear scale (sRGB gamma removed). */
export interface LinearRgb {
  readonly r: number
  readonly g: number
  readonly b: number
}

export interface TrackedFace {
  /** 468 × (x, y, z) in pixels of the picture; z increases away from the camera in the same unit. */
  readonly points: Float32Array
  /** The mesh network's confidence that it sees a face, 0–1. */
  readonly confidence: number
  /** Bounding box of the mesh's points. */
  readonly box: Box
  /** 3D distance between both sides of the head, so that turning does not reduce it. */
  readonly headWidthPx: number
  readonly interEyePx: number
  /**
   * Degrees; positive towards the person's left. About 0 for a frontal face; it varies by some degrees between people.
   */
  readonly leftDeg: number
  /**
   * Degrees; positive upwards. A frontal face may deviate from 0 by up to 9 degrees: compare with the session's neutral
   * pose.
   */
  readonly upDeg: number
  /** Degrees; positive if the head leans towards the person's left shoulder. */
  readonly rollDeg: number
  /** Eye aspect ratio, about 0.3 if open; compare only with the session's own median. */
  readonly eyeOpenness: number
  readonly mouthOpenness: number
  readonly appearance: FaceAppearance
  /** Mean bona-fide probability of both networks, 0–1; null without the pack or with too little background. */
  readonly pad: number | null
  /** Forehead and cheeks; null if too little of them is visible. */
  readonly skin: LinearRgb | null
  /** The forehead alone. */
  readonly forehead: LinearRgb | null
  /** Background beside and above the head; null if the head fills the picture. */
  readonly surround: LinearRgb | null
  /** Background at both edges of the picture, in the same places in every picture; null if the head covers them. */
  readonly edges: LinearRgb | null
}

/** One frame of a live stream. */
export interface FaceFrame {
  readonly image: ImageInfo
  /** The largest face. */
  readonly face: TrackedFace | null
  /** Heights of the other faces relative to the largest. */
  readonly others: readonly number[]
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

/** A picture of the session as received, with the mesh found on it. */
export interface TrackedPicture {
  readonly image: Uint8Array
  readonly points: Float32Array
}

/** Comparison of a session's pictures with each other. */
export interface LivenessMeasurement {
  /** Null if too little of the face could be tracked. */
  readonly depth: DepthMeasurement | null
  /** Every target and portrait compared with the reference; null if a face could not be used. */
  readonly continuity: ContinuityMeasurement | null
  /** Indices of the portraits in the input, best suited for comparison first. */
  readonly portraitsByQuality: readonly number[]
  /**
   * Share (0–1) of the scene outside the person that differs from the camera's empty scene; null without an empty scene.
   */
  readonly sceneChange: number | null
  /** Null if the reference could not be used. */
  readonly screen: ScreenMeasurement | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}
