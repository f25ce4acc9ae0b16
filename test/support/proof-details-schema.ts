/**
 * verificationAndEvaluationDetails.json as the spec lists it ("Proof archive"): all required members, and no
 * further one except the object `counterproof`. Written independently of the product's own types.
 */
import { z } from 'zod'
import { DateTime } from '../../server/api/contract/primitives.ts'

const id = z.string().min(1)
const level = z.enum(['LEVEL0', 'LEVEL1', 'LEVEL2', 'LEVEL3', 'LEVEL4', 'LEVEL5'])
const names = z.array(z.string().regex(/^[A-Z0-9_]+$/))
const indicators = (ending: string) => z.array(z.string().regex(new RegExp(`(_${ending})$`)))
const error = z.strictObject({
  code: z.string(),
  message: z.string().optional(),
  field: z.string().optional(),
})
const namedValue = z.strictObject({ value: z.string(), verified: z.boolean() })
const keyValues = z.array(z.strictObject({ key: z.string(), value: z.string() }))

const OPERATIONS = [
  'EMAIL_OTP',
  'EMAIL_OTP_VERIFICATION',
  'MOBILE_OTP',
  'OTP_VERIFICATION',
  'CONSENTS',
  'ATTRIBUTES',
  'PORTRAIT_CAPTURE',
  'LIVENESS_VIDEO',
  'ID_DOCUMENT',
  'ID_DOCUMENT_CAPTURE',
  'ID_DOCUMENT_LIVE_CAPTURE',
  'EVIDENCE_NFC_VERIFICATION',
  'ADJUDICATION',
  'MEDICARE',
  'CERTIFICATES',
  'TRUSTED_ID_CLAIM',
  'PORTRAIT_REFERENCE',
  'ID_CLAIM',
  'ADDITIONAL_FILE',
] as const
const FAMILIES = [
  'IDDOCUMENT',
  'ATTRIBUTES',
  'ADDRESS',
  'DOCUMENT',
  'IDENTIFICATION',
  'PORTRAIT_REFERENCE',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'CONTACT',
] as const
const PARTICIPANTS = [
  'IMAGE_OCR',
  'BIOMETRIC_QUALITY_CHECK',
  'BIOMETRIC_MATCHING',
  'BIOMETRIC_LIVENESS',
  'ADJUDICATION',
  'ANTIFRAUD',
  'GOV_VERIFICATION',
  'NFC_CHIP_VERIFICATION',
  'CLAIM_VERIFICATION',
  'OPEN_ID_CONNECT',
] as const

const ProofEvidence = z.strictObject({
  id,
  type: z.string(),
  errors: z.array(error),
  raisedIndicators: names,
  statusAndScoring: z.strictObject({
    status: z.enum(['VERIFIED', 'INVALID', 'NOT_VERIFIED', 'PROCESSING', 'ADJUDICATION']),
    score: level,
    strength: level,
    // The spec names the passed issuer verification otherwise.
    positiveIndicators: indicators('OK|^GIV_VERIFICATION_VERIFIED'),
    warningIndicators: indicators('WARNING'),
    blockingIndicators: indicators('FAILED'),
    unverifiedIndicators: indicators('UNVERIFIED'),
    allNonOKVerifications: names,
    indicatorsMitigations: z.array(z.unknown()),
    isBlockingindicatorFound: z.boolean(),
    isMandatoryIndicatorMissing: z.boolean(),
    isTechnicalError: z.boolean(),
    mandatoryCheckRulesMissing: names,
    strengthRuleUsed: z.string(),
  }),
  attributesReferenceAndConsistency: z.strictObject({
    isReference: z.boolean(),
    isTechnicalError: z.boolean(),
    mismatchedAttributes: z.array(z.string()),
  }),
  portraitMatchingReference: z.strictObject({ isReference: z.boolean(), isTechnicalError: z.boolean() }),
  evidencesAdjudicationEligibility: z.strictObject({
    isAdjudicable: z.boolean(),
    isTechnicalError: z.boolean(),
  }),
  consentApproved: z.boolean(),
  extracted: z.boolean(),
  externallyVerified: z.boolean(),
})

