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
  DocumentExtras,
  IdDocumentEvidence,
  EmailContact,
  LandlineContact,
  MobileContact,
  PortraitEvidence,
  ResultError,
  TrustedIdClaimEvidence,
} from './evidence.ts'
import { DateTime, Id, KeyAndValue } from './primitives.ts'
import type { Frozen } from './primitives.ts'

const LevelOfAssurance = z
  .string()
  .describe("Level of assurance (LOA) by the tenant's policy")
  .meta({ examples: ['LOA1'] })

/** Maps each higher level to sets of submissions. Each set would reach the level. */
export const UpgradePaths = z
  .record(
    z.string(),
    z.array(
      z.array(
        z.object({
          evidence: z.string().describe('Kind of evidence to submit; ANTIFRAUD: checks to request'),
          types: z.array(z.string()).optional().describe('Types of evidence, of which one is needed'),
          checks: z.array(z.string()).describe('Checks that the evidence must pass'),
        }),
      ),
    ),
  )
  .describe(
    'Higher level → sets of submissions, each of which would reach it; none contains another; empty if none ' +
      'reaches it',
  )

export const GlobalStatus = z
  .object({
    id: Id.describe('Id of the identity, used in every later path'),
    status: z
      .enum([...IDENTITY_STATUSES, 'EXPIRED'])
      .describe(
        'EXPECTING_INPUT: evidence can be submitted; PROCESSING: evidence is being verified, the proof is not ' +
          'available; PAUSED: must be resumed first; CLOSED: the proof was retrieved; EXPIRED: the lifetime is over, ' +
          'only the proof can be retrieved',
      ),
    levelOfAssurance: LevelOfAssurance,
    creationDateTime: DateTime.describe('Creation time'),
    evaluationDateTime: DateTime.optional().describe('Time of the last evaluation of the level'),
    nameReferenceEvidenceId: Id.optional().describe(
      'Id of the evidence with whose names other evidence is compared',
    ),
    portraitReferenceEvidenceId: Id.optional().describe(
      'Id of the evidence with whose portrait the applicant is compared',
    ),
    upgradePaths: UpgradePaths.optional(),
  })
  .describe('The identity in summary')

export const Consent = z
  .object({
    consentId: Id.describe('Id of the consent'),
    approved: z.boolean().describe('Whether the applicant agreed'),
    type: z.enum(CONSENT_TYPES).describe('Type of the consent'),
    validityPeriod: z
      .object({
        from: z.string().optional().describe('First day, yyyy-MM-dd'),
        to: z.string().optional().describe('Last day, yyyy-MM-dd'),
      })
      .optional()
      .describe('Validity of the consent; absent if it is valid immediately and without end'),
  })
  .describe('A consent that the applicant gave or refused')

/** Ours: the result of one check. */
export const FraudCheckResult = z
  .object({
    type: z.enum(FRAUD_CHECK_TYPES).describe('Type of the check'),
    status: z
      .enum(EVIDENCE_STATUSES)
      .describe('PROCESSING until the check is decided; NOT_VERIFIED: it could not be performed'),
    indicators: z
      .array(z.string())
      .describe(
        'Findings as <check>_<OK|WARNING|FAILED|UNVERIFIED>; while the check runs again, the earlier warning',
      ),
    subjects: z
      .array(Id)
      .optional()
      .describe('Ids of the examined evidence; the findings concern no other evidence'),
    measured: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('Counts, limits, dates and hashes of lists behind the findings; never a value of a document'),
    evaluationDateTime: DateTime.optional().describe('Time of the decision'),
  })
  .describe('An antifraud check with its result')

/** Ours: the reasons for the identity's level. */
export const Assessment = z
  .object({
    policy: z
      .object({
        id: z.string().describe('Id of the policy'),
        version: z.string().describe('Version of the policy'),
      })
      .describe('The policy that gave the level'),
    profile: z.string().nullable().describe('Profile of the policy that was met; null at the lowest level'),
    countedIds: z.array(Id).describe('Ids of the evidence that supports the level'),
    disagreements: z
      .array(
        z.object({
          evidenceId: Id.describe('Ids of verified evidence that does not count'),
          attributes: z.array(z.string()).describe('Attributes that disagree with the name reference'),
        }),
      )
      .describe('Evidence that seems to belong to another person'),
    scales: z
      .record(z.string(), z.number())
      .describe("Scores of the policy's standard for the whole identity"),
    heldDownBy: z.array(z.string()).describe('Indicators without which the level would be higher'),
  })
  .describe('Explanation of the level')

/** Ours: each value of the identity with its source. */
export const ElectedAttribute = z
  .object({
    attribute: z
      .string()
      .describe('Name of the attribute, as in attributesData')
      .meta({ examples: ['surname'] }),
    values: z.array(z.string()).describe('Value; a list for several given names'),
    evidenceId: Id.describe('Id of the evidence with this value'),
    how: z
      .enum(['DOCUMENT', 'CORRECTED', 'CLAIMED'])
      .describe(
        'DOCUMENT: read from a document; CORRECTED: by submitted attributes that correct a reading; CLAIMED: by an ' +
          'identity provider or a verified claim',
      ),
    basis: z
      .enum(['SPELLING', 'COMPLETION', 'READING', 'ORDER'])
      .optional()
      .describe(
        'Reason why the document has another value: missing diacritics, a cut name, confused letters, exchanged parts ' +
          'of the name; only for a back-end key',
      ),
  })
  .describe('An attribute of the identity, elected from the evidence that counts')
const electedAttributes = z
  .array(ElectedAttribute)
  .optional()
  .describe('Attributes of verified evidence so far')

