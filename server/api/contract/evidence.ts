/** Evidence as the relying service sees it (spec "Evidence common fields" and below). */
import { z } from 'zod'
import { DOCUMENT_SIDES, EVIDENCE_STATUSES, LEVELS, OTP_STATUSES } from '../../proofing/types.ts'
import { DateTime, Id, NamedValue } from './primitives.ts'
import type { Frozen } from './primitives.ts'

export const ResultError = z.object({
  code: z.string(),
  message: z.string().optional(),
  field: z.string().optional(),
})

export const EvidenceStatus = z.object({
  evaluationDateTime: DateTime.optional(),
  status: z.enum(EVIDENCE_STATUSES),
  strength: z.enum(LEVELS).optional(),
  score: z.enum(LEVELS).optional(),
  isAdjudicable: z.boolean().optional(),
  errors: z.array(ResultError).optional(),
  positiveIndicators: z.array(z.string()).optional(),
  warningIndicators: z.array(z.string()).optional(),
  blockingIndicators: z.array(z.string()).optional(),
  unverifiedIndicators: z.array(z.string()).optional(),
})

/** Numbers and names of thresholds, models and operating points: never a value that was read. */
const Measurement = z.object({
  check: z.string(),
  outcome: z.enum(['passed', 'failed', 'inconclusive']),
  measured: z.record(z.string(), z.union([z.number(), z.string()])),
})

/**
 * One verification that was run (spec "VerificationDetails"), with what was measured against which threshold and by
 * which model. Only in answers with detailed=true, only for the relying service.
 */
export const VerificationDetails = z.object({
  participantType: z.string(),
  participantState: z.string(),
  isBlockingParticipant: z.boolean().optional(),
  startDateTime: DateTime,
  endDateTime: DateTime,
  sessionCreationTime: DateTime.optional(),
  raisedIndicators: z.array(z.string()).optional(),
  errors: z.array(ResultError).optional(),
  verificationServices: z
    .array(z.object({ serviceName: z.string(), isTechnicalError: z.boolean(), responseTimeMS: z.number() }))
    .optional(),
  measurements: z.array(Measurement).optional(),
  models: z.array(z.object({ id: z.string(), version: z.string(), sha256: z.string() })).optional(),
})

const common = {
  evidenceId: Id,
  submitDateTime: DateTime,
  type: z.string(),
  evidenceStatus: EvidenceStatus,
  verificationDetails: z.array(VerificationDetails).optional(),
}

export const PersonalAttributes = z.object({
  givenNames: z.array(NamedValue).optional(),
  surname: NamedValue.optional(),
  fullname: NamedValue.optional(),
  dateOfBirth: NamedValue.optional(),
  gender: NamedValue.optional(),
  nationality: NamedValue.optional(),
  eyeColor: NamedValue.optional(),
  height: NamedValue.optional(),
})

export const Address = z.object({
  streetDetails: z.object({ streetLines: z.array(z.string()), verified: z.boolean().optional() }).optional(),
  postcode: z.string().optional(),
  city: z.string().optional(),
  state: z.string().optional(),
  country: z.string().optional(),
  verified: z.boolean().optional(),
  houseNumber: z.string().optional(),
  flatNumber: z.string().optional(),
  houseName: z.string().optional(),
  district: z.string().optional(),
  locality: z.string().optional(),
  county: z.string().optional(),
  fullAddress: z.string().optional(),
})

export const IdDocumentEvidence = z.object({
  ...common,
  idDocumentData: z
    .object({
      idDocumentType: z.string(),
      idDocumentNumber: z.string().optional(),
      issuingCountry: z.string().optional(),
      issuingState: z.string().optional(),
      issuingDate: z.string().optional(),
      expiryDate: z.string().optional(),
      personalAttributes: PersonalAttributes.optional(),
      address: Address.optional(),
      mrz: z.array(z.string()).optional(),
      /** Ours: an Australian licence's card has a number of its own. */
      cardNumber: z.string().optional(),
      /** Ours: what only a Medicare card carries. */
      medicare: z
        .object({
          cardType: z.enum(['B', 'G', 'Y']),
          individualReferenceNumber: z.int().optional(),
          furtherNames: z.array(z.string()),
        })
        .optional(),
    })
    .optional(),
})

export const PortraitEvidence = z.object({
  ...common,
  portraitQuality: z.boolean().optional(),
  livenessDiagnostic: z.string().optional(),
  portraitData: z
    .object({
      source: z.string(),
      channel: z.enum(['nativeSDK', 'webSDK']).optional(),
      metadata: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
    })
    .optional(),
})