const HolderInformation = z.strictObject({
  givenNames: z.array(namedValue).optional(),
  surname: namedValue.optional(),
  fullname: namedValue.optional(),
  dateOfBirth: namedValue.optional(),
  gender: z.strictObject({ value: z.enum(['M', 'F', 'X']), verified: z.boolean() }).optional(),
  nationality: namedValue.optional(),
  eyeColor: namedValue.optional(),
  height: namedValue.optional(),
  personalNumber: namedValue.extend({ issuingCountry: z.string().length(3) }).optional(),
  address: z.looseObject({ verified: z.boolean() }).optional(),
})

/** Evidence that is not judged, such as a file, or no longer judged: everything except the id is optional. */
const NamedEvidence = z.strictObject({ id, type: z.string() })

const device = {
  deviceModel: z.string().optional(),
  osType: z.string().optional(),
  osVersion: z.string().optional(),
}

const EvidenceDetails = z.strictObject({
  id,
  family: z.enum(FAMILIES),
  type: z.string(),
  addressReferenceId: id.optional(),
  attributesReferenceId: id.optional(),
  captureImages: z
    .array(
      z.strictObject({
        id,
        source: z.enum(['LIVE_CAPTURE_IMAGE', 'LIVE_CAPTURE_VIDEO', 'SCAN', 'OTHER', 'DOCUMENT_CROP']),
        channel: z.enum(['nativeSDK', 'webSDK']).optional(),
        side: z.enum(['FRONT', 'BACK']).optional(),
        ...device,
      }),
    )
    .min(1)
    .optional(),
  photoCrops: z
    .array(z.strictObject({ id, originalCaptureId: id }))
    .min(1)
    .optional(),
  deviceInfo: z.strictObject(device).optional(),
  sdkInfo: z.strictObject({ sdkVersion: z.string() }).optional(),
  video: z.strictObject({ id }).optional(),
  data: z
    .strictObject({
      documentNumber: z.string().optional(),
      expiryDate: z.iso.date().optional(),
      issuingDate: z.iso.date().optional(),
      issuingCountry: z.string().length(3).optional(),
      holderInformation: z.array(HolderInformation).min(1).optional(),
      metadata: keyValues.optional(),
      mrz: z.array(z.string()).optional(),
    })
    .optional(),
})

const IdentityOperation = z.strictObject({ id, name: z.enum(OPERATIONS), type: z.enum(['ADD', 'DELETE']) })

const VerificationDetails = z.strictObject({
  startDateTime: DateTime,
  endDateTime: DateTime,
  sessionCreationTime: DateTime,
  participantType: z.enum(PARTICIPANTS),
  // The spec also has PROCESSING, but no record of a sealed proof is unfinished.
  participantState: z.enum(['ACCEPTED', 'REJECTED', 'ADJUDICATION']).optional(),
  isBlockingParticipant: z.boolean(),
  errors: z.array(error),
  raisedIndicators: names,
  linkedIdentityOperation: IdentityOperation,
  verificationId: id.optional(),
  sessionId: id.optional(),
  mainOcrService: z.string().optional(),
  referenceId: id.optional(),
  referenceType: z.string().optional(),
  candidateId: id.optional(),
  candidateType: z.string().optional(),
  verificationServices: z.array(
    z.strictObject({
      serviceName: z.string(),
      isTechnicalError: z.boolean(),
      responseTimeMS: z.number(),
      serviceRequestId: z.string().optional(),
      serviceVersion: z.string().optional(),
      matchingScore: z.number().optional(),
      codingQualityOk: z.boolean().optional(),
      adjudicationDetails: z
        .strictObject({
          status: z.string(),
          reason: z.string().optional(),
          decisions: z
            .array(
              z.strictObject({
                decision: z.enum(['ACCEPTED', 'REJECTED', 'UNSURE']),
                reason: z.string(),
                adjudicator: z.strictObject({ id: z.string(), kind: z.enum(['STAFF', 'SERVICE']) }),
                decidedAt: DateTime,
                examination: z
                  .strictObject({
                    samePerson: z.string().optional(),
                    documentReal: z.string().optional(),
                    dataAgree: z.string().optional(),
                    features: names,
                    viewedSeconds: z.int(),
                  })
                  .optional(),
                signature: z.string(),
                reading: z
                  .strictObject({ salt: z.string(), values: z.record(z.string(), z.unknown()) })
                  .optional(),
              }),
            )
            .optional(),
        })
        .optional(),
      errors: z.array(error),
      raisedIndicators: names,
    }),
  ),
})