export const AdditionalFile = z
  .object({
    id: Id.describe('Id of the file'),
    metadata: z.array(KeyAndValue).describe('Description that was submitted with the file'),
  })
  .describe('A file that is stored with the identity and added to its proof; it is not checked')

/** Ours: one object, so that a strict reader of the specification finds only one unknown member. */
const IdentityExtras = z
  .object({
    documents: z
      .record(Id, DocumentExtras)
      .optional()
      .describe('Further members of each document, by its id'),
    antifraud: z
      .array(FraudCheckResult)
      .optional()
      .describe('Requested antifraud checks; only for a back-end key'),
    assessment: Assessment.optional(),
    electedAttributes,
    additionalFiles: z
      .array(AdditionalFile)
      .optional()
      .describe('Additional files without their content; only for a back-end key'),
  })
  .describe('Members of Counterproof beside those of the specification')

export const Identity = z
  .object({
    globalStatus: GlobalStatus,
    consents: z.array(Consent).describe('Consents in the order of their submission'),
    attributes: z.array(AttributeEvidence).describe('Submitted attributes'),
    addresses: z.array(AddressEvidence).describe('Addresses, submitted or derived from documents'),
    idDocuments: z.array(IdDocumentEvidence).describe('Identity documents'),
    portrait: PortraitEvidence.optional(),
    trustedIdClaim: TrustedIdClaimEvidence.optional(),
    claim: ClaimEvidence.optional(),
    contactDetails: ContactDetails.optional(),
    /** Spec "Identity creation context". */
    context: z
      .array(KeyAndValue)
      .optional()
      .describe('Business context that was submitted at creation; not verified'),
    counterproof: IdentityExtras.optional(),
  })
  .describe('The identity with all its evidence')

export const IdentityStatusAnswer = z
  .object({ globalStatus: GlobalStatus })
  .describe('Status and level of the identity')
export const PortraitAnswer = z
  .object({ globalStatus: GlobalStatus, portrait: PortraitEvidence })
  .describe('The portrait and the status of the identity')
/** `used` is ours. */
export const ConsentList = z
  .array(
    Consent.extend({
      used: z.boolean().describe('Whether any feature of this tenant requires a consent of this type'),
    }),
  )
  .describe('Consents')
export const AddressesAnswer = z
  .object({ globalStatus: GlobalStatus, addresses: z.array(AddressEvidence).describe('All addresses') })
  .describe('The addresses and the status of the identity')
export const AddressAnswer = z
  .object({ globalStatus: GlobalStatus, address: AddressEvidence })
  .describe('One address and the status of the identity')
export const AttributesAnswer = z
  .object({
    globalStatus: GlobalStatus,
    attributes: z.array(AttributeEvidence).describe('All attribute evidence'),
    /** Spec: "attributes may be pre-filled from earlier verification". */
    electedAttributes,
  })
  .describe('The attributes and the status of the identity')
export const TrustedIdClaimsAnswer = z
  .object({ globalStatus: GlobalStatus, trustedIdClaim: TrustedIdClaimEvidence })
  .describe('The trusted claim and the status of the identity')
/** Spec "In the claim-status response, an extra object named Claim appears inside globalStatus". */
export const ClaimAnswer = z
  .object({
    globalStatus: GlobalStatus.extend({ Claim: ClaimEvidence }).describe(
      'The identity in summary, with the claim inside',
    ),
  })
  .describe('The identity claim')
export const MobileAnswer = z
  .object({
    globalStatus: GlobalStatus,
    contactDetails: z.object({ mobile: MobileContact }).describe('Contact details'),
  })
  .describe('The mobile phone number and the status of the identity')
/** Ours, like the routes. */
export const EmailAnswer = z
  .object({
    globalStatus: GlobalStatus,
    contactDetails: z.object({ email: EmailContact }).describe('Contact details'),
  })
  .describe('The e-mail address and the status of the identity')
export const LandlineAnswer = z
  .object({
    globalStatus: GlobalStatus,
    contactDetails: z.object({ landline: LandlineContact }).describe('Contact details'),
  })
  .describe('The number of the landline and the status of the identity')
export const AdditionalFileList = z.array(AdditionalFile).describe('Additional files')
/** Ours: the file is kept, but nothing about it is checked. */
export const AdditionalFileStatus = z
  .object({
    id: Id.describe('Id of the file'),
    status: z.literal('STORED').describe('Always STORED: the file is not checked'),
  })
  .describe('A file that was added')
/** Ours: the spec names AdjudicationStatus and leaves its fields open. */
export const AdjudicationAnswer = z
  .object({
    evidenceId: Id.describe('Id of the evidence'),
    type: z
      .string()
      .describe('Kind of evidence')
      .meta({ examples: ['PASSPORT'] }),
    status: z
      .enum(ADJUDICATION_STATUSES)
      .describe(
        'TO_PROCESS, PROCESSING: open; UNSURE: passed to a second adjudicator; ACCEPTED, REJECTED, TIME_OUT: final; ' +
          'ERROR: failed',
      ),
    requestDateTime: DateTime.describe('Time of the request'),
    responseDateTime: DateTime.optional().describe('Time of the answer'),
    reason: z.string().optional().describe('Reason of the decision'),
    errors: z.array(ResultError).optional().describe('Errors of the request'),
  })
  .describe('A request for manual adjudication')
export const AdjudicationList = z.array(AdjudicationAnswer).describe('Adjudication requests')
export const FraudCheckAnswer = z
  .object({
    globalStatus: GlobalStatus,
    checks: z.array(FraudCheckResult).describe('Every requested check'),
  })
  .describe('The antifraud checks and the status of the identity')

export type GlobalStatus = Frozen<z.infer<typeof GlobalStatus>>
export type ConsentList = Frozen<z.infer<typeof ConsentList>>
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
