/** Turns what the checks found into what the person can do better. A table, so that nothing else slips out. */
import { z } from 'zod'
import { GUIDANCE_CODES } from './contract/index.ts'
import type { GuidanceCode } from './contract/index.ts'
import type { CaptureStepName } from './facts.ts'
import type { EvidenceView } from './port.ts'

/** resources/journeys/guidance.json: the highest row that applies is said first. */
export const GuidanceTable = z.strictObject({
  version: z.int().positive(),
  rules: z.array(
    z.strictObject({
      step: z.enum(['document', 'portrait']),
      /** An error code or an indicator of the spec; a final `*` stands for FAILED, WARNING or UNVERIFIED. */
      when: z.string().regex(/^([0-9]{4}|[A-Z_]+\*?)$/),
      /** Only the error that names this field: where one code stands for several things to do. */
      field: z.string().optional(),
      guidance: z.enum(GUIDANCE_CODES),
      /** A plain fact that may be told although the evidence was found INVALID (an expired document). */
      evenWhenInvalid: z.boolean().optional(),
    }),
  ),
})
export type GuidanceTable = z.infer<typeof GuidanceTable>
type Rule = GuidanceTable['rules'][number]

const RAISED = /^(.*_)(FAILED|WARNING|UNVERIFIED)$/

/** What the person can do better about an evidence that could not be used, most important first. */
export function guidanceFor(
  step: CaptureStepName,
  evidence: EvidenceView,
  table: GuidanceTable,
): readonly GuidanceCode[] {
  const { errors = [], blockingIndicators = [], warningIndicators = [] } = evidence.evidenceStatus
  const raised = new Set([...blockingIndicators, ...warningIndicators].flatMap(namesOf))
  const applies = ({ when, field }: Rule) =>
    raised.has(when) ||
    errors.some((error) => error.code === when && (field === undefined || error.field === field))
  const said = table.rules.filter((rule) => rule.step === step && applies(rule)).map((rule) => rule.guidance)
  return [...new Set(said)]
}

/** True when all that speaks against an INVALID evidence are plain facts that the person may know and act on. */
export function isPlainFact(step: CaptureStepName, evidence: EvidenceView, table: GuidanceTable): boolean {
  const facts = new Set(
    table.rules.filter((rule) => rule.step === step && rule.evenWhenInvalid).map((rule) => rule.when),
  )
  const { blockingIndicators = [] } = evidence.evidenceStatus
  return (
    blockingIndicators.length > 0 &&
    blockingIndicators.every((indicator) => namesOf(indicator).some((name) => facts.has(name)))
  )
}

/** The indicator itself, and its check with `*` for whatever was raised. */
function namesOf(indicator: string): string[] {
  const check = RAISED.exec(indicator)?.[1]
  return check ? [indicator, `${check}*`] : [indicator]
}