/** Our own members: one object per entry. */
const Counterproof = z.strictObject({
  policy: z.strictObject({ id, version: z.string(), profile: z.string().nullable() }).optional(),
  /** Keyed by id of the evidence. */
  judgements: z
    .record(
      z.string(),
      z.strictObject({
        scoreRuleUsed: z.string(),
        withheldBy: names.optional(),
        unclearAttributes: z.array(z.string()).optional(),
        resolvableAttributes: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  verifications: z
    .array(
      z.strictObject({
        measurements: z.array(
          z.strictObject({
            check: z.string(),
            outcome: z.string(),
            measured: z.record(z.string(), z.json()),
          }),
        ),
        models: z.array(z.strictObject({ id, version: z.string(), sha256: z.string().length(64) })),
      }),
    )
    .min(1)
    .optional(),
  bytesCut: z.record(z.string(), z.int().min(1)).optional(),
})

export const ProofDetailsEntry = z.strictObject({
  identityOperation: IdentityOperation,
  identityOperationParent: IdentityOperation.optional(),
  identityOperationChild: IdentityOperation.optional(),
  businessId: z.string().optional(),
  participantContextId: id,
  progress: z.enum(['STARTING', 'PROCESSING', 'DONE', 'BLOCKED', 'ERROR', 'PAUSE']),
  startDateTime: DateTime,
  sessionId: id.optional(),
  additionalFile: z.strictObject({ id, metadata: keyValues }).optional(),
  consentsDetails: z
    .strictObject({
      consents: z
        .array(
          z.strictObject({
            consentId: id,
            approved: z.boolean(),
            type: z.string(),
            validityPeriod: z
              .strictObject({ from: z.string().optional(), to: z.string().optional() })
              .optional(),
          }),
        )
        .length(1),
    })
    .optional(),
  contactDetails: z
    .strictObject({
      mobile: z.strictObject({
        value: z.string(),
        verified: z.boolean(),
        otp: z.strictObject({
          status: z.string(),
          creationTime: DateTime.optional(),
          timeout: z.int().optional(),
        }),
        errors: z.array(error),
      }),
    })
    .optional(),
  evaluationDetails: z
    .strictObject({
      evaluationDateTime: DateTime,
      evidences: z.array(z.union([ProofEvidence, NamedEvidence])),
      loaAndUpgradePath: z.strictObject({
        levelOfAssurance: z.string().regex(/^LOA\d$/),
        upgradePaths: z.record(z.string(), z.array(z.json())),
        isTechnicalError: z.boolean(),
      }),
      updateOnIdentitySuccess: z.boolean(),
    })
    .optional(),
  evidenceDetails: EvidenceDetails.optional(),
  processingDetails: z.strictObject({
    startDateTime: DateTime,
    endDateTime: DateTime,
    httpCode: z.int(),
    method: z.enum(['POST', 'PUT', 'DELETE']),
    uri: z.string().regex(/^\/v1\/(identities|adjudications)/),
    submissionId: id,
    tokenRole: z.enum(['RELYING_SERVICE', 'USER_AGENT']),
    errors: z.array(error),
  }),
  verificationDetails: z.array(VerificationDetails),
  counterproof: Counterproof.optional(),
})
export type ProofDetailsEntry = z.infer<typeof ProofDetailsEntry>
