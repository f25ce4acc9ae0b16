/** Maps findings to advice for the applicant. Closed tables, so that no other information is revealed. */
import { z } from 'zod'
import {
  faultForPerson,
  type DocumentFault,
  type FaultRule,
  type PersonFaultCode,
} from '../proofing/document-fault.ts'
import { GUIDANCE_CODES } from './contract/index.ts'
import type { GuidanceCode } from './contract/index.ts'
import type { EvidenceView } from './port.ts'

/** Schema of resources/journeys/guidance.json, for the portrait: the first row that applies has priority. */
export const GuidanceFile = z.strictObject({
  version: z.int().positive(),
  rules: z.array(
    z.strictObject({
      /** An error code. */
      when: z.string().regex(/^[0-9]{4}$/),
      /** Only the error that names this field, if one code needs several kinds of advice. */
      field: z.string().optional(),
      guidance: z.enum(GUIDANCE_CODES),
    }),
  ),
})
export type PortraitRule = z.infer<typeof GuidanceFile>['rules'][number]

export interface GuidanceTable {
  readonly portrait: readonly PortraitRule[]
  /** resources/document-faults.json. */
  readonly document: readonly FaultRule[]
}

/** Returns the advice about a portrait that could not be used, most important first. */
export function portraitGuidance(
  { evidenceStatus }: EvidenceView,
  table: GuidanceTable,
  /** The session prompted for no movement. */
  isStill = false,
): GuidanceCode[] {
  const { errors = [] } = evidenceStatus
  const applies = ({ when, field }: PortraitRule) =>
    errors.some((error) => error.code === when && (field === undefined || error.field === field))
  const codes = new Set(table.portrait.filter(applies).map(({ guidance }) => guidance))
  return [...codes].map((code) => (isStill && code === 'PORTRAIT_NOT_DONE' ? 'PORTRAIT_STILL' : code))
}

/** Returns the fault of a document that the applicant may be told; null if there is none. */
export function documentGuidance(
  { evidenceStatus }: EvidenceView,
  table: GuidanceTable,
): DocumentFault<PersonFaultCode> | null {
  return faultForPerson(evidenceStatus, table.document)
}
