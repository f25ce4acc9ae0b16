/** Self-test of a fixed camera from the measurements of two pictures. Pure; limits are data. */

/** Measurements of the vision worker on one picture. */
export interface CameraLook {
  readonly widthPx: number
  readonly heightPx: number
  /** 0–255. */
  readonly luminanceMean: number
  /** Share of pixels at 250 or above. */
  readonly clippedShare: number
  /** Median edge width from dark to light; null without edges, as on an empty desk. */
  readonly edgeWidthPx: number | null
}

/** Limits from resources/cameras.json, with units and origins. */
export interface CameraTestLimits {
  readonly darkLuminance: number
  readonly clippedShare: number
  readonly maxEdgeWidthPerPicture: number
  readonly minLongSidePx: number
}

export const CAMERA_FINDINGS = [
  'NOT_MEASURED',
  'BLACK',
  'WHITE',
  'FROZEN',
  'BLURRED',
  'TOO_SMALL',
  'EMPTY',
] as const

export type CameraFinding = (typeof CAMERA_FINDINGS)[number]

export interface CameraTest {
  readonly passed: boolean
  readonly findings: readonly CameraFinding[]
  /** Null if there was no edge to measure. */
  readonly isSharp: boolean | null
  readonly measured: CameraLook | null
}

interface CameraEvidence {
  /** Null if the picture could not be decoded or measured. */
  readonly look: CameraLook | null
  /** Sensor noise makes two pictures differ; byte-identical pictures are one picture shown twice. */
  readonly picturesAreIdentical: boolean
  /** False for a file in place of a camera, which never changes. */
  readonly isCamera: boolean
  /** The scene has edges, so a picture without edges shows that the camera is blind. */
  readonly needsEdges?: boolean
}

export function judgeCameraTest(
  { look, picturesAreIdentical, isCamera, needsEdges = false }: CameraEvidence,
  limits: CameraTestLimits,
): CameraTest {
  if (!look) return { passed: false, findings: ['NOT_MEASURED'], isSharp: null, measured: null }
  const longSide = Math.max(look.widthPx, look.heightPx)
  const isSharp =
    look.edgeWidthPx === null ? null : look.edgeWidthPx <= limits.maxEdgeWidthPerPicture * longSide
  const found: Readonly<Record<CameraTest['findings'][number], boolean>> = {
    NOT_MEASURED: false,
    BLACK: look.luminanceMean < limits.darkLuminance,
    WHITE: look.clippedShare > limits.clippedShare,
    FROZEN: isCamera && picturesAreIdentical,
    BLURRED: isSharp === false,
    TOO_SMALL: isCamera && longSide < limits.minLongSidePx,
    EMPTY: needsEdges && isSharp === null,
  }
  const findings = CAMERA_FINDINGS.filter((name) => found[name])
  return { passed: findings.length === 0, findings, isSharp, measured: look }
}
