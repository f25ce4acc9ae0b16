/**
 * Tests whether the skin reflected the screen's colours. Skin is compared with the background, because the camera's white
 * balance changes both alike; relative changes are the same for dark and light skin. Pure.
 */
import type { CheckOutcome } from '../judge.ts'
import { SHINE_OF_SET, type ColourSet, type ColourTrace, type Light } from './types.ts'

/** Member names of "reflection" in resources/liveness.json. */
export const REFLECTION_LIMITS = [
  'leastColours',
  'leastStrength',
  'leastScore',
  'failBelowScore',
  'failFromVariation',
  'mostBesideShare',
  'leastEvenness',
] as const
export type ReflectionLimits = Readonly<Record<(typeof REFLECTION_LIMITS)[number], number>>

export interface Reflection {
  readonly outcome: CheckOutcome
  readonly reason: ReflectionReason | null
  /** Correlation of the skin's colour changes with the screen's: 1 exact, 0 none. */
  readonly score: number | null
  /** How much more of the screen's light, relative to the total, the skin shows than the edges of the picture: about 0.02–0.4. */
  readonly strength: number | null
  /** The same light on the background relative to the skin: near 1 if both are one sheet. */
  readonly besideShare: number | null
  /** The light of the weaker of forehead and cheeks relative to the stronger; null if the forehead was not measured. */
  readonly evenness: number | null
}

export type ReflectionReason =
  /** Too few colours were seen on skin and background, or hair or a hat covers the forehead. */
  | 'REFLECTION_NOT_SEEN'
  /** The room is brighter than the screen, or nothing is reflected. */
  | 'REFLECTION_TOO_WEAK'
  /** The colours change, possibly because of the screen. */
  | 'REFLECTION_UNSURE'
  /** Colours other than those of the screen. */
  | 'REFLECTION_OTHER_COLOURS'
  /** Only forehead or cheeks show the light: a gleam on glass. */
  | 'REFLECTION_UNEVEN'
  /** The background is as near to the screen as the face. */
  | 'REFLECTION_BESIDE_FACE'

/** `leastStrength` is measured with four colours; the noise of more falls with the root of their number. */
const MEASURED_COLOURS = 4
function computeLeastStrength(colours: number, { leastStrength }: ReflectionLimits): number {
  return leastStrength * Math.sqrt(MEASURED_COLOURS / Math.max(MEASURED_COLOURS, colours))
}

type Chroma = readonly [number, number, number]

export function judgeReflection(
  colours: readonly ColourTrace[],
  limits: ReflectionLimits,
  colourSet: ColourSet = 'FULL',
): Reflection {
  const seen = colours.filter(isMeasured)
  if (seen.length < Math.max(2, limits.leastColours)) return UNSEEN
  const expected = centred(seen.map(({ colour }) => withoutBrightness(SHINE_OF_SET[colourSet][colour])))
  const power = product(expected, expected)
  if (power === 0) return UNSEEN
  const balance = centred(seen.map((trace) => withoutBrightness(toLog(findBalance(trace, seen)))))
  const skin = centred(seen.map((trace) => withoutBrightness(toLog(trace.skin))))
  const beside = centred(seen.map((trace) => withoutBrightness(toLog(trace.surround))))
  const difference = skin.map((chroma, i) => minus(chroma, balance[i]))
  const strength = product(difference, expected) / power
  const [onSkin, onSurround] = [skin, beside].map((light) => product(light, expected) / power)
  const size = Math.sqrt(product(difference, difference))
  const measured = {
    score: size > 0 ? product(difference, expected) / (size * Math.sqrt(power)) : 0,
    strength,
    besideShare: onSkin > 0 ? Math.max(0, onSurround) / onSkin : null,
    evenness: measureEvenness(
      seen,
      (light) => {
        const part = centred(light.map((one) => withoutBrightness(toLog(one))))
        return (
          product(
            part.map((chroma, i) => minus(chroma, balance[i])),
            expected,
          ) / power
        )
      },
      strength,
    ),
  }
  const reason = findReason(
    {
      ...measured,
      onSkin,
      variation: size / Math.sqrt(seen.length),
      // Records of before December 2026 have no forehead at all.
      isForeheadHidden: measured.evenness === null && seen.every(({ forehead }) => forehead !== undefined),
    },
    { ...limits, leastStrength: computeLeastStrength(seen.length, limits) },
  )
  return { ...measured, reason, outcome: reason === null ? 'passed' : OUTCOME[reason] }
}

