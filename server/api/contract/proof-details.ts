/**
 * Schema of verificationAndEvaluationDetails.json in a proof archive, member by member, as this version writes it
 * (spec "VerificationAndEvaluationDetails"). It is part of `GET /proof-schema`.
 */
import { z } from 'zod'
import { CHIP_VERDICTS } from '../../proofing/chip-evidence.ts'
import { EVIDENCE_STATUSES, LEVELS } from '../../proofing/types.ts'
import {
  Address,
  EmailContact,
  LandlineContact,
  MobileContact,
  PARTICIPANT,
  PersonalAttributes,
  ResultError,
} from './evidence.ts'
import { AdditionalFile, Consent, UpgradePaths } from './identity.ts'
import { DateTime, Id, KeyAndValue, NamedValue } from './primitives.ts'

const Level = z.enum(LEVELS)
const Indicators = z.array(z.string())

const Operation = z
  .strictObject({
    id: Id.describe('Id of the call'),
    name: z
      .string()
      .describe('Name of the operation')
      .meta({ examples: ['ID_DOCUMENT_CAPTURE'] }),
    type: z.enum(['ADD', 'DELETE']).describe('Whether it added or deleted'),
  })
  .describe('A recorded call')

const NamedEvidence = z
  .strictObject({ id: Id, type: z.string().describe('Type of the evidence, or ADDITIONAL_FILE') })
  .describe('A file, or evidence that this step deleted; it has no judgement')
const ProofEvidence = z
  .strictObject({
    id: Id.describe('Id of the evidence'),
    type: z.string().describe('Type of the evidence at the end of the step'),
    errors: z.array(ResultError).describe('Errors of the result'),
    raisedIndicators: Indicators.describe(
      'Indicators as the checks raised them; a failure is …_FAILED even if it only warns',
    ),
    statusAndScoring: z
      .strictObject({
        status: z.enum(EVIDENCE_STATUSES).describe('Status at the end of the step'),
        score: Level.describe('Level that the evidence had reached'),
        strength: Level.describe('Highest level that the evidence could reach'),
        positiveIndicators: Indicators.describe('Checks that passed, …_OK, and GIV_VERIFICATION_VERIFIED'),
        warningIndicators: Indicators.describe(
          'Failed checks that do not invalidate the evidence, …_WARNING',
        ),
        blockingIndicators: Indicators.describe('Failed checks that invalidate the evidence, …_FAILED'),
        unverifiedIndicators: Indicators.describe('Checks without an answer, …_UNVERIFIED'),
        allNonOKVerifications: Indicators.describe('Every raised indicator of a check that did not pass'),
        indicatorsMitigations: z
          .array(z.strictObject({ indicator: z.string(), mitigatedBy: z.string() }))
          .describe('Reason that outweighs a failure or a missing answer'),
        isBlockingindicatorFound: z.boolean(),
        isMandatoryIndicatorMissing: z.boolean(),
        isTechnicalError: z.boolean(),
        mandatoryCheckRulesMissing: z.array(z.string()).describe('Mandatory checks that did not pass'),
        strengthRuleUsed: z.string().describe('Rule of the policy behind the strength'),
      })
      .describe('The judgement'),
    attributesReferenceAndConsistency: z
      .strictObject({
        isReference: z.boolean().describe('Whether other evidence is compared with its names'),
        isTechnicalError: z.boolean(),
        mismatchedAttributes: z
          .array(z.string())
          .describe('Attributes that disagree with the name reference'),
      })
      .describe('Its names'),
    portraitMatchingReference: z
      .strictObject({ isReference: z.boolean(), isTechnicalError: z.boolean() })
      .describe('Whether the applicant was compared with its portrait'),
    evidencesAdjudicationEligibility: z
      .strictObject({ isAdjudicable: z.boolean(), isTechnicalError: z.boolean() })
      .describe('Whether an adjudicator could be asked'),
    consentApproved: z.boolean().describe('Whether every required consent was given at the end of the step'),
    extracted: z.boolean().describe('Whether its data was read from pictures'),
    externallyVerified: z.boolean().describe('Whether an outside source confirms it'),
  })
  .describe('Judgement of a piece of evidence at the end of the step')

