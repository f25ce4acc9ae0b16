/** Ours, beyond the spec: the desk of the adjudicators. Its queue contains no data of the person. */
import { z } from 'zod'
import { ADJUDICATION_DECISIONS, ADJUDICATOR_KINDS, STAFF_ID } from '../../proofing/adjudication-decision.ts'
import { ADJUDICATION_STATUSES, EVIDENCE_TYPES } from '../../proofing/types.ts'
import { PersonReadValues } from './requests.ts'
import { toOptionalField } from './primitives.ts'
import { ResultError } from './evidence.ts'
import { DateTime, Id } from './primitives.ts'
import type { Frozen } from './primitives.ts'

const Decision = z.enum(ADJUDICATION_DECISIONS)
const HumanAnswer = z.enum(['YES', 'NO', 'CANNOT_TELL'])
const AdjudicatorId = z
  .string()
  .regex(STAFF_ID, 'must be 1 to 64 of the characters A-Z, a-z, 0-9, dot, hyphen and underscore')
const AdjudicatorView = z.object({
  id: z.string().describe('Id of the adjudicator at the relying service'),
  kind: z
    .enum(ADJUDICATOR_KINDS)
    .describe('STAFF: a person; SERVICE: an outside service, which counts as one adjudicator'),
})

/** Ours: one line of the queue, without data of the person. */
export const DeskEntry = z
  .object({
    adjudicationId: Id.describe('Id of the request'),
    identityId: Id.describe('Id of the identity'),
    evidenceId: Id.describe('Id of the evidence to decide'),
    type: z
      .string()
      .describe('Kind of evidence')
      .meta({ examples: ['PASSPORT'] }),
    status: z
      .enum(ADJUDICATION_STATUSES)
      .describe('TO_PROCESS, UNSURE: waits for a claim; PROCESSING: claimed'),
    requestDateTime: DateTime.describe('Time of the request'),
    dueDateTime: DateTime.optional().describe('Time at which the request ends without a decision'),
    responseDateTime: DateTime.optional().describe('End of the request'),
    fourEyes: z.boolean().describe('Whether two adjudicators must accept'),
    decisionsMade: z.int().describe('Number of decisions so far'),
    claimedUntil: DateTime.optional().describe('End of the present claim'),
  })
  .describe("A request in the adjudicators' queue")
export const DeskList = z
  .object({
    adjudications: z.array(DeskEntry).describe('Requests, oldest first'),
    next: z.string().optional().describe('Value of `after` for the next page; absent on the last page'),
  })
  .describe("A page of the adjudicators' queue")
export const DeskCase = DeskEntry.extend({
  evidenceStatus: z.string().describe('Status of the evidence'),
  claimedBy: AdjudicatorView.optional().describe('The adjudicator who has claimed it'),
  positiveIndicators: z.array(z.string()).describe('Checks that passed'),
  warningIndicators: z.array(z.string()).describe('Checks that warn'),
  blockingIndicators: z.array(z.string()).describe('Failed checks that invalidate the evidence'),
  unverifiedIndicators: z.array(z.string()).describe('Checks without an answer'),
  errors: z.array(ResultError).describe('Errors of the result'),
  referenceId: Id.optional().describe('Id of the document with which the portrait is compared'),
  images: z
    .array(
      z.object({
        evidenceId: Id.describe('Id of the evidence of the pictures'),
        href: z.string().describe('Path of the pictures in this API'),
      }),
    )
    .describe('Pictures of one piece of evidence'),
  choices: z
    .array(
      z.object({
        decision: Decision.describe('Possible decision'),
        reasons: z
          .array(
            z.object({
              code: z.string().describe('Code to send'),
              text: z.string().describe('Meaning for people'),
            }),
          )
          .describe('Reasons for this decision'),
      }),
    )
    .describe('A possible decision and its reasons'),
  acceptancesNeeded: z.int().describe('Number of adjudicators who must accept'),
  reason: z.string().optional().describe('Reason of the end, once the request has ended'),
  decisions: z
    .array(
      z.object({
        decision: Decision.describe('The decision'),
        reason: z.string().describe('Code of the reason'),
        adjudicator: AdjudicatorView.describe('The adjudicator'),
        decidedAt: DateTime.describe('Time of the decision'),
        examination: z
          .object({
            samePerson: HumanAnswer.optional().describe('Whether both portraits show one person'),
            documentReal: HumanAnswer.optional().describe('Whether the document is genuine'),
            dataAgree: HumanAnswer.optional().describe('Whether all sources of the data agree'),
            features: z.array(z.string()).describe('Features of the face that were compared'),
            viewedSeconds: z.int().describe('Time of the inspection, as the page reports it'),
          })
          .optional()
          .describe(
            "Answers of the officer at the counter, given before the machine's measurements were shown",
          ),
        signature: z.string().describe('Compact JWS over the decision and the hashes of the inspected data'),
      }),
    )
    .optional()
    .describe('Every decision, oldest first, once the request has ended'),
}).describe('A request with all data for its adjudicator')
export const ClaimRequestByAdjudicator = z
  .object({
    adjudicator: AdjudicatorId.describe('Id of the adjudicator at the relying service'),
  })
  .describe('The adjudicator who claims or releases a request')
export const DecisionRequest = z
  .strictObject({
    adjudicator: AdjudicatorId.describe('The adjudicator who has claimed the request'),
    decision: Decision.describe('The decision; UNSURE passes the request to a second adjudicator'),
    reason: z.string().max(61).describe('Code of a reason in the catalogue; no other text is accepted'),
    values: toOptionalField(PersonReadValues),
  })
  .describe("An adjudicator's decision")
export const DeskQuery = z.object({
  status: z.enum(ADJUDICATION_STATUSES).optional(),
  type: z.enum(EVIDENCE_TYPES).optional(),
  after: z.string().max(60).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export const DecisionAnswer = z
  .object({
    adjudicationId: Id.describe('Id of the request'),
    identityId: Id.describe('Id of the identity'),
    evidenceId: Id.describe('Id of the evidence'),
    status: z
      .enum(ADJUDICATION_STATUSES)
      .describe('Status of the request; UNSURE: a second adjudicator must decide'),
  })
  .describe('State of a request after a decision')

export type DeskList = Frozen<z.infer<typeof DeskList>>
export type DeskCase = Frozen<z.infer<typeof DeskCase>>
export type DecisionRequest = Frozen<z.infer<typeof DecisionRequest>>
export type DecisionAnswer = Frozen<z.infer<typeof DecisionAnswer>>
