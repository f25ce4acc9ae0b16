/**
 * The settings of a scene, all drawn from one seed. A plan is data: a test of one weakness takes a plan and changes one
 * number.
 */
import type { QuarterTurn } from '../../../vision/protocol.ts'
import { createRandom } from '../head/noise.ts'
import { SPECIMEN_KINDS, type SpecimenKind } from '../documents/layout.ts'
import { DESIGNS } from '../documents/render.ts'
import { findVariant, type VariantName } from '../documents/variants.ts'
import type { View } from './geometry.ts'

const BACKGROUNDS = [
  'wood',
  'dark-wood',
  'cloth',
  'stone',
  'papers',
  'keyboard',
  'laminate',
  'white',
  'dark',
] as const
export type BackgroundName = (typeof BACKGROUNDS)[number]

interface ShadowPlan {
  /** Angle of the shadow's edge in the picture, and its place relative to the middle, as a share of the picture. */
  readonly angleDeg: number
  readonly at: number
  /** Width of the shadow; a large one is a half-plane. */
  readonly width: number
  /** Width of the penumbra as a share of the picture. */
  readonly softness: number
  /** Share of the light that is blocked, 0–1. */
  readonly depth: number
}

export interface GlarePlan {
  /** Centre on the document, shares of its width and height. */
  readonly at: readonly [number, number]
  /** Half axes, shares of the document's width. */
  readonly size: readonly [number, number]
  readonly angleDeg: number
  /** Added light in the middle; 1 is white paper in full light. */
  readonly strength: number
}

export interface HandPlan {
  readonly style: 'pinch' | 'press'
  /** The edge of the (upright) document that the fingers cover. */
  readonly edge: 'left' | 'right' | 'top' | 'bottom'
  /** Place along that edge, 0–1. */
  readonly along: number
  /** Reach of the fingertips over the edge, millimetres. */
  readonly depthMm: number
  /** Index into the skin tones, light to dark. */
  readonly tone: number
}

/** `angleDeg` is the small angle in addition to the content's quarter turn. */
export interface ScenePlan extends View {
  /** Seed of everything around the document; the document and its holder have a separate one. */
  readonly seed: number
  readonly documentSeed: number
  /** Null: a genuine document. */
  readonly forgedSeed: number | null
  readonly kind: SpecimenKind
  readonly variant: VariantName
  /** Index into the sides of the document. */
  readonly sideIndex: number
  /** Turn of the content in the picture, clockwise. */
  readonly contentTurn: QuarterTurn
  readonly background: BackgroundName
  /** Number of things on the table. */
  readonly clutter: number
  readonly hand: HandPlan | null
  /** Height of the document above the table, millimetres; the table is then out of focus. 0: it is on the table. */
  readonly heldMm: number
  readonly shadows: readonly ShadowPlan[]
  readonly glare: readonly GlarePlan[]
  /** Decrease of the light across the picture as a share, and its direction. */
  readonly lightSlope: number
  readonly lightAngleDeg: number
  /** Relative exposure: 1 shows white paper just below white. */
  readonly exposure: number
  /** Red and blue against green: warm or cold light. */
  readonly whiteBalance: readonly [number, number]
  /** Blurs in pixels of a two-megapixel picture; larger pictures blur over more pixels. */
  readonly lensSigmaPx: number
  readonly motionPx: number
  readonly motionAngleDeg: number
  /** Standard deviation of the noise at mid grey, 8-bit steps. */
  readonly noise: number
  readonly jpegQuality: number
}

const SIZES: readonly (readonly [number, number])[] = [
  [1280, 720],
  [1600, 1200],
  [1920, 1080],
  [1920, 1440],
  [2400, 1800],
]
const TURNS: readonly QuarterTurn[] = [0, 0, 90, 180, 270]
const EDGES = ['left', 'right', 'top', 'bottom'] as const
export const SKIN_TONES = 6
/** Scenes whose document leaves the picture at one edge. */
const SHARE_CUT = 0.05

export interface PlanOptions {
  readonly seed: number
  /** Default: the scene's seed. Give the same to both sides of one document. */
  readonly documentSeed?: number
  /** MRZ and barcode differ from the print in one character, drawn by this seed. */
  readonly forgedSeed?: number | null
  readonly kind?: SpecimenKind
  readonly sideIndex?: number
  /** Default plain. */
  readonly variant?: VariantName
  readonly size?: readonly [number, number]
}

