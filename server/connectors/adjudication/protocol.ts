/** The callback that README.md of this folder specifies. */
import { z } from 'zod'
import { ADJUDICATION_DECISIONS, STAFF_ID } from '../../proofing/adjudication-decision.ts'

const CaseId = z.uuid().toLowerCase().describe('Id of the adjudication request')

/** Events of other types are ignored. */
export const ADJUDICATION_ANSWERED = 'adjudication.answered'

export const AdjudicationAnswered = z
  .object({
    type: z.literal(ADJUDICATION_ANSWERED).describe('Other types are taken and passed over'),
    data: z
      .discriminatedUnion('decision', [
        z.object({
          adjudicationId: CaseId,
          decision: z.enum(ADJUDICATION_DECISIONS).describe('What the adjudicator decided'),
          reason: z
            .string()
            .max(61)
            .describe('Code of the catalogue of reasons (GET /v1/adjudications/{adjudicationId} lists them)'),
          adjudicator: z
            .string()
            .regex(STAFF_ID)
            .describe('Id of the deciding expert, chosen by the service; part of the signed decision'),
        }),
        z.object({
          adjudicationId: CaseId,
          decision: z.literal('ERROR').describe('It could not be examined there'),
        }),
      ])
      .describe('The answer'),
  })
  .describe('Told by an adjudication service: a request is answered')
export type AdjudicationAnswered = z.infer<typeof AdjudicationAnswered>
