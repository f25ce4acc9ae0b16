/** Limits, rules and measured error rates of liveness sessions, from resources/liveness.json. Decides nothing. */
import { join } from 'node:path'
import { z } from 'zod'
import {
  CHALLENGE_LIMITS,
  LIVENESS_PACKS,
  type DepthLimits,
  type LivenessLimits,
} from '../proofing/liveness/limits.ts'
import { CONTINUITY_POINTS, LIVENESS_GRADES } from '../proofing/liveness/types.ts'
import { LIVENESS_METHODS } from '../proofing/liveness/methods.ts'
import { REFLECTION_LIMITS } from '../proofing/liveness/reflection.ts'
import { SCENE_LIMITS } from '../proofing/liveness/scene.ts'
import { SCREEN_LIMITS } from '../proofing/liveness/screen.ts'
import { LIVENESS_TYPES, SECURITY_LEVELS } from '../proofing/types.ts'
import { readLimits } from './limits-file.ts'

const limit = z.strictObject({ value: z.number(), unit: z.string().min(1), origin: z.string().min(1) })
const counted = limit.extend({ value: z.int().nonnegative() })

const rate = z.strictObject({
  rate: z.number().min(0).max(1),
  errors: z.int().nonnegative(),
  trials: z.int().positive(),
  /** Wilson score interval. */
  ci95: z.tuple([z.number(), z.number()]),
})
const measured = z.strictObject({
  securityLevel: z.enum(SECURITY_LEVELS),
  steps: z.int().positive(),
  bpcer: rate,
  apcer: z.record(z.string(), rate),
  source: z.string().min(1),
  date: z.iso.date(),
})

const depth = z.strictObject({
  depthAtLeast: limit,
  depthAtMost: limit,
  explainedShareAtLeast: limit,
  evidenceAtLeast: limit,
  explainedShareWeight: limit,
  viewsAtLeast: counted,
  pointsAtLeast: counted,
})
/** Limits that may be looser when the PAD networks (extended pack) also run. */
const depthOfPacks = depth.extend({ extended: depth.partial().optional() })

const methods = z
  .strictObject({
    require: z.array(z.enum(LIVENESS_METHODS)).min(1),
    requireExtended: z.array(z.enum(LIVENESS_METHODS)),
    reject: z.array(z.enum(LIVENESS_METHODS)),
    origin: z.string().min(1),
  })
  .refine(({ require }) => require.includes('COURSE'), 'every type needs its course')

const File = z.strictObject({
  origin: z.string().min(1),
  longestGapMs: limit,
  retries: z.record(z.enum(SECURITY_LEVELS), counted),
  course: z.record(z.enum(CHALLENGE_LIMITS), limit),
  methods: z.record(z.enum(LIVENESS_TYPES), methods),
  depth: z.record(z.enum(LIVENESS_TYPES), depthOfPacks),
  approach: z.strictObject({ atLeastLog: limit }),
  continuity: z.strictObject({
    point: z.record(
      z.enum(LIVENESS_TYPES),
      z.strictObject({ value: z.enum(CONTINUITY_POINTS), origin: z.string().min(1) }),
    ),
    comparedAtLeast: counted,
    jumpsAtMost: counted,
  }),
  pad: z.strictObject({
    atLeast: z.record(z.enum(LIVENESS_TYPES), limit),
    framesAtLeast: counted,
    models: z.strictObject({ value: z.array(z.string()), origin: z.string().min(1) }),
  }),
  reflection: z.record(z.enum(REFLECTION_LIMITS), limit),
  scene: z.record(z.enum(SCENE_LIMITS), limit),
  screen: z.record(z.enum(SCREEN_LIMITS), limit),
  grades: z.record(
    z.enum(LIVENESS_GRADES),
    z.strictObject({ species: z.array(z.string()).min(1), apcerCi95AtMost: limit }),
  ),
  measured: z.partialRecord(z.enum(LIVENESS_TYPES), z.partialRecord(z.enum(LIVENESS_PACKS), measured)),
})
type File = z.infer<typeof File>

export const LIVENESS_FILE = join(import.meta.dirname, '..', '..', 'resources', 'liveness.json')

/** Loads the limits. Throws `configuration_invalid` and lists every problem. */
export function loadLivenessLimits(path = LIVENESS_FILE): LivenessLimits {
  const {
    longestGapMs,
    retries,
    course,
    methods,
    depth,
    approach,
    continuity,
    pad,
    grades,
    measured,
    ...file
  } = readLimits(path, File)
  return {
    longestGapMs: longestGapMs.value,
    retries: values(retries),
    course: values(course),
    methods,
    depth: mapped(depth, depthByPack),
    approachAtLeastLog: approach.atLeastLog.value,
    continuity: {
      point: mapped(continuity.point, ({ value }) => value),
      comparedAtLeast: continuity.comparedAtLeast.value,
      jumpsAtMost: continuity.jumpsAtMost.value,
    },
    pad: {
      atLeast: values(pad.atLeast),
      framesAtLeast: pad.framesAtLeast.value,
      models: pad.models.value,
    },
    reflection: values(file.reflection),
    scene: values(file.scene),
    screen: values(file.screen),
    grades: mapped(grades, ({ species, apcerCi95AtMost }) => ({
      species,
      apcerCi95AtMost: apcerCi95AtMost.value,
    })),
    measured,
  }
}

function depthByPack({ extended, ...core }: File['depth'][keyof File['depth']]): {
  readonly core: DepthLimits
  readonly extended: DepthLimits
} {
  return { core: values(core), extended: values({ ...core, ...extended }) }
}

function values<Name extends string>(
  of: Readonly<Record<Name, { readonly value: number }>>,
): Readonly<Record<Name, number>> {
  return mapped(of, ({ value }) => value)
}

function mapped<Name extends string, From, To>(
  of: Readonly<Record<Name, From>>,
  change: (from: From) => To,
): Readonly<Record<Name, To>> {
  const entries = Object.entries<From>(of).map(([name, from]) => [name, change(from)] as const)
  return Object.fromEntries(entries) as Record<Name, To>
}
