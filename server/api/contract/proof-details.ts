/**
 * verificationAndEvaluationDetails.json of a proof archive as this version writes it (spec "VerificationAndEvaluationDetails"),
 * member by member: part of `GET /proof-schema`.
 */
import { z } from 'zod'
import { EVIDENCE_STATUSES, LEVELS } from '../../proofing/types.ts'
import { Address, MobileContact, PARTICIPANT, PersonalAttributes, ResultError } from './evidence.ts'
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
  .describe('What is not judged: a file, or evidence that this step deleted')
const ProofEvidence = z
  .strictObject({
    id: Id.describe('Id of the evidence'),
    type: z.string().describe('Its type, as known by then'),
    errors: z.array(ResultError).describe('What went wrong'),
    raisedIndicators: Indicators.describe(
      'Indicators under the names by which the checks raised them: a failure is …_FAILED also where it only warns',
    ),
    statusAndScoring: z
      .strictObject({
        status: z.enum(EVIDENCE_STATUSES).describe('Its status by then'),
        score: Level.describe('The level that it had reached'),
        strength: Level.describe('The highest level that it could reach'),
        positiveIndicators: Indicators.describe('Checks that passed, …_OK'),
        warningIndicators: Indicators.describe('Failures that do not invalidate it, …_WARNING'),
        blockingIndicators: Indicators.describe('Failures that invalidate it, …_FAILED'),
        unverifiedIndicators: Indicators.describe('Checks that gave no answer, …_UNVERIFIED'),
        allNonOKVerifications: Indicators.describe('Every raised indicator that is not …_OK'),
        indicatorsMitigations: z
          .array(z.strictObject({ indicator: z.string(), mitigatedBy: z.string() }))
          .describe('What outweighs a failure or a missing answer'),
        isBlockingindicatorFound: z.boolean(),
        isMandatoryIndicatorMissing: z.boolean(),
        isTechnicalError: z.boolean(),
        mandatoryCheckRulesMissing: z.array(z.string()).describe('Mandatory checks that did not pass'),
        strengthRuleUsed: z.string().describe('Rule of the policy behind the strength'),
      })
      .describe('How it was judged'),
    attributesReferenceAndConsistency: z
      .strictObject({
        isReference: z.boolean().describe('Whether the others are compared with its names'),
        isTechnicalError: z.boolean(),
        mismatchedAttributes: z
          .array(z.string())
          .describe('Attributes in which it disagrees with the name reference'),
      })
      .describe('Its names'),
    portraitMatchingReference: z
      .strictObject({ isReference: z.boolean(), isTechnicalError: z.boolean() })
      .describe('Whether the person was compared with its portrait'),
    evidencesAdjudicationEligibility: z
      .strictObject({ isAdjudicable: z.boolean(), isTechnicalError: z.boolean() })
      .describe('Whether a person could be asked'),
    consentApproved: z.boolean().describe('Whether every consent that it needs was given by then'),
    extracted: z.boolean().describe('Whether its data was read from pictures'),
    externallyVerified: z.boolean().describe('Whether an outside source confirms it'),
  })
  .describe('How one piece of evidence was judged by then')

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
    type: z.string().describe('Its type'),
    addressReferenceId: Id.optional().describe('Evidence that an address derives from'),
    attributesReferenceId: Id.optional().describe('Evidence that attributes were compared with'),
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
      .describe('Portraits that were cut from the pictures'),
    deviceInfo: z.strictObject(device).optional().describe('The device, as it described itself'),
    sdkInfo: z.strictObject({ sdkVersion: z.string() }).optional().describe('The capture component'),
    video: z.strictObject({ id: Id }).optional().describe('The video, where the tenant keeps videos'),
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
      .describe('What was read or submitted'),
  })
  .describe('What the evidence consists of; of deleted evidence no pictures and no values')

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
    'What the adjudicator read off the picture, where the machine could not. The SHA-256 of its canonical JSON is signed as ' +
      '`readingSha256`. Of evidence that was deleted it is absent',
  )
const RecordedDecision = z
  .strictObject({
    decision: z.enum(['ACCEPTED', 'REJECTED', 'UNSURE']),
    reason: z.string().describe('Code of the catalogue'),
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
      .describe('What the adjudicator answered before seeing what the machine had measured'),
    signature: z
      .string()
      .describe(
        'Compact JWS over the decision and hashes of what was shown and of what was read off the picture',
      ),
    reading: PersonReading.optional(),
  })
  .describe('A decision of an adjudicator')