export const AttributeEvidence = z.object({ ...common, attributesData: PersonalAttributes.optional() })
export const AddressEvidence = z.object({
  ...common,
  referenceIds: z.array(Id).optional(),
  addressData: Address.optional(),
})

/** Spec "Trusted identity claim evidence". */
export const TrustedIdClaimEvidence = z.object({
  ...common,
  idpIdentifier: z.string(),
  oidcGrantType: z.string(),
  portraitReferenceId: z.string().optional(),
  trustedIdClaimData: z
    .object({
      idDocumentType: z.string().optional(),
      idDocumentNumber: z.string().optional(),
      issuingDate: z.string().optional(),
      expiryDate: z.string().optional(),
      personalAttributes: PersonalAttributes.optional(),
      address: Address.optional(),
    })
    .optional(),
})

export const Otp = z.object({
  status: z.enum(OTP_STATUSES),
  creationTime: DateTime.optional(),
  /** Milliseconds until the passcode expires, counted from its creation. */
  timeout: z.int().optional(),
})

/** Spec "Contact details (mobile)". */
export const MobileContact = z.object({
  value: z.string(),
  verified: z.boolean(),
  otp: Otp,
  errors: z.array(ResultError).optional(),
})
export const ContactDetails = z.object({ mobile: MobileContact.optional() })

/** What of a claim is shown: of a payment card, only whether it was verified. */
export const ClaimData = z.object({
  attributesData: PersonalAttributes.extend({
    personalNumber: NamedValue.extend({ issuingCountry: z.string() }).optional(),
  }).optional(),
  addressesData: Address.optional(),
  contactDetails: z
    .object({ mobile: NamedValue.extend({ otp: Otp.optional(), errors: z.array(ResultError).optional() }) })
    .optional(),
  creditCardDetails: z.object({ verified: z.boolean() }).optional(),
})

/** Spec "Identity claim evidence"; status and data are absent where the tenant hides claim data. */
export const ClaimEvidence = z.object({
  ...common,
  evidenceStatus: EvidenceStatus.optional(),
  claimData: ClaimData.optional(),
})

/** Spec "Session and status responses": the answer to a submission and to a poll. */
export const SingleStatus = z.object({
  status: z.enum(EVIDENCE_STATUSES),
  type: z.string(),
  id: Id,
})

export const DocumentSessionAnswer = SingleStatus.extend({
  sessionId: Id,
  sidesToCapture: z.array(z.enum(DOCUMENT_SIDES)),
})
export const PortraitSessionAnswer = SingleStatus.extend({ sessionId: Id })
export const TrustedClaimAnswer = SingleStatus.extend({ idpAuthorizeEndpoint: z.url() })
/** Spec: {status, type}; the id is ours, for the polling of the status. */
export const MobileSubmitAnswer = SingleStatus.partial({ id: true })

export type TrustedIdClaimEvidence = Frozen<z.infer<typeof TrustedIdClaimEvidence>>
export type ContactDetails = Frozen<z.infer<typeof ContactDetails>>
export type MobileContact = Frozen<z.infer<typeof MobileContact>>
export type ClaimEvidence = Frozen<z.infer<typeof ClaimEvidence>>
export type DocumentSessionAnswer = Frozen<z.infer<typeof DocumentSessionAnswer>>
export type PortraitSessionAnswer = Frozen<z.infer<typeof PortraitSessionAnswer>>
export type TrustedClaimAnswer = Frozen<z.infer<typeof TrustedClaimAnswer>>
export type MobileSubmitAnswer = Frozen<z.infer<typeof MobileSubmitAnswer>>
export type EvidenceStatus = Frozen<z.infer<typeof EvidenceStatus>>
export type VerificationDetails = Frozen<z.infer<typeof VerificationDetails>>
export type PersonalAttributes = Frozen<z.infer<typeof PersonalAttributes>>
export type IdDocumentEvidence = Frozen<z.infer<typeof IdDocumentEvidence>>
export type PortraitEvidence = Frozen<z.infer<typeof PortraitEvidence>>
export type AttributeEvidence = Frozen<z.infer<typeof AttributeEvidence>>
export type AddressEvidence = Frozen<z.infer<typeof AddressEvidence>>
export type SingleStatus = Frozen<z.infer<typeof SingleStatus>>
