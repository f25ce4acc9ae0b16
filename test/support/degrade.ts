/**
 * One weakness at a time: a plan and a strength in, the same scene with that weakness out. Strength 0 is the clean scene,
 * 1 is what no person would take.
 */
import type { ScenePlan } from '../../server/tools/specimen/scenes/plan.ts'

export const DEGRADATIONS = ['dark', 'glare', 'blur', 'motion', 'cut', 'keystone', 'near', 'far'] as const
export type DegradationName = (typeof DEGRADATIONS)[number]

interface Degradation {
  /** The measure of the scene at that strength. */
  readonly amount: (strength: number) => number
  readonly apply: (plan: ScenePlan, amount: number) => Partial<ScenePlan>
}

const mix = (from: number, to: number) => (t: number) => from + (to - from) * t
/** Equal steps are equal ratios, like perception and lenses. */
const mixRatio = (from: number, to: number) => (t: number) => from * (to / from) ** t

const TABLE: Readonly<Record<DegradationName, Degradation>> = {
  dark: {
    amount: mixRatio(0.92, 0.03),
    apply: (_, exposure) => ({ exposure }),
  },
  glare: {
    amount: mix(0, 0.3),
    apply: (plan, size) => ({
      glare:
        size === 0
          ? plan.glare
          : [{ at: [0.55, 0.4], size: [size, size * 0.6], angleDeg: 20, strength: 2.5 }],
    }),
  },
  blur: {
    amount: mix(0.5, 6),
    apply: (_, lensSigmaPx) => ({ lensSigmaPx }),
  },
  motion: {
    amount: mix(0, 24),
    apply: (_, motionPx) => ({ motionPx, motionAngleDeg: 15 }),
  },
  cut: {
    amount: mix(0, 0.4),
    // Offset 1 touches the picture's border; the excess is in widths of the document.
    apply: (plan, share) => ({
      offset: share === 0 ? plan.offset : [1 + share, plan.offset[1]],
      mayBeCut: true,
    }),
  },
  keystone: {
    amount: mix(2, 52),
    apply: (_, tiltDeg) => ({ tiltDeg, tiltAxisDeg: 8 }),
  },
  near: {
    amount: mixRatio(0.5, 3),
    apply: (_, share) => ({ share, mayBeCut: true }),
  },
  far: {
    amount: mixRatio(0.5, 0.006),
    apply: (_, share) => ({ share }),
  },
}

export function degrade(plan: ScenePlan, name: DegradationName, strength: number): ScenePlan {
  const { amount, apply } = TABLE[name]
  return { ...plan, ...apply(plan, amount(strength)) }
}