const Service = z
  .strictObject({
    serviceName: z.string().describe('Step of the pipeline, or antifraud/… for an antifraud check'),
    isTechnicalError: z.boolean(),
    responseTimeMS: z.number(),
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
  .describe('A part that took part')
const Verification = z
  .strictObject({
    startDateTime: DateTime,
    endDateTime: DateTime,
    sessionCreationTime: DateTime,
    ...PARTICIPANT,
    isBlockingParticipant: z.boolean().describe('Whether its rejection ended the verification'),
    errors: z.array(ResultError),
    raisedIndicators: Indicators,
    linkedIdentityOperation: Operation.describe('The call that brought the evidence or had it examined'),
    verificationId: z.string().optional().describe('Of adjudication: id of the request'),
    sessionId: z.string().optional().describe('Of the capture session'),
    mainOcrService: z.string().optional(),
    referenceId: Id.optional().describe('Evidence that it was compared with'),
    referenceType: z.string().optional(),
    candidateId: Id.optional().describe('The evidence that was compared or looked at'),
    candidateType: z.string().optional(),
    verificationServices: z.array(Service),
  })
  .describe('One verification')

const StepExtras = z
  .strictObject({
    policy: z
      .strictObject({ id: z.string(), version: z.string(), profile: z.string().nullable() })
      .optional()
      .describe('The policy of the evaluation, and the profile that was met'),
    judgements: z
      .record(
        Id,
        z.strictObject({
          scoreRuleUsed: z.string().describe('Rule of the policy behind the score'),
          withheldBy: z
            .array(z.string())
            .optional()
            .describe(
              'Checks that failed without invalidating the evidence, and keep it from being VERIFIED',
            ),
          unclearAttributes: z.array(z.string()).optional().describe('Attributes that cannot be compared'),
          resolvableAttributes: z
            .array(z.string())
            .optional()
            .describe('Attributes that other papers may clear up'),
        }),
      )
      .optional()
      .describe('By id of the evidence'),
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
      .describe('Of each of `verificationDetails`, in the same order: what was measured by which models'),
    bytesCut: z
      .record(Id, z.int().min(1))
      .optional()
      .describe('By id of the picture: bytes behind its end that were cut off before it was kept'),
  })
  .describe('Members of Counterproof beside those of the specification')

const Step = z
  .strictObject({
    identityOperation: Operation,
    identityOperationParent: Operation.optional().describe('The call before about the same evidence'),
    identityOperationChild: Operation.optional().describe('The call after about the same evidence'),
    participantContextId: Id.describe('Id of the evidence, consent or file that the call was about'),
    progress: z.enum(['STARTING', 'PROCESSING', 'DONE', 'BLOCKED', 'ERROR', 'PAUSE']),
    startDateTime: DateTime.describe('When the call came'),
    businessId: z.string().optional().describe("The relying service's own id of the case"),
    sessionId: z.string().optional().describe('Id of the capture session'),
    additionalFile: AdditionalFile.optional(),
    consentsDetails: z.strictObject({ consents: z.array(Consent) }).optional(),
    contactDetails: z.strictObject({ mobile: MobileContact }).optional(),
    evaluationDetails: z
      .strictObject({
        evaluationDateTime: DateTime.describe('When the identity was evaluated in this step'),
        evidences: z
          .array(z.union([ProofEvidence, NamedEvidence]))
          .describe('The evidence of this step, and evidence that was judged again because of it'),
        loaAndUpgradePath: z.strictObject({
          levelOfAssurance: z.string().describe('The level by then'),
          upgradePaths: UpgradePaths,
          isTechnicalError: z.boolean(),
        }),
        updateOnIdentitySuccess: z.boolean(),
      })
      .optional()
      .describe('Absent where an earlier version, which did not note it, recorded the call'),
    evidenceDetails: EvidenceDetails.optional(),
    processingDetails: z.strictObject({
      startDateTime: DateTime,
      endDateTime: DateTime,
      httpCode: z.int(),
      method: z.enum(['POST', 'PUT', 'DELETE']),
      uri: z.string().describe('Path, with ids only'),
      submissionId: Id,
      tokenRole: z.enum(['RELYING_SERVICE', 'USER_AGENT']),
      errors: z.array(ResultError),
    }),
    verificationDetails: z.array(Verification).describe('Empty for a deletion'),
    counterproof: StepExtras.optional(),
  })
  .describe('One recorded call, with what was judged by then')

export const ProofDetailsFile = z.array(Step).describe('verificationAndEvaluationDetails.json')