const device = {
  deviceModel: z.string().optional(),
  osType: z.string().optional(),
  osVersion: z.string().optional(),
}
const Holder = PersonalAttributes.extend({
  personalNumber: NamedValue.extend({ issuingCountry: z.string() }).optional(),
  address: Address.optional(),
})
const EvidenceDetails = z
  .strictObject({
    id: Id.describe('Id of the evidence'),
    family: z.string().describe('IDDOCUMENT, IDENTIFICATION (a portrait), ATTRIBUTES, ADDRESS, …'),
    type: z.string().describe('Type of the evidence'),
    addressReferenceId: Id.optional().describe('Ids of the evidence from which an address derives'),
    attributesReferenceId: Id.optional().describe('Id of the evidence with which attributes were compared'),
    captureImages: z
      .array(
        z.strictObject({
          id: Id.describe('Id of the picture, as in `hashes.images`'),
          source: z.string(),
          channel: z.string().optional(),
          side: z.enum(['FRONT', 'BACK']).optional(),
          ...device,
        }),
      )
      .optional()
      .describe('Pictures'),
    photoCrops: z
      .array(z.strictObject({ id: Id, originalCaptureId: Id.optional() }))
      .optional()
      .describe('Portraits cut from the pictures'),
    deviceInfo: z.strictObject(device).optional().describe('The device, by its own statement'),
    sdkInfo: z.strictObject({ sdkVersion: z.string() }).optional().describe('The capture component'),
    video: z.strictObject({ id: Id }).optional().describe('The video, if the tenant keeps videos'),
    data: z
      .strictObject({
        documentNumber: z.string().optional(),
        expiryDate: z.string().optional(),
        issuingDate: z.string().optional(),
        issuingCountry: z.string().optional(),
        holderInformation: z.array(Holder).optional(),
        metadata: z.array(KeyAndValue).optional(),
        mrz: z.array(z.string()).optional(),
      })
      .optional()
      .describe('Data that was read or submitted'),
  })
  .describe('Content of the evidence; for deleted evidence without pictures and values')

const ChipVerdict = z.enum(CHIP_VERDICTS)
const Chip = z
  .strictObject({
    fileId: Id.describe('Id of the files of the chip, as in `hashes.additionalFiles`'),
    source: z
      .enum(['READER', 'FILES'])
      .describe('READER: a reader of the appliance; FILES: sent by the caller'),
    readAt: z.iso.datetime().describe('Time of reading'),
    protocols: z
      .strictObject({
        access: ChipVerdict,
        chipAuthentication: ChipVerdict,
        activeAuthentication: ChipVerdict,
        mapping: ChipVerdict,
      })
      .nullable()
      .describe('Verdicts of the protocols that ran with the chip; null for FILES'),
    authenticity: z
      .strictObject({
        verdict: ChipVerdict,
        reasons: z.array(z.string()).describe('Checks that were not successful, each with its reason'),
        verifiedGroups: z.array(z.int()).describe('Data groups that the issuer signed'),
        indicators: z.array(z.string()),
        isRevocationKnown: z.boolean(),
        lists: z.array(z.string()).describe('SHA-256 of the imported lists that it was verified with'),
        certificates: z.array(z.string()).describe('From the signer to the authority, base64 of DER'),
        cardSecurity: ChipVerdict.nullable().describe('Verdict on EF.CardSecurity'),
      })
      .optional()
      .describe('Result of passive authentication'),
  })
  .describe('What was read of the chip, and how it was judged')

const ReadText = z.strictObject({ value: z.string() })
const PersonReading = z
  .strictObject({
    salt: z.string().describe('128 random bits, base64url'),
    values: z.strictObject({
      idDocumentType: z.string().optional(),
      idDocumentNumber: z.string().optional(),
      issuingCountry: z.string().optional(),
      issuingState: z.string().optional(),
      issuingDate: z.string().optional(),
      expiryDate: z.string().optional(),
      personalAttributes: z
        .strictObject({
          givenNames: z.array(ReadText).optional(),
          surname: ReadText.optional(),
          fullname: ReadText.optional(),
          dateOfBirth: ReadText.optional(),
          gender: ReadText.optional(),
          nationality: ReadText.optional(),
        })
        .optional(),
    }),
  })
  .describe(
    'Values that the adjudicator read from the picture and the machine could not. The SHA-256 of its canonical ' +
      'JSON is signed as `readingSha256`. Absent for deleted evidence',
  )
const RecordedDecision = z
  .strictObject({
    decision: z.enum(['ACCEPTED', 'REJECTED', 'UNSURE']),
    reason: z.string().describe('Code of the reason in the catalogue'),
    adjudicator: z.strictObject({ id: z.string(), kind: z.enum(['STAFF', 'SERVICE']) }),
    decidedAt: DateTime,
    examination: z
      .strictObject({
        samePerson: z.string().optional(),
        documentReal: z.string().optional(),
        dataAgree: z.string().optional(),
        features: z.array(z.string()),
        viewedSeconds: z.number(),
      })
      .optional()
      .describe("Answers of the adjudicator, given before the machine's measurements were shown"),
    signature: z
      .string()
      .describe('Compact JWS over the decision and the hashes of the shown data and of the reading'),
    reading: PersonReading.optional(),
  })
  .describe('A decision of an adjudicator')
const Service = z
  .strictObject({
    serviceName: z
      .string()
      .describe(
        'Step of the pipeline, antifraud/… for an antifraud check, or CONNECTOR/SOURCE of a service outside',
      ),
    isTechnicalError: z.boolean(),
    responseTimeMS: z.number(),
    serviceRequestId: z.string().optional().describe('Id of the question to a service outside'),
    serviceVersion: z.string().optional(),
    matchingScore: z.number().optional(),
    codingQualityOk: z.boolean().optional(),
    adjudicationDetails: z
      .strictObject({
        status: z.string(),
        reason: z.string().optional(),
        decisions: z.array(RecordedDecision).optional(),
      })
      .optional(),
    errors: z.array(ResultError),
    raisedIndicators: Indicators,
  })
  .describe('A part of the appliance that took part')
