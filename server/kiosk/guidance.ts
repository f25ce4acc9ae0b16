/** Turns what the checks found into what the person can do better. A table, so that nothing else slips out. */
import { z } from 'zod'
import { GUIDANCE_CODES } from './contract.ts'
import type { GuidanceCode } from './contract.ts'
import type { EvidenceView } from './port.ts'

/** resources/journeys/guidance.json: the highest row that applies is said first. */
export const GuidanceTable = z.strictObject({
  version: z.int().positive(),
  rules: z.array(
    z.strictObject({
      step: z.enum(['document', 'portrait']),
      /** An error code or an indicator of the spec; a final `*` stands for FAILED, WARNING or UNVERIFIED. */
      when: z.string().regex(/^([0-9]{4}|[A-Z_]+\*?)$/),
      guidance: z.enum(GUIDANCE_CODES),
    }),
  ),
})
export type GuidanceTable = z.infer<typeof GuidanceTable>
export type CaptureStepName = 'document' | 'portrait'

const FALLBACK: Record<CaptureStepName, GuidanceCode> = {
  document: 'DOCUMENT_UNCLEAR',
  portrait: 'PORTRAIT_UNCLEAR',
}
const RAISED = /^(.*_)(FAILED|WARNING|UNVERIFIED)$/

/** What to tell the person about an evidence that could not be used, most important first, never empty. */
export function guidanceFor(
  step: CaptureStepName,
  evidence: EvidenceView,
  table: GuidanceTable,
): readonly GuidanceCode[] {
  const { errors = [], blockingIndicators = [], warningIndicators = [] } = evidence.evidenceStatus
  const found = new Set<string>(errors.map((error) => error.code))
  for (const indicator of [...blockingIndicators, ...warningIndicators]) {
    const name = indicatorName(indicator)
    found.add(name)
    const raised = RAISED.exec(name)
    if (raised) found.add(`${raised[1]}*`)
  }
  const said = table.rules.filter((rule) => rule.step === step && found.has(rule.when)).map((r) => r.guidance)
  return said.length > 0 ? [...new Set(said)] : [FALLBACK[step]]
}

/** The spec writes indicators as strings; an object with a name is taken as well. */
function indicatorName(indicator: unknown): string {
  if (typeof indicator === 'string') return indicator
  if (typeof indicator === 'object' && indicator !== null && 'name' in indicator)
    return String(indicator.name)
  return ''
}
