/** The workflows as the API and the kiosk call them: the table of contents of what the appliance does. */
import type { Context } from '../context.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { Caller, Upload } from '../proofing/types.ts'
import { additionalFileWorkflows } from './evidence/additional-files.ts'
import { adjudicationWorkflows } from './adjudication/request-adjudication.ts'
import { deskWorkflows } from './adjudication/adjudication-desk.ts'
import { documentCaptureWorkflows } from './capture/capture-document.ts'
import { portraitCaptureWorkflows } from './capture/capture-portrait.ts'
import { sessionWorkflows } from './capture/capture-sessions.ts'
import { videoWorkflows } from './capture/capture-video.ts'
import { claimWorkflows } from './claims/claim-identity.ts'
import { createIdentity, type CreateIdentityInput } from './identity/create-identity.ts'
import { deletePortrait } from './evidence/delete-evidence.ts'
import { receiptWorkflows } from './retention/deletion-receipt.ts'
import { eraseIdentity } from './retention/erase-identity.ts'
import { answeredAdjudicationWorkflows } from './adjudication/take-adjudication.ts'
import { decisionWorkflows } from './adjudication/decide-adjudication.ts'
import { delegatedLivenessWorkflows } from './capture/fetch-liveness.ts'
import { guidanceWorkflows } from './capture/guide-capture.ts'
import { recognitionWorkflows } from './capture/recognise-side.ts'
import { legalHoldWorkflows } from './retention/legal-hold.ts'
import {
  findIdentity,
  getDocumentImage,
  getEvidenceStatus,
  getIdentity,
  getIdentityStatus,
  getPortrait,
  getPortraitImage,
  openIdentities,
} from './identity/read-identity.ts'
import { readLineWorkflows } from './evidence/read-lines.ts'
import { pauseWorkflows } from './identity/pause-identity.ts'
import { recordConsents, type ConsentInput } from './identity/record-consents.ts'
import { healthReporter } from './health/report-health.ts'
import { fraudCheckWorkflows } from './fraud/request-fraud-checks.ts'
import { sealProof } from './proof/seal-proof.ts'
import { dataWorkflows } from './evidence/submit-data.ts'
import { supportedEvidenceWorkflows } from './evidence/supported-evidence.ts'
import { trustedClaimWorkflows } from './claims/trusted-claim.ts'
import { mobileWorkflows } from './claims/verify-mobile.ts'
import { userAgentTokenWorkflows } from './access/user-agent-token.ts'
import { webhookWorkflows } from './webhooks/manage-webhooks.ts'
import { submitDocument, submitPortrait, type DocumentSubmission } from './evidence/submit-evidence.ts'

export type Workflows = ReturnType<typeof createWorkflows>

type Show = { detailed: boolean }

export function createWorkflows(ctx: Context) {
  return {
    createIdentity: (caller: Caller, input: CreateIdentityInput) => createIdentity(ctx, caller, input),
    getIdentity: (caller: Caller, id: string, show: Show) => getIdentity(ctx, caller, id, show),
    findIdentity: (caller: Caller, correlationId: string, show: Show) =>
      findIdentity(ctx, caller, correlationId, show),
    getIdentityStatus: (caller: Caller, id: string) => getIdentityStatus(ctx, caller, id),
    openIdentities: (caller: Caller) => openIdentities(ctx, caller),
    eraseIdentity: (caller: Caller, id: string) => eraseIdentity(ctx, caller, id),
    recordConsents: (caller: Caller, id: string, consents: readonly ConsentInput[]) =>
      recordConsents(ctx, caller, id, consents),
    submitDocument: (caller: Caller, id: string, submission: DocumentSubmission) =>
      submitDocument(ctx, caller, id, submission),
    getDocumentImage: (caller: Caller, id: string, evidenceId: string) =>
      getDocumentImage(ctx, caller, id, evidenceId),
    getEvidenceStatus: (caller: Caller, id: string, evidenceId: string) =>
      getEvidenceStatus(ctx, caller, id, evidenceId),
    submitPortrait: (caller: Caller, id: string, image: Upload, device?: CaptureDevice) =>
      submitPortrait(ctx, caller, id, image, device),
    getPortrait: (caller: Caller, id: string, show: Show) => getPortrait(ctx, caller, id, show),
    getPortraitImage: (caller: Caller, id: string) => getPortraitImage(ctx, caller, id),
    deletePortrait: (caller: Caller, id: string) => deletePortrait(ctx, caller, id),
    sealProof: (caller: Caller, id: string) => sealProof(ctx, caller, id),
    ...additionalFileWorkflows(ctx),
    ...dataWorkflows(ctx),
    ...readLineWorkflows(ctx),
    ...sessionWorkflows(ctx),
    ...documentCaptureWorkflows(ctx),
    ...portraitCaptureWorkflows(ctx),
    ...guidanceWorkflows(ctx),
    ...recognitionWorkflows(ctx),
    ...videoWorkflows(ctx),
    ...delegatedLivenessWorkflows(ctx),
    ...adjudicationWorkflows(ctx),
    ...deskWorkflows(ctx),
    ...decisionWorkflows(ctx),
    ...answeredAdjudicationWorkflows(ctx),
    ...fraudCheckWorkflows(ctx),
    ...pauseWorkflows(ctx),
    ...trustedClaimWorkflows(ctx),
    ...claimWorkflows(ctx),
    ...mobileWorkflows(ctx),
    ...supportedEvidenceWorkflows(ctx),
    ...legalHoldWorkflows(ctx),
    ...receiptWorkflows(ctx),
    ...userAgentTokenWorkflows(ctx),
    ...webhookWorkflows(ctx),
    health: healthReporter(ctx),
    jwks: async () => ({ keys: [...ctx.store.signingKeys.publicKeys()] }),
  }
}