const Verification = z
  .strictObject({
    startDateTime: DateTime,
    endDateTime: DateTime,
    sessionCreationTime: DateTime,
    ...PARTICIPANT,
    isBlockingParticipant: z.boolean().describe('Whether its rejection ended the verification'),
    errors: z.array(ResultError),
    raisedIndicators: Indicators,
    linkedIdentityOperation: Operation.describe(
      'The call that submitted the evidence or requested the check',
    ),
    verificationId: z.string().optional().describe('Id of the adjudication request'),
    sessionId: z.string().optional().describe('Id of the capture session'),
    mainOcrService: z.string().optional(),
    referenceId: Id.optional().describe('Id of the evidence with which it was compared'),
    referenceType: z.string().optional(),
    candidateId: Id.optional().describe('Id of the compared or examined evidence'),
    candidateType: z.string().optional(),
    verificationServices: z.array(Service),
  })
  .describe('One verification')

const StepExtras = z
  .strictObject({
    policy: z
      .strictObject({ id: z.string(), version: z.string(), profile: z.string().nullable() })
      .optional()
      .describe('Policy of the evaluation, and the profile that was met'),
    judgements: z
      .record(
        Id,
        z.strictObject({
          scoreRuleUsed: z.string().describe('Rule of the policy behind the score'),
          withheldBy: z
            .array(z.string())
            .optional()
            .describe('Failed checks that do not invalidate the evidence but prevent VERIFIED'),
          unclearAttributes: z.array(z.string()).optional().describe('Attributes that cannot be compared'),
          resolvableAttributes: z
            .array(z.string())
            .optional()
            .describe('Disagreements that other documents may explain'),
        }),
      )
      .optional()
      .describe('Judgements by id of the evidence'),
    verifications: z
      .array(
        z.strictObject({
          measurements: z.array(
            z.strictObject({
              check: z.string(),
              outcome: z.enum(['passed', 'failed', 'inconclusive']),
              measured: z.record(z.string(), z.union([z.number(), z.string()])),
            }),
          ),
          models: z.array(z.strictObject({ id: z.string(), version: z.string(), sha256: z.string() })),
        }),
      )
      .optional()
      .describe('Measurements and models of each of `verificationDetails`, in the same order'),
    bytesCut: z
      .record(Id, z.int().min(1))
      .optional()
      .describe('Number of bytes behind the end of a picture that were cut off, by id of the picture'),
    chip: Chip.optional(),
  })
  .describe('Members of Counterproof beside those of the specification')

const Step = z
  .strictObject({
    identityOperation: Operation,
    identityOperationParent: Operation.optional().describe('The previous call about the same evidence'),
    identityOperationChild: Operation.optional().describe('The next call about the same evidence'),
    participantContextId: Id.describe('Id of the evidence, consent or file of the call'),
    progress: z.enum(['STARTING', 'PROCESSING', 'DONE', 'BLOCKED', 'ERROR', 'PAUSE']),
    startDateTime: DateTime.describe('Time of the call'),
    businessId: z.string().optional().describe('Correlation id of the relying service'),
    sessionId: z.string().optional().describe('Id of the capture session'),
    additionalFile: AdditionalFile.optional(),
    consentsDetails: z.strictObject({ consents: z.array(Consent) }).optional(),
    contactDetails: z
      .strictObject({
        mobile: MobileContact.optional(),
        email: EmailContact.optional(),
        landline: LandlineContact.optional(),
      })
      .optional(),
    evaluationDetails: z
      .strictObject({
        evaluationDateTime: DateTime.describe('Time of the evaluation in this step'),
        evidences: z
          .array(z.union([ProofEvidence, NamedEvidence]))
          .describe('The evidence of this step, and evidence that was judged again because of it'),
        loaAndUpgradePath: z.strictObject({
          levelOfAssurance: z.string().describe('Level at the end of the step'),
          upgradePaths: UpgradePaths,
          isTechnicalError: z.boolean(),
        }),
        updateOnIdentitySuccess: z.boolean(),
      })
      .optional()
      .describe('Evaluation of the step; absent if an earlier version recorded the call without it'),
    evidenceDetails: EvidenceDetails.optional(),
    processingDetails: z.strictObject({
      startDateTime: DateTime,
      endDateTime: DateTime,
      httpCode: z.int(),
      method: z.enum(['POST', 'PUT', 'DELETE']),
      uri: z.string().describe('Path of the call, with ids only'),
      submissionId: Id,
      tokenRole: z.enum(['RELYING_SERVICE', 'USER_AGENT']),
      errors: z.array(ResultError),
    }),
    verificationDetails: z.array(Verification).describe('Verifications; empty for a deletion'),
    counterproof: StepExtras.optional(),
  })
  .describe('A recorded call with the judgement at its end')

export const ProofDetailsFile = z.array(Step).describe('verificationAndEvaluationDetails.json')
