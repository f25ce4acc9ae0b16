/** Schemas of the three JSON files of a proof archive (spec "Proof archive"): required members and their types. */
import { z } from 'zod'
import type { JsonObject } from './canonical-json.ts'

const text = z.string().min(1)
const dateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,7})?$/)
  .refine((value) => !Number.isNaN(Date.parse(`${value}Z`)))
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const media = z.object({ id: text, path: text, hash: sha256 })

/** The appliance's knowledge of the time at sealing; the true time lies between the two bounds. */
const timeStatement = z.object({
  source: z.enum(['CENTRE', 'SYSTEM', 'UNSURE']),
  uncertaintyMs: z.number().nonnegative().nullable(),
  earliest: dateTime,
  latest: dateTime,
})

/** Head of the appliance's audit chain at sealing. */
const auditHead = z.object({ applianceId: text, seq: z.int().nonnegative(), hash: sha256 })

export const MEDIA_FOLDERS = ['images', 'videos', 'additionalFiles'] as const
export type MediaFolder = (typeof MEDIA_FOLDERS)[number]
export type Media = z.infer<typeof media>

/**
 * Our own members. Since form 1.1 one object holds them, so that a strict reader of the spec meets only one unknown
 * member.
 */
const ours = {
  /** Made in test mode, with a specimen document or with a simulated camera. Absent otherwise. */
  test: z.boolean().optional(),
  /** The relying service's name for this case. */
  correlationId: text.optional(),
  time: timeStatement.optional(),
  audit: auditHead.optional(),
  /** The full policy and the other inputs of the level (`npm run verify-proof -- FILE --re-evaluate`). */
  evaluation: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null).optional(),
}
const SealingMembers = z.object(ours)
export type SealingMembers = z.infer<typeof SealingMembers>

/** proof.json. Members beyond the spec's table are allowed, because the signature covers them. */
export const ProofSchema = z.object({
  version: text,
  proofId: text,
  identityId: text,
  tenantId: text,
  tenantRole: z.enum(['RELYING_SERVICE', 'USER_AGENT']),
  tenantUsed: text.optional(),
  transactionId: text.optional(),
  previousProofId: text.optional(),
  ips: z.array(text).optional(),
  startDateTime: dateTime,
  endDateTime: dateTime,
  componentVersion: text,
  counterproof: z.object(ours).optional(),
  // Form 1.0 has our members at the top level.
  ...ours,
  hashes: z.object({
    identityDetails: sha256,
    verificationAndEvaluationDetails: sha256,
    images: z.array(media).optional(),
    videos: z.array(media).optional(),
    additionalFiles: z.array(media).optional(),
  }),
  signature: text,
})
export type ProofDocument = z.infer<typeof ProofSchema>

/** Our own members, from their place in either form of the archive. */
export function sealingMembers(proof: ProofDocument): SealingMembers {
  return { ...SealingMembers.parse(proof), ...proof.counterproof }
}

/** The only file without a hash in proof.json: it is made after the signature and is checked separately. */
export const LONG_TERM_FILE = 'longTermValidation.json'

const MAX_CERTIFICATES = 10
const base64 = z.string().refine((value) => {
  return value.length > 0 && Buffer.from(value, 'base64').toString('base64') === value
})

export const LongTermSchema = z
  .strictObject({
    /** DER: the certificate of the signing key, then its issuer, and so on. */
    certificateChain: z.array(base64).min(1).max(MAX_CERTIFICATES).optional(),
    /** DER (RFC 3161) over the SHA-256 of the ASCII bytes of the compact JWS. */
    timestampToken: base64.optional(),
  })
  .refine((value) => Object.keys(value).length > 0)

const evidence = z.object({ evidenceId: text })

/** identityDetails.json, the body of GET identity; limited to the members that the verifier uses. */
export const IdentityDetailsSchema = z.object({
  globalStatus: z.object({ id: text, levelOfAssurance: text }),
  consents: z.array(z.object({ consentId: text })).optional(),
  attributes: z.array(evidence).optional(),
  addresses: z.array(evidence).optional(),
  idDocuments: z.array(evidence).optional(),
  portrait: evidence.optional(),
  trustedIdClaim: evidence.optional(),
  claim: evidence.optional(),
})
export type IdentityDetails = z.infer<typeof IdentityDetailsSchema>

const proofEvidence = z.object({
  id: text,
  statusAndScoring: z.object({ status: text, score: text, strength: text }).optional(),
})

/** verificationAndEvaluationDetails.json; only the members that the spec requires of an entry. */
export const DetailsSchema = z.array(
  z.object({
    identityOperation: z.object({ id: text.optional(), name: text, type: z.enum(['ADD', 'DELETE']) }),
    participantContextId: text,
    progress: z.enum(['STARTING', 'PROCESSING', 'DONE', 'BLOCKED', 'ERROR', 'PAUSE']),
    startDateTime: dateTime,
    evidenceDetails: z.object({ id: text, family: text, type: text }).optional(),
    consentsDetails: z.object({ consents: z.array(z.object({ consentId: text.optional() })) }).optional(),
    evaluationDetails: z
      .object({ evaluationDateTime: dateTime, evidences: z.array(proofEvidence) })
      .optional(),
    processingDetails: z
      .object({
        startDateTime: dateTime,
        endDateTime: dateTime,
        method: z.enum(['POST', 'PUT', 'DELETE']),
        uri: text,
      })
      .optional(),
    verificationDetails: z
      .array(
        z.object({
          startDateTime: dateTime,
          endDateTime: dateTime,
          sessionCreationTime: dateTime,
          /** Only figures read them, so that any form is accepted. */
          raisedIndicators: z.unknown().optional(),
        }),
      )
      .optional(),
  }),
)
export type Details = z.infer<typeof DetailsSchema>

/** Ids of evidence and consents in the identity that have no details entry; the spec requires one for each. */
export function findUndetailed(identity: IdentityDetails, details: Details): string[] {
  const detailed = new Set(
    details.flatMap((entry) => [
      entry.participantContextId,
      ...(entry.evidenceDetails ? [entry.evidenceDetails.id] : []),
      ...(entry.consentsDetails?.consents.flatMap(({ consentId }) => consentId ?? []) ?? []),
    ]),
  )
  const { portrait, trustedIdClaim, claim } = identity
  const evidences = [identity.attributes, identity.addresses, identity.idDocuments].flatMap(
    (list) => list ?? [],
  )
  const single = [portrait, trustedIdClaim, claim].flatMap((one) => one ?? [])
  const ids = [
    ...(identity.consents ?? []).map(({ consentId }) => consentId),
    ...[...evidences, ...single].map(({ evidenceId }) => evidenceId),
  ]
  return ids.filter((id) => !detailed.has(id))
}
