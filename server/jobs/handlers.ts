/** Defines for each job kind: the schema of its payload, its workflow, and the action after its last failed attempt. */
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { ErrorCode } from '../errors.ts'
import type { JobKind } from '../store/jobs.ts'
import { carryOutDecision, dropDecision } from '../workflows/adjudication/carry-out-decision.ts'
import { finishErasure } from '../workflows/retention/erase-identity.ts'
import { askSourceAgain } from '../workflows/evidence/ask-source-again.ts'
import { giveUpVerification } from '../workflows/evidence/give-up-verification.ts'
import { giveUpTry } from '../workflows/evidence/next-try.ts'
import { makeFaceTemplate } from '../workflows/evidence/face-templates.ts'
import { giveUpFraudChecks, runFraudChecks } from '../workflows/fraud/run-fraud-checks.ts'
import { failFetch, fetchLiveness } from '../workflows/capture/fetch-liveness.ts'
import { askOperator, giveUpOperator } from '../workflows/claims/ask-operator.ts'
import { deliverOtp, failOtp } from '../workflows/claims/verify-contact.ts'
import { verifyEvidence, type VerifyResult } from '../workflows/evidence/verify-evidence.ts'

export interface JobHandler {
  run(ctx: Context, identityId: string, payload: unknown): Promise<VerifyResult>
  /** Runs inside a transaction after the last attempt failed with this error code. */
  giveUp(ctx: Context, identityId: string, payload: unknown, errorCode: ErrorCode): void
}

const AdjudicationPayload = z.object({ adjudicationId: z.string() })
const EvidencePayload = z.object({ evidenceId: z.string() })

export const JOB_HANDLERS: Readonly<Record<JobKind, JobHandler>> = {
  'verify-evidence': {
    run: (ctx, identityId, payload) =>
      verifyEvidence(ctx, identityId, EvidencePayload.parse(payload).evidenceId),
    giveUp: (ctx, identityId, payload, errorCode) => {
      const why = errorCode === 'vision_unavailable' ? 'unavailable' : 'technical'
      giveUpVerification(ctx, identityId, EvidencePayload.parse(payload).evidenceId, why)
    },
  },
  'ask-issuer': {
    run: (ctx, identityId, payload) =>
      askSourceAgain(ctx, 'issuer', identityId, EvidencePayload.parse(payload).evidenceId),
    giveUp: (ctx, _identityId, payload) => {
      giveUpTry(ctx, 'issuer', EvidencePayload.parse(payload).evidenceId)
    },
  },
  'ask-address-register': {
    run: (ctx, identityId, payload) =>
      askSourceAgain(ctx, 'addressRegister', identityId, EvidencePayload.parse(payload).evidenceId),
    giveUp: (ctx, _identityId, payload) => {
      giveUpTry(ctx, 'addressRegister', EvidencePayload.parse(payload).evidenceId)
    },
  },
  'ask-bureaus': {
    run: (ctx, identityId, payload) =>
      askSourceAgain(ctx, 'bureaus', identityId, EvidencePayload.parse(payload).evidenceId),
    giveUp: (ctx, _identityId, payload) => {
      giveUpTry(ctx, 'bureaus', EvidencePayload.parse(payload).evidenceId)
    },
  },
  'make-face-template': {
    run: (ctx, identityId, payload) =>
      makeFaceTemplate(ctx, identityId, EvidencePayload.parse(payload).evidenceId),
    // A missing template is no finding about the applicant: a check that needs it is inconclusive.
    giveUp: () => undefined,
  },
  'fetch-liveness': {
    run: (ctx, identityId, payload) =>
      fetchLiveness(ctx, identityId, EvidencePayload.parse(payload).evidenceId),
    giveUp: (ctx, identityId, payload, errorCode) => {
      failFetch(ctx, identityId, EvidencePayload.parse(payload).evidenceId, errorCode)
    },
  },
  'deliver-otp': {
    run: (ctx, identityId, payload) => deliverOtp(ctx, identityId, EvidencePayload.parse(payload).evidenceId),
    giveUp: (ctx, identityId, payload) => {
      failOtp(ctx, identityId, EvidencePayload.parse(payload).evidenceId)
    },
  },
  'ask-operator': {
    run: (ctx, identityId, payload) =>
      askOperator(ctx, identityId, EvidencePayload.parse(payload).evidenceId),
    giveUp: (ctx, identityId, payload) => {
      giveUpOperator(ctx, identityId, EvidencePayload.parse(payload).evidenceId)
    },
  },
  'run-fraud-checks': {
    run: (ctx, identityId) => runFraudChecks(ctx, identityId),
    giveUp: (ctx, identityId) => {
      giveUpFraudChecks(ctx, identityId)
    },
  },
  'finish-erasure': {
    run: async (ctx, identityId) => {
      await finishErasure(ctx, identityId)
      return 'done'
    },
    // An erasure is final: the next start of the server continues it.
    giveUp: () => undefined,
  },
  'carry-out-decision': {
    run: (ctx, identityId, payload) =>
      carryOutDecision(ctx, identityId, AdjudicationPayload.parse(payload).adjudicationId),
    giveUp: (ctx, identityId, payload, errorCode) => {
      dropDecision(ctx, identityId, AdjudicationPayload.parse(payload).adjudicationId, errorCode)
    },
  },
}