/** The skin is the mean of one forehead and two cheeks. Null if the forehead was not measured in each colour. */
function measureEvenness(
  seen: readonly MeasuredTrace[],
  measureStrength: (light: readonly Light[]) => number,
  ofSkin: number,
): number | null {
  const foreheads = seen.flatMap(({ forehead }) => (forehead && isLit(forehead) ? [forehead] : []))
  if (foreheads.length < seen.length) return null
  const forehead = measureStrength(foreheads)
  const cheeks = (3 * ofSkin - forehead) / 2
  const stronger = Math.max(forehead, cheeks)
  return stronger > 0 ? Math.max(0, Math.min(forehead, cheeks)) / stronger : null
}

const OUTCOME: Readonly<Record<ReflectionReason, CheckOutcome>> = {
  REFLECTION_NOT_SEEN: 'inconclusive',
  REFLECTION_TOO_WEAK: 'inconclusive',
  REFLECTION_UNSURE: 'inconclusive',
  REFLECTION_UNEVEN: 'failed',
  REFLECTION_OTHER_COLOURS: 'failed',
  REFLECTION_BESIDE_FACE: 'failed',
}

const UNSEEN: Reflection = {
  outcome: 'inconclusive',
  reason: 'REFLECTION_NOT_SEEN',
  score: null,
  strength: null,
  besideShare: null,
  evenness: null,
}

interface Measured {
  readonly score: number
  readonly strength: number
  readonly besideShare: number | null
  readonly evenness: number | null
  readonly onSkin: number
  /** Root mean square of the relative colour changes. */
  readonly variation: number
  readonly isForeheadHidden: boolean
}

/** Returns null if the skin reflected the colours. */
function findReason(
  { score, strength, besideShare, evenness, onSkin, variation, isForeheadHidden }: Measured,
  limits: ReflectionLimits,
): ReflectionReason | null {
  if (onSkin >= limits.leastStrength && besideShare !== null && besideShare > limits.mostBesideShare)
    return 'REFLECTION_BESIDE_FACE'
  // White balance removes a part of the skin's change, never most of it.
  const isLit = strength >= limits.leastStrength && onSkin >= limits.leastStrength / 2
  if (isLit && score >= limits.leastScore) {
    if (isForeheadHidden) return 'REFLECTION_NOT_SEEN'
    return evenness !== null && evenness < limits.leastEvenness ? 'REFLECTION_UNEVEN' : null
  }
  // Smaller changes may be the camera's noise.
  if (variation < limits.failFromVariation) return 'REFLECTION_TOO_WEAK'
  return score < limits.failBelowScore ? 'REFLECTION_OTHER_COLOURS' : 'REFLECTION_UNSURE'
}

type MeasuredTrace = ColourTrace & { readonly surround: Light }

function isMeasured(trace: ColourTrace): trace is MeasuredTrace {
  return trace.frames > 0 && trace.surround !== null && isLit(trace.skin) && isLit(trace.surround)
}

/**
 * Background that shows what the camera's white balance changed. The edges of the picture are the same places in every picture; beside a
 * head that sways, other things come into view.
 */
function findBalance({ edges, surround }: MeasuredTrace, all: readonly MeasuredTrace[]): Light {
  return edges && all.every((trace) => trace.edges && isLit(trace.edges)) ? edges : surround
}

/** Relative changes of black are undefined. */
function isLit({ r, g, b }: Light): boolean {
  return [r, g, b].every((value) => Number.isFinite(value) && value > 0)
}

function toLog({ r, g, b }: Light): Chroma {
  return [Math.log(r), Math.log(g), Math.log(b)]
}

/** Removes exposure and shadows, which change all three channels alike. */
function withoutBrightness([r, g, b]: Chroma): Chroma {
  const mean = (r + g + b) / 3
  return [r - mean, g - mean, b - mean]
}

/** Removes the constant colours of skin and wall: only changes count. */
function centred(chromas: readonly Chroma[]): Chroma[] {
  const mean = [0, 1, 2].map((k) => chromas.reduce((sum, chroma) => sum + chroma[k], 0) / chromas.length)
  return chromas.map(([r, g, b]) => [r - mean[0], g - mean[1], b - mean[2]])
}

function minus(a: Chroma, b: Chroma): Chroma {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

function product(a: readonly Chroma[], b: readonly Chroma[]): number {
  return a.reduce((sum, [r, g, blue], i) => sum + r * b[i][0] + g * b[i][1] + blue * b[i][2], 0)
}
