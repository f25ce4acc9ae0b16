/**
 * Schemas of the archive members that are needed to re-evaluate the LOA; all other members are ignored. The caller has already
 * verified the hashes and the signature of the archive.
 */
import { z } from 'zod'
import { withMeasurements } from '../proof/verify/records.ts'
import {
  CONSENT_TYPES,
  EVIDENCE_STATUSES,
  EVIDENCE_TYPES,
  FRAUD_CHECK_TYPES,
  LEVELS,
} from '../proofing/types.ts'
import { CONTACT_KINDS } from '../proofing/contact-kinds.ts'
import { EVIDENCE_KINDS } from '../proofing/evidence.ts'
import { ABILITIES } from '../proofing/assurance/facts.ts'

const id = z.string().min(1)
const dateTime = z.string().refine((value) => !Number.isNaN(Date.parse(`${value}Z`)))
const names = z.array(z.string())
const value = z.object({ value: z.string(), verified: z.boolean() })

const attributes = z.object({
  givenNames: z.array(value).optional(),
  surname: value.optional(),
  fullname: value.optional(),
  dateOfBirth: value.optional(),
  gender: value.optional(),
  nationality: value.optional(),
})
const address = z.object({
  streetDetails: z.object({ streetLines: names, verified: z.boolean() }).optional(),
  postcode: z.string().optional(),
  city: z.string().optional(),
  state: z.string().optional(),
  country: z.string().optional(),
  verified: z.boolean(),
})
const document = z.object({
  idDocumentType: z.enum(EVIDENCE_TYPES),
  idDocumentNumber: z.string().optional(),
  issuingCountry: z.string().optional(),
  issuingState: z.string().optional(),
  issuingDate: z.string().optional(),
  expiryDate: z.string().optional(),
  personalAttributes: attributes,
  address: address.optional(),
  mrz: names.optional(),
})
const evidence = z.object({ evidenceId: id, submitDateTime: dateTime })

const ours = {
  antifraud: z
    .array(z.object({ type: z.enum(FRAUD_CHECK_TYPES), indicators: names, subjects: z.array(id).optional() }))
    .optional(),
  assessment: z
    .object({
      profile: z.string().nullable(),
      countedIds: z.array(id),
      disagreements: z.array(z.object({ evidenceId: id, attributes: names })),
      scales: z.record(z.string(), z.number()),
      heldDownBy: names,
    })
    .optional(),
}

/** identityDetails.json */
const IdentityFile = z.object({
  globalStatus: z.object({
    levelOfAssurance: z.string(),
    nameReferenceEvidenceId: id.optional(),
    portraitReferenceEvidenceId: id.optional(),
    upgradePaths: z.unknown().optional(),
  }),
  consents: z.array(
    z.object({
      consentId: id,
      type: z.enum(CONSENT_TYPES),
      approved: z.boolean(),
      validityPeriod: z.object({ from: z.string().optional(), to: z.string().optional() }).optional(),
    }),
  ),
  attributes: z.array(evidence.extend({ attributesData: attributes.optional() })),
  addresses: z.array(
    evidence.extend({ addressData: address.optional(), referenceIds: z.array(id).optional() }),
  ),
  idDocuments: z.array(evidence.extend({ idDocumentData: document.optional() })),
  portrait: evidence.optional(),
  trustedIdClaim: evidence
    .extend({
      trustedIdClaimData: z
        .object({
          idDocumentType: z.string().optional(),
          idDocumentNumber: z.string().optional(),
          personalAttributes: attributes.optional(),
          address: address.optional(),
        })
        .optional(),
    })
    .optional(),
  claim: evidence
    .extend({
      claimData: z
        .object({
          attributesData: attributes.optional(),
          addressesData: address.optional(),
          contactDetails: z.object({ mobile: value }).optional(),
        })
        .optional(),
    })
    .optional(),
  counterproof: z.object(ours).optional(),
  // Archives before form 1.1 state these members here.
  ...ours,
})
/** Moves the members of `counterproof` to the place where older archives have them. */
export const Identity = IdentityFile.transform(({ counterproof, ...identity }) => ({
  ...identity,
  ...counterproof,
}))
export type Identity = z.infer<typeof Identity>

