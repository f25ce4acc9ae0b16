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
  MobileContact,
  PortraitEvidence,
  ResultError,
  TrustedIdClaimEvidence,
} from './evidence.ts'
import { DateTime, Id, KeyAndValue } from './primitives.ts'
import type { Frozen } from './primitives.ts'

const LevelOfAssurance = z
  .string()
  .describe("Level of assurance by the tenant's policy")
  .meta({ examples: ['LOA1'] })

/** For every higher level, sets of submissions that would each reach it. */
export const UpgradePaths = z
  .record(
    z.string(),
    z.array(
      z.array(
        z.object({
          evidence: z.string().describe('Kind of evidence to submit; ANTIFRAUD: checks to ask for'),
          types: z.array(z.string()).optional().describe('Any one of these types'),
          checks: z.array(z.string()).describe('Checks that it would have to pass'),
        }),
      ),
    ),
  )
  .describe(
    'Higher level → sets of submissions, each of which would reach it, none containing another; empty where none does',
  )

export const GlobalStatus = z
  .object({
    id: Id.describe('Id of the identity, for every later path'),
    status: z
      .enum([...IDENTITY_STATUSES, 'EXPIRED'])
      .describe(
        'EXPECTING_INPUT: evidence can be submitted; PROCESSING: evidence is being verified, no proof yet; PAUSED: to be ' +
          'resumed first; CLOSED: the proof was retrieved; EXPIRED: its lifetime is over, nothing is taken any more, the ' +
          'proof can be had',
      ),
    levelOfAssurance: LevelOfAssurance,
    creationDateTime: DateTime.describe('When the identity was created'),
    evaluationDateTime: DateTime.optional().describe('When the level was evaluated last'),
    nameReferenceEvidenceId: Id.optional().describe('Evidence whose names the others are compared with'),
    portraitReferenceEvidenceId: Id.optional().describe(
      'Evidence whose portrait the person is compared with',
    ),
    upgradePaths: UpgradePaths.optional(),
  })
  .describe('The identity in summary')

export const Consent = z
  .object({
    consentId: Id.describe('Id of the consent'),
    approved: z.boolean().describe('Whether the person agreed'),
    type: z.enum(CONSENT_TYPES).describe('What was agreed to'),
    validityPeriod: z
      .object({
        from: z.string().optional().describe('First day, yyyy-MM-dd'),
        to: z.string().optional().describe('Last day, yyyy-MM-dd'),
      })
      .optional()
      .describe('When the consent is in force; absent where it is at once and without end'),
  })
  .describe('What the person agreed to or refused')

/** Ours: what became of one check. */
export const FraudCheckResult = z
  .object({
    type: z.enum(FRAUD_CHECK_TYPES).describe('The check'),
    status: z
      .enum(EVIDENCE_STATUSES)
      .describe('PROCESSING until it is decided; NOT_VERIFIED: it could not be performed'),
    indicators: z
      .array(z.string())
      .describe(
        'What it found, as <check>_<OK|WARNING|FAILED|UNVERIFIED>; while the check runs again, its earlier warning',
      ),
    subjects: z
      .array(Id)
      .optional()
      .describe('Evidence that it looked at: what it found says nothing about any other'),
    measured: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('Counts, limits, dates and hashes of lists behind the answer, never a value that was read'),
    evaluationDateTime: DateTime.optional().describe('When it was decided'),
  })
  .describe('What became of one antifraud check')

/** Ours: why the identity has its level. */
export const Assessment = z
  .object({
    policy: z
      .object({ id: z.string().describe('Its id'), version: z.string().describe('Its version') })
      .describe('The policy that gave the level'),
    profile: z
      .string()
      .nullable()
      .describe('The profile of the policy that was met; null at the lowest level'),
    countedIds: z.array(Id).describe('Evidence that the level rests on'),
    disagreements: z
      .array(
        z.object({
          evidenceId: Id.describe('Verified evidence that does not count'),
          attributes: z
            .array(z.string())
            .describe('Attributes in which it disagrees with the name reference'),
        }),
      )
      .describe('Evidence that seems to be about another person'),
    scales: z
      .record(z.string(), z.number())
      .describe("Figures of the policy's standard for the whole identity"),
    heldDownBy: z.array(z.string()).describe('Indicators without which the level would be higher'),
  })
  .describe('Why the identity has its level')

