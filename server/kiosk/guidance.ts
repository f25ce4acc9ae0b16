/** Turns what the checks found into what the person can do better. Tables, so that nothing else slips out. */
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

/** resources/journeys/guidance.json, of the portrait: the highest row that applies is said first. */
export const GuidanceFile = z.strictObject({
  version: z.int().positive(),
  rules: z.array(
    z.strictObject({
      /** An error code. */
      when: z.string().regex(/^[0-9]{4}$/),
      /** Only the error that names this field: where one code stands for several things to do. */
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

/** What the person can do better about a portrait that could not be used, most important first. */
export function portraitGuidance(
  { evidenceStatus }: EvidenceView,
  table: GuidanceTable,
  /** It was asked for no movement. */
  isStill = false,
): GuidanceCode[] {
  const { errors = [] } = evidenceStatus
  const applies = ({ when, field }: PortraitRule) =>
    errors.some((error) => error.code === when && (field === undefined || error.field === field))
  const codes = new Set(table.portrait.filter(applies).map(({ guidance }) => guidance))
  return [...codes].map((code) => (isStill && code === 'PORTRAIT_NOT_DONE' ? 'PORTRAIT_STILL' : code))
}

/** What is wrong with a document, as far as whoever shows it may know; null: nothing may be told. */
export function documentGuidance(
  { evidenceStatus }: EvidenceView,
  table: GuidanceTable,
): DocumentFault<PersonFaultCode> | null {
  return faultForPerson(evidenceStatus, table.document)
}
