/**
 * Converts portrait measurements to faults (spec error 1601) and the most helpful hint; used for live and final pictures.
 * Measures are named after ISO/IEC 29794-5 (OFIQ names, not conformant).
 */

/** Worst first. */
export const PORTRAIT_QUALITY_FIELDS = [
  'FACE_MISSING',
  'SINGLE_FACE_PRESENT',
  'INTER_EYE_DISTANCE',
  'UNDER_EXPOSURE_PREVENTION',
  'OVER_EXPOSURE_PREVENTION',
  'ILLUMINATION_UNIFORMITY',
  'HEAD_POSE_YAW',
  'HEAD_POSE_PITCH',
  'HEAD_POSE_ROLL',
  'FACE_OCCLUSION_PREVENTION',
  'EYES_OPEN',
  'MOUTH_CLOSED',
  'SHARPNESS',
  'BACKGROUND_UNIFORMITY',
] as const
export type PortraitQualityField = (typeof PORTRAIT_QUALITY_FIELDS)[number]

/** Hints on the applicant's screen. */
export const PORTRAIT_HINTS = [
  'SHOW_FACE',
  'ONE_PERSON_ONLY',
  'COME_CLOSER',
  'MOVE_BACK',
  'CENTRE_FACE',
  'MORE_LIGHT',
  'LESS_LIGHT',
  'EVEN_LIGHT',
  'LOOK_STRAIGHT',
  'HOLD_HEAD_UPRIGHT',
  'UNCOVER_FACE',
  'OPEN_EYES',
  'CLOSE_MOUTH',
  'HOLD_STILL',
  'FOLLOW_PROMPT',
  'ALL_GOOD',
] as const
export type PortraitHint = (typeof PORTRAIT_HINTS)[number]

export interface PortraitMeasures {
  /** Null if there is no face. */
  readonly face: {
    readonly interEyePx: number
    /** Null if no mesh was found. */
    readonly pose: { readonly leftDeg: number; readonly upDeg: number; readonly rollDeg: number } | null
    readonly eyeOpenness: number | null
    readonly mouthOpenness: number | null
    readonly luminanceMean: number
    readonly clippedShare: number
    readonly sharpness: number
    readonly illuminationUniformity: number | null
    readonly backgroundUniformity: number | null
    readonly occludedShare: number | null
  } | null
  /** Heights of the other faces relative to the largest. */
  readonly others: readonly number[]
}

/** Limits from resources/thresholds.json. */
export interface PortraitLimits {
  readonly portraitMinimumInterEyePx: number
  readonly portraitSecondFaceRatio: number
  readonly portraitDarkLuminance: number
  readonly portraitMaximumClippedShare: number
  readonly portraitMinimumSharpness: number
  readonly portraitMaximumYawDeg: number
  readonly portraitMaximumPitchDeg: number
  readonly portraitMaximumRollDeg: number
  readonly portraitMinimumIlluminationUniformity: number
  readonly portraitMaximumOccludedShare: number
  readonly portraitMinimumEyeOpenness: number
  readonly portraitMaximumMouthOpenness: number
}

type Face = NonNullable<PortraitMeasures['face']>
type FaceField = Exclude<PortraitQualityField, 'FACE_MISSING' | 'SINGLE_FACE_PRESENT'>

/** Conditions for a fault. A value that was not measured is no fault. */
const FALLS_SHORT: Readonly<Record<FaceField, (face: Face, limits: PortraitLimits) => boolean>> = {
  INTER_EYE_DISTANCE: ({ interEyePx }, limits) => interEyePx < limits.portraitMinimumInterEyePx,
  UNDER_EXPOSURE_PREVENTION: ({ luminanceMean }, limits) => luminanceMean < limits.portraitDarkLuminance,
  OVER_EXPOSURE_PREVENTION: ({ clippedShare }, limits) => clippedShare > limits.portraitMaximumClippedShare,
  ILLUMINATION_UNIFORMITY: ({ illuminationUniformity }, limits) =>
    illuminationUniformity !== null && illuminationUniformity < limits.portraitMinimumIlluminationUniformity,
  HEAD_POSE_YAW: ({ pose }, limits) => isBeyond(pose?.leftDeg, limits.portraitMaximumYawDeg),
  HEAD_POSE_PITCH: ({ pose }, limits) => isBeyond(pose?.upDeg, limits.portraitMaximumPitchDeg),
  HEAD_POSE_ROLL: ({ pose }, limits) => isBeyond(pose?.rollDeg, limits.portraitMaximumRollDeg),
  FACE_OCCLUSION_PREVENTION: ({ occludedShare }, limits) =>
    occludedShare !== null && occludedShare > limits.portraitMaximumOccludedShare,
  EYES_OPEN: ({ eyeOpenness }, limits) =>
    eyeOpenness !== null && eyeOpenness < limits.portraitMinimumEyeOpenness,
  MOUTH_CLOSED: ({ mouthOpenness }, limits) =>
    mouthOpenness !== null && mouthOpenness > limits.portraitMaximumMouthOpenness,
  SHARPNESS: ({ sharpness }, limits) => sharpness < limits.portraitMinimumSharpness,
  // A non-uniform background does not affect comparison, so it is only reported.
  BACKGROUND_UNIFORMITY: () => false,
}

const isBeyond = (degrees: number | undefined, limit: number): boolean =>
  degrees !== undefined && Math.abs(degrees) > limit

/** All faults, worst first. */
export function portraitFindings(
  { face, others }: PortraitMeasures,
  limits: PortraitLimits,
): readonly PortraitQualityField[] {
  if (!face) return ['FACE_MISSING']
  const several = others.some((ratio) => ratio >= limits.portraitSecondFaceRatio)
  return PORTRAIT_QUALITY_FIELDS.filter((field) => {
    if (field === 'FACE_MISSING') return false
    return field === 'SINGLE_FACE_PRESENT' ? several : FALLS_SHORT[field](face, limits)
  })
}

/** Hint for the worst fault; null if there is none. */
export function portraitHint(findings: readonly PortraitQualityField[]): PortraitHint | null {
  const [worst] = findings
  return worst === undefined ? null : HINT_OF[worst]
}

const HINT_OF: Readonly<Record<PortraitQualityField, PortraitHint>> = {
  FACE_MISSING: 'SHOW_FACE',
  SINGLE_FACE_PRESENT: 'ONE_PERSON_ONLY',
  INTER_EYE_DISTANCE: 'COME_CLOSER',
  UNDER_EXPOSURE_PREVENTION: 'MORE_LIGHT',
  OVER_EXPOSURE_PREVENTION: 'LESS_LIGHT',
  ILLUMINATION_UNIFORMITY: 'EVEN_LIGHT',
  HEAD_POSE_YAW: 'LOOK_STRAIGHT',
  HEAD_POSE_PITCH: 'LOOK_STRAIGHT',
  HEAD_POSE_ROLL: 'HOLD_HEAD_UPRIGHT',
  FACE_OCCLUSION_PREVENTION: 'UNCOVER_FACE',
  EYES_OPEN: 'OPEN_EYES',
  MOUTH_CLOSED: 'CLOSE_MOUTH',
  SHARPNESS: 'HOLD_STILL',
  BACKGROUND_UNIFORMITY: 'ALL_GOOD',
}
