/** The self-test of a fixed camera: from what two of its pictures measure, what is wrong with it. Pure; limits are data. */

/** What the vision worker has measured on one picture. */
export interface CameraLook {
  readonly widthPx: number
  readonly heightPx: number
  /** 0–255. */
  readonly luminanceMean: number
  /** Share of pixels at 250 or above. */
  readonly clippedShare: number
  /** From dark to light across the middle one of the edges; null: an empty desk has no edges. */
  readonly edgeWidthPx: number | null
}

/** resources/cameras.json, with units and origins. */
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
  /** Null: there was no edge to measure it on. */
  readonly isSharp: boolean | null
  readonly measured: CameraLook | null
}

export interface CameraEvidence {
  /** Null: the picture could not be decoded or measured. */
  readonly look: CameraLook | null
  /** Two pictures of a sensor differ in their noise; two that are alike to the byte are one picture, shown twice. */
  readonly picturesAreIdentical: boolean
  /** False for a file in place of a camera, which stands still by its nature. */
  readonly isCamera: boolean
  /** A scene with edges is before the camera, so a picture without any shows that the camera sees nothing. */
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
