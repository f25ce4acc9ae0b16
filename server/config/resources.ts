/**
 * Loads pipelines from resources/, and provides the common functions that parse, check and list problems of such files.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../errors.ts'
import { describeIssue } from './issue-words.ts'
import { CHECK } from './text-forms.ts'

const RuleSchema = z.strictObject({
  mandatory: z.boolean(),
  onFailure: z.enum(['reject', 'withhold', 'warn']),
  onFailureInTestMode: z.enum(['reject', 'withhold', 'warn']).optional(),
  /** Checks of the same pipeline: if one of them passed, this one does not block. */
  mitigatedBy: z.array(z.string()).min(1).optional(),
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
        'NFC_CHIP_VERIFICATION',
        'CLAIM_VERIFICATION',
        'ANTIFRAUD',
      ]),
      stopOnFailure: z.boolean(),
      /** After a failure has stopped the checks, this step still reports the document's values, without any judgement. */
      readsAfterStop: z.boolean().optional(),
      /** Sends values to a source outside, which must learn nothing of a document that failed already. */
      onlyIfNothingFailed: z.boolean().optional(),
    }),
  ),
  checks: z.record(CHECK, RuleSchema),
  /** Checks by sources outside: open unless a step reports them. */
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

/** Throws `configuration_invalid` if a step is not in `knownSteps` or a listed check has no rule. */
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
    for (const [check, { mitigatedBy = [] }] of Object.entries(pipeline.checks)) {
      for (const other of mitigatedBy) {
        if (other === check || !(other in pipeline.checks)) {
          problems.push({
            code: 'unknown_check',
            field: `${family}.checks.${check}.mitigatedBy`,
            message: `'${other}' is no other check of this pipeline`,
          })
        }
      }
    }
  }
  refuse(problems)
  return pipelines as Pipelines
}

/** Names of the checks of all pipelines. Throws `configuration_invalid` if the file is invalid. */
export function pipelineChecks(): ReadonlySet<string> {
  return new Set(eachPipeline().flatMap(({ checks }) => Object.keys(checks)))
}

/** Pipelines list these as not performed, because they are open without a connector that asks a source. */
const ASKED_OUTSIDE: readonly string[] = ['GIV_VERIFICATION', 'ID_CLAIM_SOURCE', 'ADDRESS_SOURCE']

/** Checks of all pipelines that this release does not perform on any machine. */
export function checksNotPerformed(): readonly string[] {
  const listed = eachPipeline().flatMap(({ notPerformed }) => notPerformed)
  return [...new Set(listed)].filter((check) => !ASKED_OUTSIDE.includes(check)).sort()
}

function eachPipeline(): readonly Pipeline[] {
  const problems: FieldProblem[] = []
  const file = join(RESOURCES_DIR, 'pipelines', 'default.json')
  const pipelines = parseFile(file, 'pipelines/default.json', PipelinesSchema, problems)
  refuse(problems)
  return Object.values(pipelines?.pipelines ?? {})
}

/** Returns null after adding to `problems`, each with its place in the file `shown`. */
export function parseFile<T>(
  path: string,
  shown: string,
  schema: z.ZodType<T>,
  problems: FieldProblem[],
): T | null {
  const value = readJson(path, shown, problems)
  return value === undefined ? null : parseResource(value, shown, schema, problems)
}

/** Returns undefined after adding to `problems`. */
export function readJson(path: string, shown: string, problems: FieldProblem[]): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch {
    problems.push({ code: 'not_json', field: shown, message: 'the file cannot be read as JSON' })
    return undefined
  }
}

/** Returns null after adding to `problems`. */
export function parseResource<T>(
  value: unknown,
  shown: string,
  schema: z.ZodType<T>,
  problems: FieldProblem[],
): T | null {
  const parsed = schema.safeParse(value, { error: describeIssue })
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    problems.push({ code: issue.code, field: `${shown}:${issue.path.join('.')}`, message: issue.message })
  }
  return null
}

/** Reads and checks a file. Throws `configuration_invalid` and lists every problem. */
export function loadChecked<T>(
  path: string,
  shown: string,
  check: (value: unknown, problems: FieldProblem[]) => T | null,
): T {
  const problems: FieldProblem[] = []
  const value = readJson(path, shown, problems)
  const content = value === undefined ? null : check(value, problems)
  refuse(problems)
  return content as T
}

/** Throws `configuration_invalid` if there are problems. */
export function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new AppError('configuration_invalid', { file: 'resources' }, { problems })
}