const measurement = z.object({
  check: z.string(),
  outcome: z.enum(['passed', 'failed', 'inconclusive']),
  measured: z.record(z.string(), z.union([z.number(), z.string()])),
})

/** Certificates from the signer of a chip to its authority: one link for each change of the key of the authority. */
const MAX_CERTIFICATES = 32

/** An entry about evidence in verificationAndEvaluationDetails.json. */
const Entry = z.object({
  identityOperation: z.object({ id: id.optional(), name: z.string(), type: z.enum(['ADD', 'DELETE']) }),
  startDateTime: dateTime,
  evidenceDetails: z
    .object({
      id,
      family: z.string(),
      type: z.string(),
      photoCrops: z.array(z.object({ id })).optional(),
    })
    .optional(),
  contactDetails: z.partialRecord(z.enum(CONTACT_KINDS), value).optional(),
  evaluationDetails: z
    .object({
      evidences: z.array(
        z.object({
          id,
          extracted: z.boolean().optional(),
          statusAndScoring: z
            .object({
              status: z.enum(EVIDENCE_STATUSES),
              score: z.enum(LEVELS),
              strength: z.enum(LEVELS),
              positiveIndicators: names,
              warningIndicators: names,
              blockingIndicators: names,
              unverifiedIndicators: names,
              mandatoryCheckRulesMissing: names,
            })
            .optional(),
        }),
      ),
    })
    .optional(),
  verificationDetails: z
    .array(
      z.object({
        participantType: z.string().optional(),
        linkedIdentityOperation: z.object({ id: id.optional() }).optional(),
        referenceId: id.optional(),
        verificationServices: z.array(z.object({ serviceName: z.string() })).default([]),
        // Archives before form 1.1 state them here.
        measurements: z.array(measurement).optional(),
      }),
    )
    .default([]),
  counterproof: z
    .object({
      judgements: z.record(z.string(), z.object({ withheldBy: names.optional() })).optional(),
      verifications: z.array(z.object({ measurements: z.array(measurement) })).optional(),
      chip: z
        .object({
          fileId: id,
          readAt: z.iso.datetime(),
          authenticity: z.object({ certificates: z.array(z.base64()).max(MAX_CERTIFICATES) }).optional(),
        })
        .optional(),
    })
    .optional(),
})
type Entry = z.infer<typeof Entry>

/** Returns the verifications of a step with their measurements, from both forms of the archive. */
export function measuredChecks(entry: Entry) {
  return withMeasurements(entry).map((check) => ({
    ...check,
    /** The call that submitted the evidence or caused the verification. A step may also state verifications of other evidence. */
    operationId: check.linkedIdentityOperation?.id ?? entry.identityOperation.id,
    measurements: check.measurements ?? [],
  }))
}

/** Maps each operation id to the evidence id. */
export function evidenceByOperation(details: Details): ReadonlyMap<string | undefined, string> {
  return new Map(
    details.flatMap(({ identityOperation, evidenceDetails }) =>
      evidenceDetails ? [[identityOperation.id, evidenceDetails.id] as const] : [],
    ),
  )
}

export const Details = z.array(Entry)
export type Details = z.infer<typeof Details>

const sealingMembers = {
  time: z.object({ earliest: dateTime, latest: dateTime }).optional(),
  test: z.boolean().optional(),
  evaluation: z
    .object({
      policy: z.looseObject({ id: z.string() }),
      requiredConsents: z.partialRecord(z.enum(EVIDENCE_KINDS), z.array(z.enum(CONSENT_TYPES))),
      abilities: z.array(z.enum(ABILITIES)),
    })
    .optional(),
}

/** The part of proof.json about the rules and the time at which they were applied. */
export const Proof = z
  .object({
    endDateTime: dateTime,
    counterproof: z.object(sealingMembers).optional(),
    // Archives before form 1.1 state these members here.
    ...sealingMembers,
  })
  .transform(({ counterproof, ...proof }) => ({ ...proof, ...counterproof }))
  .refine(({ evaluation }) => evaluation !== undefined, { path: ['evaluation'] })
  .transform(({ evaluation, ...proof }) => ({
    ...proof,
    evaluation: evaluation as NonNullable<typeof evaluation>,
  }))
export type Proof = z.infer<typeof Proof>
