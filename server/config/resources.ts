/** Policies and pipelines from resources/: parsed, checked against each other, all problems listed at boot. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../errors.ts'
import { LEVELS } from '../proofing/types.ts'
import type { Policy } from '../proofing/policy.ts'

const LevelSchema = z.enum(LEVELS)
const NeedSchema = z.strictObject({ minimumScore: LevelSchema, requires: z.array(z.string()).optional() })

const PolicySchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  version: z.string().min(1),
  description: z.string(),
  source: z.string(),
  strength: z.record(z.string(), LevelSchema),
  documentScore: z.array(
    z.strictObject({ name: z.string(), score: LevelSchema, requires: z.array(z.string()).min(1) }),
  ),
  levels: z
    .array(
      z.strictObject({
        levelOfAssurance: z.string().regex(/^LOA\d$/),
        document: NeedSchema.optional(),
        portrait: NeedSchema.optional(),
      }),
    )
    .min(1)
    .refine((levels) => !levels[0].document && !levels[0].portrait, 'the first level must require nothing'),
})

const RuleSchema = z.strictObject({
  mandatory: z.boolean(),
  onFailure: z.enum(['reject', 'withhold', 'warn']),
  onFailureInTestMode: z.enum(['reject', 'withhold', 'warn']).optional(),
})
const PipelineSchema = z.strictObject({
  steps: z.array(
    z.strictObject({
      step: z.string(),
      participantType: z.enum([
        'IMAGE_OCR',
        'BIOMETRIC_QUALITY_CHECK',
        'BIOMETRIC_MATCHING',
        'BIOMETRIC_LIVENESS',
        'GOV_VERIFICATION',
        'CLAIM_VERIFICATION',
      ]),
      stopOnFailure: z.boolean(),
    }),
  ),
  checks: z.record(z.string().regex(/^[A-Z0-9_]+$/), RuleSchema),
  /** Checks this release does not perform: reported as _UNVERIFIED in every result. */
  notPerformed: z.array(z.string()),
})
const PipelinesSchema = z.strictObject({
  version: z.string(),
  description: z.string().min(1),
  pipelines: z.strictObject({
    IDDOCUMENT: PipelineSchema,
    PORTRAIT: PipelineSchema,
    IDDOCUMENT_TEXT: PipelineSchema,
    MEDICARE: PipelineSchema,
    ATTRIBUTES: PipelineSchema,
    ADDRESS: PipelineSchema,
    ID_CLAIM: PipelineSchema,
  }),
})

export type Pipeline = z.infer<typeof PipelineSchema>
export type Pipelines = z.infer<typeof PipelinesSchema>

export const RESOURCES_DIR = join(import.meta.dirname, '..', '..', 'resources')

export function loadPolicies(folder = join(RESOURCES_DIR, 'policies')): ReadonlyMap<string, Policy> {
  const problems: FieldProblem[] = []
  const policies = new Map<string, Policy>()
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const policy = parseFile(join(folder, name), `policies/${name}`, PolicySchema, problems)
    if (policy) policies.set(policy.id, policy)
  }
  refuse(problems)
  return policies
}

/** Policies that came from elsewhere than a file: by id, each as a file of resources/policies. */
export function parsePolicies(given: Readonly<Record<string, unknown>>): {
  readonly policies: ReadonlyMap<string, Policy>
  readonly problems: readonly FieldProblem[]
} {
  const problems: FieldProblem[] = []
  const policies = new Map<string, Policy>()
  for (const [id, value] of Object.entries(given)) {
    const policy = checked(value, `policies/${id}`, PolicySchema, problems)
    if (policy?.id === id) policies.set(id, policy)
    else if (policy) {
      problems.push({ code: 'wrong_id', field: `policies/${id}`, message: 'is named otherwise inside' })
    }
  }
  return { policies, problems }
}

/** Throws `configuration_invalid` when a step is not in `knownSteps` or a listed check has no rule. */
export function loadPipelines(
  knownSteps: readonly string[],
  file = join(RESOURCES_DIR, 'pipelines', 'default.json'),
): Pipelines {
  const problems: FieldProblem[] = []
  const pipelines = parseFile(file, 'pipelines/default.json', PipelinesSchema, problems)
  for (const [family, pipeline] of Object.entries(pipelines?.pipelines ?? {})) {
    for (const { step } of pipeline.steps) {
      if (!knownSteps.includes(step)) {
        problems.push({
          code: 'unknown_step',
          field: `${family}.steps`,
          message: `there is no step '${step}'`,
        })
      }
    }
    for (const check of pipeline.notPerformed) {
      if (!(check in pipeline.checks)) {
        problems.push({
          code: 'unknown_check',
          field: `${family}.notPerformed`,
          message: `no rule for '${check}'`,
        })
      }
    }
  }
  refuse(problems)
  return pipelines as Pipelines
}

/** Null after adding to `problems`, each with the place in the file `shown`. */
export function parseFile<T>(
  path: string,
  shown: string,
  schema: z.ZodType<T>,
  problems: FieldProblem[],
): T | null {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    problems.push({ code: 'not_json', field: shown, message: 'the file cannot be read as JSON' })
    return null
  }
  return checked(value, shown, schema, problems)
}

function checked<T>(value: unknown, shown: string, schema: z.ZodType<T>, problems: FieldProblem[]): T | null {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    problems.push({ code: issue.code, field: `${shown}:${issue.path.join('.')}`, message: issue.message })
  }
  return null
}

/** Throws `configuration_invalid` when there is any. */
export function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new AppError('configuration_invalid', { file: 'resources' }, { problems })
}
