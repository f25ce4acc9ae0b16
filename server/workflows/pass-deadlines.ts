/** Handles passed deadlines. Each one runs in a transaction of its own, so that one fault does not delay the others. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import type { Deadline, DeadlineKind } from '../store/deadlines.ts'
import { adjudicationTimedOut } from './adjudication/request-adjudication.ts'
import { claimTimedOut } from './adjudication/adjudication-desk.ts'
import { sessionTimedOut } from './capture/capture-sessions.ts'
import { deskDecisionDue } from './adjudication/carry-out-decision.ts'
import { tryDue } from './evidence/next-try.ts'
import { indexEntryExpired } from './evidence/face-templates.ts'
import { documentFingerprintExpired } from './fraud/duplicates.ts'
import { fraudRetryDue } from './fraud/run-fraud-checks.ts'
import { velocityMarksExpired } from './fraud/velocity.ts'
import { resumeUnanswered, transactionLifetimeOver } from './identity/pause-identity.ts'
import { applyRetention } from './retention/apply-retention.ts'
import { trustedClaimTimedOut } from './claims/trusted-claim.ts'
import { otpTimedOut, reportMissing } from './claims/verify-contact.ts'

/** Runs inside a transaction; the deadline itself is cleared already. */
type Pass = (ctx: Context, deadline: Deadline) => void

const PASS: Readonly<Record<DeadlineKind, Pass>> = {
  'capture-session': sessionTimedOut,
  adjudication: (ctx, deadline) => {
    adjudicationTimedOut(ctx, deadline)
    resumeUnanswered(ctx, deadline.identityId)
  },
  'adjudication-claim': claimTimedOut,
  otp: otpTimedOut,
  'otp-report': reportMissing,
  'trusted-claim': trustedClaimTimedOut,
  transaction: transactionLifetimeOver,
  retention: applyRetention,
  'face-index': indexEntryExpired,
  'document-print': documentFingerprintExpired,
  velocity: velocityMarksExpired,
  'fraud-retry': fraudRetryDue,
  'issuer-retry': (ctx, { subjectId }) => tryDue(ctx, 'issuer', subjectId),
  'address-retry': (ctx, { subjectId }) => tryDue(ctx, 'addressRegister', subjectId),
  'bureau-retry': (ctx, { subjectId }) => tryDue(ctx, 'bureaus', subjectId),
  'operator-retry': (ctx, { subjectId }) => tryDue(ctx, 'operator', subjectId),
  'desk-decision': deskDecisionDue,
}

const MAX_PER_RUN = 50

export function passDeadlines(ctx: Context): void {
  for (const deadline of ctx.store.deadlines.due(ctx.clock.now(), MAX_PER_RUN)) {
    const { kind, subjectId, identityId } = deadline
    try {
      ctx.store.transaction(() => {
        ctx.store.deadlines.clear(kind, subjectId)
        PASS[kind](ctx, deadline)
      })
    } catch (error) {
      // The disk refuses writes now: the deadline stays and is passed later.
      if (error instanceof AppError && error.code === 'status_not_stored') throw error
      // The deadline would fail again each time, so it is removed and logged.
      ctx.store.deadlines.clear(kind, subjectId)
      ctx.log.error({ kind, identityId, ...describeError(error) }, 'a deadline could not be processed')
    }
  }
}
