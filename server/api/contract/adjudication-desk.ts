/** Ours, beyond the spec: the desk of the adjudicators. Nothing of the person stands in its queue. */
import { z } from 'zod'
import { ADJUDICATION_DECISIONS, ADJUDICATOR_KINDS, STAFF_ID } from '../../proofing/adjudication-decision.ts'
import { ADJUDICATION_STATUSES, EVIDENCE_TYPES } from '../../proofing/types.ts'
import { PersonReadValues } from './requests.ts'
import { given } from './primitives.ts'
import { ResultError } from './evidence.ts'
import { DateTime, Id } from './primitives.ts'
import type { Frozen } from './primitives.ts'

const Decision = z.enum(ADJUDICATION_DECISIONS)
const HumanAnswer = z.enum(['YES', 'NO', 'CANNOT_TELL'])
const AdjudicatorId = z
  .string()
  .regex(STAFF_ID, 'must be 1 to 64 of the characters A-Z, a-z, 0-9, dot, hyphen and underscore')
const AdjudicatorView = z.object({
  id: z.string().describe('As the relying service calls this person'),
  kind: z
    .enum(ADJUDICATOR_KINDS)
    .describe('STAFF: a person; SERVICE: a service outside, which counts as one'),
})

/** Ours: one line of the queue. Nothing of the person. */
export const DeskEntry = z
  .object({
    adjudicationId: Id.describe('The request'),
    identityId: Id.describe('Whose evidence it is'),
    evidenceId: Id.describe('What is to be decided about'),
    type: z
      .string()
      .describe('Kind of evidence')
      .meta({ examples: ['PASSPORT'] }),
    status: z.enum(ADJUDICATION_STATUSES).describe('TO_PROCESS, UNSURE: to be claimed; PROCESSING: claimed'),
    requestDateTime: DateTime.describe('When it was asked for'),
    dueDateTime: DateTime.optional().describe('After this time the request ends without a decision'),
    responseDateTime: DateTime.optional().describe('When it ended'),
    fourEyes: z.boolean().describe('Whether two people must accept'),
    decisionsMade: z.int().describe('How many have decided so far'),
    claimedUntil: DateTime.optional().describe('Until when the officer who works on it keeps it'),
  })
  .describe('One request of the queue of adjudicators')
export const DeskList = z
  .object({
    adjudications: z.array(DeskEntry).describe('Oldest first'),
    next: z.string().optional().describe('Send it as after for the next page; absent on the last one'),
  })
  .describe('A page of the queue of adjudicators')
export const DeskCase = DeskEntry.extend({
  evidenceStatus: z.string().describe('Status of the evidence'),
  claimedBy: AdjudicatorView.optional().describe('Who has it now'),
  positiveIndicators: z.array(z.string()).describe('Checks that passed'),
  warningIndicators: z.array(z.string()).describe('Checks that warn'),
  blockingIndicators: z.array(z.string()).describe('Failures that invalidate it'),
  unverifiedIndicators: z.array(z.string()).describe('Checks that gave no answer'),
  errors: z.array(ResultError).describe('What went wrong'),
  referenceId: Id.optional().describe('For a portrait: the document that it is compared with'),
  images: z
    .array(
      z.object({
        evidenceId: Id.describe('The evidence that they are of'),
        href: z.string().describe('Path of this API to fetch them from'),
      }),
    )
    .describe('Where the pictures to look at are fetched'),
  choices: z
    .array(
      z.object({
        decision: Decision.describe('What may be decided'),
        reasons: z
          .array(
            z.object({
              code: z.string().describe('What to send'),
              text: z.string().describe('What it means, for people'),
            }),
          )
          .describe('Why it may be decided so'),
      }),
    )
    .describe('What may be decided, and the reasons that may be given'),
  acceptancesNeeded: z.int().describe('How many must accept'),
  reason: z.string().optional().describe('Once it has ended: why'),
  decisions: z
    .array(
      z.object({
        decision: Decision.describe('What was decided'),
        reason: z.string().describe('Why, by its code'),
        adjudicator: AdjudicatorView.describe('By whom'),
        decidedAt: DateTime.describe('When it was decided'),
        examination: z
          .object({
            samePerson: HumanAnswer.optional().describe('Whether both portraits show one person'),
            documentReal: HumanAnswer.optional().describe('Whether the document is genuine'),
            dataAgree: HumanAnswer.optional().describe('Whether all that is written says the same'),
            features: z.array(z.string()).describe('Features of the face that were compared'),
            viewedSeconds: z.int().describe('How long it was looked at, as the page says'),
          })
          .optional()
          .describe('At the counter: what was answered before the machine’s view was shown'),
        signature: z.string().describe('Compact JWS over what was decided and what was looked at'),
      }),
    )
    .optional()
    .describe('Once it has ended: every decision, oldest first'),
}).describe('One request with all that there is to see')
export const ClaimRequestByAdjudicator = z
  .object({
    adjudicator: AdjudicatorId.describe('Who looks at it, by the id that the relying service knows him by'),
  })
  .describe('Who claims a request, or gives it back')
export const DecisionRequest = z
  .strictObject({
    adjudicator: AdjudicatorId.describe('Who decides: the one who has claimed it'),
    decision: Decision.describe('UNSURE hands it on to a second person'),
    reason: z.string().max(61).describe('A code of the catalogue; no other text is taken'),
    values: given(PersonReadValues),
  })
  .describe('What an adjudicator decides')
export const DeskQuery = z.object({
  status: z.enum(ADJUDICATION_STATUSES).optional(),
  type: z.enum(EVIDENCE_TYPES).optional(),
  after: z.string().max(60).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export const DecisionAnswer = z
  .object({
    adjudicationId: Id.describe('The request'),
    identityId: Id.describe('Whose evidence it is'),
    evidenceId: Id.describe('What was decided about'),
    status: z.enum(ADJUDICATION_STATUSES).describe('UNSURE: a second person is awaited'),
  })
  .describe('What has become of the request')

export type DeskList = Frozen<z.infer<typeof DeskList>>
export type DeskCase = Frozen<z.infer<typeof DeskCase>>
export type DecisionRequest = Frozen<z.infer<typeof DecisionRequest>>
export type DecisionAnswer = Frozen<z.infer<typeof DecisionAnswer>>
