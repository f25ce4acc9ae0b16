/** The identity and its summary as the relying service sees them (spec "Identity summary", "Identity", "Consent"). */
import { z } from 'zod'
import {
  ADJUDICATION_STATUSES,
  CONSENT_TYPES,
  EVIDENCE_STATUSES,
  FRAUD_CHECK_TYPES,
  IDENTITY_STATUSES,
} from '../../proofing/types.ts'
import {
  AddressEvidence,
  AttributeEvidence,
  ClaimEvidence,
  ContactDetails,
  IdDocumentEvidence,
  MobileContact,
  PortraitEvidence,
  ResultError,
  TrustedIdClaimEvidence,
} from './evidence.ts'
import { DateTime, Id } from './primitives.ts'
import type { Frozen } from './primitives.ts'

/** For every higher level, sets of submissions that would each reach it. */
export const UpgradePaths = z.record(
  z.string(),
  z.array(
    z.array(
      z.object({ evidence: z.string(), minimumScore: z.string(), checks: z.array(z.string()).optional() }),
    ),
  ),
)

export const GlobalStatus = z.object({
  id: Id,
  status: z.enum(IDENTITY_STATUSES),
  levelOfAssurance: z.string(),
  creationDateTime: DateTime,
  evaluationDateTime: DateTime.optional(),
  nameReferenceEvidenceId: Id.optional(),
  portraitReferenceEvidenceId: Id.optional(),
  upgradePaths: UpgradePaths.optional(),
})

export const Consent = z.object({
  consentId: Id,
  approved: z.boolean(),
  type: z.enum(CONSENT_TYPES),
  validityPeriod: z.object({ from: z.string().optional(), to: z.string().optional() }).optional(),
})

/** design.md "FraudCheck": what became of one check. */
export const FraudCheckResult = z.object({
  type: z.enum(FRAUD_CHECK_TYPES),
  status: z.enum(EVIDENCE_STATUSES),
  indicators: z.array(z.string()),
  evaluationDateTime: DateTime.optional(),
})

export const AdditionalFile = z.object({
  id: Id,
  metadata: z.array(z.object({ key: z.string(), value: z.string() })),
})

export const Identity = z.object({
  globalStatus: GlobalStatus,
  consents: z.array(Consent),
  attributes: z.array(AttributeEvidence),
  addresses: z.array(AddressEvidence),
  idDocuments: z.array(IdDocumentEvidence),
  portrait: PortraitEvidence.optional(),
  trustedIdClaim: TrustedIdClaimEvidence.optional(),
  claim: ClaimEvidence.optional(),
  contactDetails: ContactDetails.optional(),
  /** Ours: the antifraud checks that were asked for, with what became of them. */
  antifraud: z.array(FraudCheckResult).optional(),
  /** Ours: the additional files, as GET additional-files lists them. */
  additionalFiles: z.array(AdditionalFile).optional(),
  /** The calling business context given at creation: not verified (spec "Identity creation context"). */
  context: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
})

export const IdentityStatusAnswer = z.object({ globalStatus: GlobalStatus })
export const PortraitAnswer = z.object({ globalStatus: GlobalStatus, portrait: PortraitEvidence })
export const ConsentList = z.array(Consent)
export const AddressesAnswer = z.object({ globalStatus: GlobalStatus, addresses: z.array(AddressEvidence) })
export const AddressAnswer = z.object({ globalStatus: GlobalStatus, address: AddressEvidence })
export const AttributesAnswer = z.object({
  globalStatus: GlobalStatus,
  attributes: z.array(AttributeEvidence),
})
export const TrustedIdClaimsAnswer = z.object({
  globalStatus: GlobalStatus,
  trustedIdClaim: TrustedIdClaimEvidence,
})
/** Spec "In the claim-status response, an extra object named Claim appears inside globalStatus". */
export const ClaimAnswer = z.object({ globalStatus: GlobalStatus.extend({ Claim: ClaimEvidence }) })
export const MobileAnswer = z.object({
  globalStatus: GlobalStatus,
  contactDetails: z.object({ mobile: MobileContact }),
})
export const AdditionalFileList = z.array(AdditionalFile)
/** design.md: the file is kept, nothing about it is checked. */
export const AdditionalFileStatus = z.object({ id: Id, status: z.literal('STORED') })
/** design.md "AdjudicationStatus". */
export const AdjudicationAnswer = z.object({
  evidenceId: Id,
  type: z.string(),
  status: z.enum(ADJUDICATION_STATUSES),
  requestDateTime: DateTime,
  responseDateTime: DateTime.optional(),
  reason: z.string().optional(),
  errors: z.array(ResultError).optional(),
})
export const AdjudicationList = z.array(AdjudicationAnswer)
export const FraudCheckAnswer = z.object({ globalStatus: GlobalStatus, checks: z.array(FraudCheckResult) })

export type GlobalStatus = Frozen<z.infer<typeof GlobalStatus>>
export type Consent = Frozen<z.infer<typeof Consent>>
export type Identity = Frozen<z.infer<typeof Identity>>
export type IdentityStatusAnswer = Frozen<z.infer<typeof IdentityStatusAnswer>>
export type PortraitAnswer = Frozen<z.infer<typeof PortraitAnswer>>
export type AddressesAnswer = Frozen<z.infer<typeof AddressesAnswer>>
export type AddressAnswer = Frozen<z.infer<typeof AddressAnswer>>
export type AttributesAnswer = Frozen<z.infer<typeof AttributesAnswer>>
export type TrustedIdClaimsAnswer = Frozen<z.infer<typeof TrustedIdClaimsAnswer>>
export type ClaimAnswer = Frozen<z.infer<typeof ClaimAnswer>>
export type MobileAnswer = Frozen<z.infer<typeof MobileAnswer>>
export type AdditionalFile = Frozen<z.infer<typeof AdditionalFile>>
export type AdditionalFileStatus = Frozen<z.infer<typeof AdditionalFileStatus>>
export type AdjudicationAnswer = Frozen<z.infer<typeof AdjudicationAnswer>>
export type FraudCheckAnswer = Frozen<z.infer<typeof FraudCheckAnswer>>
