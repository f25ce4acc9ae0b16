/**
 * Lists the workflows that the API, the kiosk and the capture components call, by folder. Each entry is a function
 * `f(ctx, …)`; `createWorkflows` binds them to one appliance. The counter and the commands import some workflows directly.
 */
import type { Context } from '../context.ts'
import { createIdentity } from './identity/create-identity.ts'
import { resumeIdentity } from './identity/pause-identity.ts'
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
import { recordConsents } from './identity/record-consents.ts'
import { issueUserAgentToken } from './access/user-agent-token.ts'
import {
  addAdditionalFile,
  deleteAdditionalFile,
  getAdditionalFile,
  listAdditionalFiles,
} from './evidence/additional-files.ts'
import { deletePortrait } from './evidence/delete-evidence.ts'
import { cutReadLine, readLines } from './evidence/read-lines.ts'
import { checkTypedAddress, findAddressQuestion, stateAddress } from './evidence/state-address.ts'
import { checkTypedDetails, listMissingDetails, stateDetails } from './evidence/state-details.ts'
import {
  getAddress,
  listAddresses,
  listAttributes,
  submitAddress,
  submitAttributes,
  submitMedicare,
  submitTextDocument,
} from './evidence/submit-data.ts'
import { submitChip } from './evidence/submit-chip.ts'
import { submitDocument, submitPortrait } from './evidence/submit-evidence.ts'
import { getSupportedCountry, listSupportedCountries } from './evidence/supported-evidence.ts'
import { captureDocument } from './capture/capture-document.ts'
import { addPortraitFrame, beginPortrait } from './capture/capture-portrait.ts'
import {
  abandonCaptureSession,
  cancelPortraitSession,
  getCaptureSession,
  openDocumentSession,
  openPortraitSession,
} from './capture/capture-sessions.ts'
import { captureVideo } from './capture/capture-video.ts'
import { takeLivenessCallback } from './capture/fetch-liveness.ts'
import { findChipQuestion } from './capture/find-chip-question.ts'
import { guideCapture } from './capture/guide-capture.ts'
import { beginChipReading, getChipReading, stopChipReading } from './capture/read-chip.ts'
import { recognisePicture, recogniseSide } from './capture/recognise-side.ts'
import {
  claimAdjudication,
  getDesk,
  listDesk,
  releaseAdjudication,
} from './adjudication/adjudication-desk.ts'
import { decideAdjudication } from './adjudication/decide-adjudication.ts'
import {
  answerCase,
  claimCase,
  confirmDecision,
  draftDecision,
  releaseCase,
  undoDecision,
} from './adjudication/desk-review.ts'
import {
  getAdjudication,
  listAdjudications,
  requestAdjudication,
} from './adjudication/request-adjudication.ts'
import { takeAdjudicationAnswer } from './adjudication/take-adjudication.ts'
import { getClaim, submitClaim } from './claims/claim-identity.ts'
import {
  abandonTrustedClaim,
  finishTrustedClaim,
  getTrustedClaim,
  requestTrustedClaim,
} from './claims/trusted-claim.ts'
import { takeCallReport } from './claims/take-call-report.ts'
import { abandonContact, getContact, submitContact, submitPasscode } from './claims/verify-contact.ts'
import { sealProof } from './proof/seal-proof.ts'
import { getDeletionReceipt } from './retention/deletion-receipt.ts'
import { eraseIdentity } from './retention/erase-identity.ts'
import { getLegalHold, liftLegalHold, placeLegalHold } from './retention/legal-hold.ts'
import { getFraudChecks, requestFraudChecks } from './fraud/request-fraud-checks.ts'
import { healthReporter } from './health/report-health.ts'
import * as webhooks from './webhooks/call-webhooks.ts'

const WORKFLOWS = {
  // identity
  createIdentity,
  resumeIdentity,
  findIdentity,
  getDocumentImage,
  getEvidenceStatus,
  getIdentity,
  getIdentityStatus,
  getPortrait,
  getPortraitImage,
  openIdentities,
  recordConsents,
  // access
  issueUserAgentToken,
  // evidence
  addAdditionalFile,
  listAdditionalFiles,
  getAdditionalFile,
  deleteAdditionalFile,
  deletePortrait,
  readLines,
  cutReadLine,
  submitAddress,
  listAddresses,
  getAddress,
  listMissingDetails,
  checkTypedDetails,
  stateDetails,
  findAddressQuestion,
  checkTypedAddress,
  stateAddress,
  submitAttributes,
  listAttributes,
  submitTextDocument,
  submitMedicare,
  submitDocument,
  submitPortrait,
  submitChip,
  listSupportedCountries,
  getSupportedCountry,
  // capture
  captureDocument,
  beginPortrait,
  addPortraitFrame,
  openDocumentSession,
  openPortraitSession,
  cancelPortraitSession,
  getCaptureSession,
  abandonCaptureSession,
  captureVideo,
  takeLivenessCallback,
  guideCapture,
  findChipQuestion,
  beginChipReading,
  getChipReading,
  stopChipReading,
  recogniseSide,
  recognisePicture,
  // adjudication
  listDesk,
  getDesk,
  claimAdjudication,
  releaseAdjudication,
  decideAdjudication,
  claimCase,
  releaseCase,
  answerCase,
  draftDecision,
  confirmDecision,
  undoDecision,
  requestAdjudication,
  listAdjudications,
  getAdjudication,
  takeAdjudicationAnswer,
  // claims
  submitClaim,
  getClaim,
  requestTrustedClaim,
  getTrustedClaim,
  finishTrustedClaim,
  abandonTrustedClaim,
  submitContact,
  getContact,
  abandonContact,
  submitPasscode,
  takeCallReport,
  // proof
  sealProof,
  // retention
  getDeletionReceipt,
  eraseIdentity,
  placeLegalHold,
  getLegalHold,
  liftLegalHold,
  // fraud
  requestFraudChecks,
  getFraudChecks,
  // webhooks
  ...webhooks,
}

type Bound<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (ctx: Context, ...args: infer Args) => infer Answer
    ? (...args: Args) => Answer
    : never
}

export type Workflows = ReturnType<typeof createWorkflows>

export function createWorkflows(ctx: Context) {
  const bound = Object.entries(WORKFLOWS).map(([name, run]) => {
    const workflow = run as (ctx: Context, ...args: never[]) => unknown
    return [name, (...args: never[]) => workflow(ctx, ...args)] as const
  })
  return {
    ...(Object.fromEntries(bound) as Bound<typeof WORKFLOWS>),
    health: healthReporter(ctx),
    jwks: async () => ({ keys: [...ctx.store.signingKeys.publicKeys()] }),
  }
}