/** Ours: who the identity is, value by value, and who says so. */
export const ElectedAttribute = z
  .object({
    attribute: z
      .string()
      .describe('Its name, as in attributesData')
      .meta({ examples: ['surname'] }),
    values: z.array(z.string()).describe('Several given names; otherwise one value'),
    evidenceId: Id.describe('The evidence that states it so'),
    how: z
      .enum(['DOCUMENT', 'CORRECTED', 'CLAIMED'])
      .describe(
        'DOCUMENT: read of it; CORRECTED: by attributes that correct how it was read; CLAIMED: by an identity provider or in ' +
          'a verified claim',
      ),
    basis: z
      .enum(['SPELLING', 'COMPLETION', 'READING', 'ORDER'])
      .optional()
      .describe(
        'Why the document reads otherwise: letters without marks, a name that was cut, shapes that were mistaken, parts in ' +
          "each other's place; for a back-end key only",
      ),
  })
  .describe('An attribute of the identity, elected from the evidence that counts')
const electedAttributes = z
  .array(ElectedAttribute)
  .optional()
  .describe('Attributes that verified evidence has shown so far')

export const AdditionalFile = z
  .object({
    id: Id.describe('Id of the file'),
    metadata: z.array(KeyAndValue).describe('What was said about the file when it was added'),
  })
  .describe('A file that is kept with the identity and attached to its proof, unchecked')

/** Ours: one object, so that a strict reader of the specification meets one member that it does not know. */
const IdentityExtras = z
  .object({
    documents: z
      .record(Id, DocumentExtras)
      .optional()
      .describe('By id of the document: what the specification has no member for'),
    antifraud: z
      .array(FraudCheckResult)
      .optional()
      .describe('Antifraud checks that were asked for; for a back-end key only'),
    assessment: Assessment.optional(),
    electedAttributes,
    additionalFiles: z
      .array(AdditionalFile)
      .optional()
      .describe('Additional files, without their content; for a back-end key only'),
  })
  .describe('Members of Counterproof beside those of the specification')

export const Identity = z
  .object({
    globalStatus: GlobalStatus,
    consents: z.array(Consent).describe('Consents in the order in which they were recorded'),
    attributes: z.array(AttributeEvidence).describe('Attributes that were submitted'),
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
      .describe('The business context that was given at creation, not verified'),
    counterproof: IdentityExtras.optional(),
  })
  .describe('The identity with all its evidence')

export const IdentityStatusAnswer = z.object({ globalStatus: GlobalStatus }).describe('Status and level')
export const PortraitAnswer = z
  .object({ globalStatus: GlobalStatus, portrait: PortraitEvidence })
  .describe('The portrait and the status of the identity')
/** `used` is ours. */
export const ConsentList = z
  .array(
    Consent.extend({
      used: z
        .boolean()
        .describe(
          'Whether anything that this appliance does for this tenant depends on a consent of this type',
        ),
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
    contactDetails: z.object({ mobile: MobileContact }).describe('How the person can be reached'),
  })
  .describe('The mobile phone number and the status of the identity')
export const AdditionalFileList = z.array(AdditionalFile).describe('Additional files')
/** Ours: the file is kept, nothing about it is checked. */
export const AdditionalFileStatus = z
  .object({
    id: Id.describe('Id of the file'),
    status: z.literal('STORED').describe('Kept; nothing about it is checked'),
  })
  .describe('A file that was added')
/** Ours: the spec names AdjudicationStatus and leaves its fields open. */
export const AdjudicationAnswer = z
  .object({
    evidenceId: Id.describe('The evidence that a person decides about'),
    type: z
      .string()
      .describe('Kind of evidence')
      .meta({ examples: ['PASSPORT'] }),
    status: z
      .enum(ADJUDICATION_STATUSES)
      .describe(
        'TO_PROCESS, PROCESSING: under way; UNSURE: goes to a second person; ACCEPTED, REJECTED, TIME_OUT: final; ERROR: ' +
          'could not be done',
      ),
    requestDateTime: DateTime.describe('When it was asked for'),
    responseDateTime: DateTime.optional().describe('When it was answered'),
    reason: z.string().optional().describe('Why it was decided so'),
    errors: z.array(ResultError).optional().describe('What went wrong'),
  })
  .describe('A request for manual adjudication')
export const AdjudicationList = z.array(AdjudicationAnswer).describe('Adjudication requests')
export const FraudCheckAnswer = z
  .object({
    globalStatus: GlobalStatus,
    checks: z.array(FraudCheckResult).describe('Every check that was asked for so far'),
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
