/** Adds the record of a case to the verifications of its evidence, which the proof holds. Makes no decision. */
import type { Context } from '../../context.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { AdjudicationStatus } from '../../proofing/types.ts'
import type { VerificationRecord } from '../../proofing/verification-record.ts'
import type { Case } from './find-adjudication.ts'

const ADJUDICATION = 'ADJUDICATION'
const STATES = { ACCEPTED: 'ACCEPTED', REJECTED: 'REJECTED' } as const
const OUTCOMES = { ACCEPTED: 'passed', REJECTED: 'failed' } as const

/**
 * Must run inside a transaction: stores all decisions of this case as one record beside those of the machine.
 */
export function keepDecisionRecord(
  ctx: Context,
  { evidence, adjudication }: Case,
  status: AdjudicationStatus,
  reason: string,
  now: Date,
): void {
  const ended = status === 'ACCEPTED' || status === 'REJECTED' ? status : null
  const requested = formatSpecDateTime(adjudication.requestedAt)
  const record: VerificationRecord = {
    startDateTime: requested,
    endDateTime: formatSpecDateTime(now),
    sessionCreationTime: requested,
    participantType: ADJUDICATION,
    verificationId: adjudication.id,
    participantState: ended ? STATES[ended] : ADJUDICATION,
    isBlockingParticipant: false,
    errors: [],
    raisedIndicators: ended ? [ended === 'ACCEPTED' ? `${ADJUDICATION}_OK` : `${ADJUDICATION}_FAILED`] : [],
    verificationServices: [
      {
        serviceName: 'adjudication',
        isTechnicalError: false,
        responseTimeMS: now.getTime() - adjudication.requestedAt.getTime(),
        adjudicationDetails: {
          status,
          reason,
          decisions: ctx.store.adjudicationDecisions.list(adjudication.id),
        },
      },
    ],
    measurements: [{ check: ADJUDICATION, outcome: ended ? OUTCOMES[ended] : 'inconclusive', measured: {} }],
    models: [],
  }
  const others = ctx.store.evidences
    .verification(evidence)
    .filter(({ verificationId }) => verificationId !== adjudication.id)
  ctx.store.evidences.addVerification(evidence, ctx.newId(), now, [...others, record])
}