/** The same seed gives the same plan. */
export function planScene({
  seed,
  documentSeed = seed,
  forgedSeed = null,
  kind,
  sideIndex,
  variant = 'plain',
  size,
}: PlanOptions): ScenePlan {
  const random = createRandom(seed * 31 + 1009)
  const between = (from: number, to: number) => from + (to - from) * random()
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]
  const chance = (share: number) => random() < share
  const drawnKind = pick(SPECIMEN_KINDS)
  const chosenKind = kind ?? drawnKind
  const drawnSide = Math.floor(random() * 2)
  const drawnSize = pick(SIZES)
  const [widthPx, heightPx] = size ?? drawnSize
  const isPortrait = chance(0.2)
  const isCut = chance(SHARE_CUT)
  const cutBy = between(0.02, 0.12)
  const hand: HandPlan | null = chance(0.35)
    ? {
        style: pick(['pinch', 'press']),
        edge: pick(EDGES),
        along: between(0.2, 0.8),
        depthMm: between(3, 9),
        tone: Math.floor(between(0, SKIN_TONES)),
      }
    : null
  const heldMm = between(8, 40)
  return {
    seed,
    documentSeed,
    forgedSeed,
    kind: chosenKind,
    variant,
    sideIndex: (sideIndex ?? drawnSide) % DESIGNS[chosenKind].sides.length,
    widthPx: isPortrait ? heightPx : widthPx,
    heightPx: isPortrait ? widthPx : heightPx,
    contentTurn: pick(TURNS),
    angleDeg: chance(0.85) ? between(-8, 8) : between(-28, 28),
    tiltDeg: 22 * random() ** 1.5,
    tiltAxisDeg: between(0, 360),
    share: between(0.2, 0.62),
    offset: [isCut ? pick([-1, 1]) * (1 + cutBy) : between(-0.9, 0.9), between(-0.9, 0.9)],
    mayBeCut: isCut,
    background: pick(BACKGROUNDS),
    clutter: chance(0.3) ? 0 : Math.floor(between(1, 6)),
    hand,
    heldMm: hand?.style === 'pinch' ? heldMm : 0,
    shadows: [
      ...(chance(0.45)
        ? [{ angleDeg: between(0, 360), at: between(-0.3, 0.3), width: 3, softness: between(0.15, 0.4), depth: between(0.15, 0.5) }]
        : []),
      ...(chance(0.2)
        ? [{ angleDeg: between(0, 360), at: between(-0.3, 0.3), width: between(0.1, 1), softness: between(0.008, 0.03), depth: between(0.2, 0.5) }]
        : []),
    ], // oxfmt-ignore
    glare: chance(0.22)
      ? [
          {
            at: [between(0, 1), between(0, 1)],
            size: [between(0.06, 0.22), between(0.03, 0.12)],
            angleDeg: between(0, 180),
            strength: between(0.2, 1.2),
          },
        ]
      : [],
    lightSlope: between(0.05, 0.5),
    lightAngleDeg: between(0, 360),
    exposure: between(0.62, 1.02),
    whiteBalance: [between(0.9, 1.14), between(0.82, 1.08)],
    lensSigmaPx: 0.45 + 0.9 * random() ** 2,
    motionPx: chance(0.25) ? between(1.5, 4) : 0,
    motionAngleDeg: between(0, 180),
    noise: 0.8 + 4 * random() ** 2,
    jpegQuality: findVariant(variant).jpegQuality ?? Math.round(between(62, 94)),
  }
}

/** The same document as from a good scanner: the reference for measuring one weakness. */
export function cleanPlan(kind: SpecimenKind, seed: number, sideIndex = 0): ScenePlan {
  return {
    ...planScene({ seed, kind, sideIndex, size: [1920, 1440] }),
    widthPx: 1920,
    heightPx: 1440,
    contentTurn: 0,
    angleDeg: 1.5,
    tiltDeg: 2,
    share: 0.5,
    offset: [0, 0],
    mayBeCut: false,
    background: 'laminate',
    clutter: 0,
    hand: null,
    heldMm: 0,
    shadows: [],
    glare: [],
    lightSlope: 0.08,
    exposure: 0.92,
    whiteBalance: [1, 1],
    lensSigmaPx: 0.5,
    motionPx: 0,
    noise: 1.2,
    jpegQuality: 92,
  }
}
