/**
 * The traits of one specimen person, and the settings of one picture of that person. Centimetres in the head's frame: x
 * to the picture's right, y up, z to the camera, origin between the eyes at mid-head.
 */
export type Colour = readonly [number, number, number]

type HairStyle = 'long' | 'bob' | 'bangs' | 'bun' | 'short' | 'crop' | 'buzz' | 'side' | 'bald'

/** A person as numbers: a recipe in resources/specimens/recipes. Colours are sRGB 0–255. */
export interface HeadIdentity {
  /** Only drives noise (pores, strands, freckles). */
  readonly seed: number
  readonly sex: 'F' | 'M'
  /** 0 young adult … 1 old. */
  readonly age: number
  /** tone: 0 lightest … 5 darkest; the others 0–1. */
  readonly skin: {
    readonly tone: number
    readonly redness: number
    readonly freckles: number
    readonly moles: number
    readonly wrinkles: number
    readonly gloss: number
  }
  readonly skull: {
    readonly halfWidth: number
    readonly halfLength: number
    readonly halfHeight: number
    readonly faceHalfWidth: number
    readonly faceHalfHeight: number
    readonly foreheadDepth: number
  }
  readonly cheeks: {
    readonly boneX: number
    readonly boneY: number
    readonly boneRadius: number
    readonly fullness: number
  }
  readonly jaw: { readonly x: number; readonly y: number; readonly radius: number }
  readonly chin: { readonly y: number; readonly z: number; readonly width: number }
  readonly eyes: {
    readonly x: number
    readonly z: number
    readonly halfWidth: number
    readonly upperLid: number
    readonly lowerLid: number
    /** Radians; outer corner up. */
    readonly tilt: number
    readonly fold: number
    readonly colour: Colour
    readonly makeup: number
    readonly browRidge: number
  }
  readonly brows: {
    readonly y: number
    readonly thickness: number
    readonly arch: number
    readonly tilt: number
    readonly density: number
    readonly length: number
    readonly innerX: number
  }
  readonly nose: {
    readonly y: number
    readonly z: number
    readonly tipRadius: number
    readonly halfWidth: number
    readonly bridgeRadius: number
    readonly bridgeZ: number
    readonly hump: number
    readonly wing: number
  }
  readonly mouth: {
    readonly y: number
    readonly halfWidth: number
    readonly upperLip: number
    readonly lowerLip: number
    readonly relief: number
    readonly hue: number
    readonly colourStrength: number
    readonly muzzle: number
  }
  readonly ears: { readonly size: number; readonly angle: number }
  readonly neckRadius: number
  readonly hair: {
    readonly style: HairStyle
    readonly colour: Colour
    readonly hairlineY: number
    readonly receding: number
    readonly peak: number
    readonly thickness: number
    readonly partX: number
  }
  readonly beard: {
    readonly style: 'none' | 'full' | 'goatee' | 'moustache'
    /** It is stubble below 0.5. */
    readonly density: number
    readonly moustache: number
  }
  readonly glasses: 'none' | 'square' | 'round'
  readonly clothColour: Colour
  readonly asymmetry: number
  /** One value per entry of SURFACE_CENTRES: relief in cm, log-albedo, redness. */
  readonly relief: readonly number[]
  readonly shade: readonly number[]
  readonly flush: readonly number[]
}

/** Centres [|x|, y, width] of the person's own soft relief and tone map on the front of the head. */
export const SURFACE_CENTRES: readonly (readonly [number, number, number])[] = [
  [0, 5, 1.5],
  [2.3, 4.2, 1.3],
  [4.6, 2.8, 1.2],
  [0, 2.3, 0.9],
  [5.7, -0.2, 1.1],
  [1.45, -1.9, 0.8],
  [3.2, -2.0, 0.9],
  [5.2, -3.2, 1.2],
  [2.3, -4.1, 0.9],
  [4.3, -5.6, 1.2],
  [0, -5.8, 0.7],
  [2.8, -8.6, 1.0],
  [0, -8.9, 0.9],
  [4.7, -7.8, 1.1],
  [1.3, 0.9, 0.7],
  [3.3, 1.1, 0.8],
]

/** yaw > 0: nose to the picture's right. pitch > 0: nose up. roll > 0: counter-clockwise. */
export interface HeadPose {
  readonly yawDeg: number
  readonly pitchDeg: number
  readonly rollDeg: number
}

export interface Expression {
  /** 1 open … 0 closed; slightly negative presses the lids together. */
  readonly lids: number
  /** 0–1. */
  readonly smile: number
  /** Gap between the lips in cm. */
  readonly mouthOpen: number
  readonly browRaise: number
}

export const NEUTRAL: Expression = { lids: 1, smile: 0, mouthOpen: 0, browRaise: 0 }

/** The settings of a person for one picture, passed to every part. */
export interface Sitting {
  readonly who: HeadIdentity
  readonly pose: HeadPose
  readonly expression: Expression
}
