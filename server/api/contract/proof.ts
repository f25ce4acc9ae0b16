/**
 * Schema of proof.json in an archive, as this version writes it (spec "Proof archive"). It is part of `GET
 * /proof-schema`. `proof/verify/document` says what a verifier relies on.
 */
import { z } from 'zod'
import { DateTime, Id } from './primitives.ts'

const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256, lower-case hexadecimal')
const Media = z
  .strictObject({
    id: z.string().describe('Id of the file'),
    path: z.string().describe('Path below the root folder'),
    hash: Sha256,
  })
  .describe('A file of the archive')

const SealingExtras = z
  .strictObject({
    test: z
      .literal(true)
      .optional()
      .describe(
        'The proof was made in test mode, with a specimen or with a simulated camera; it proves nothing about a real ' +
          'person',
      ),
    correlationId: z.string().optional().describe('Correlation id of the relying service'),
    time: z
      .strictObject({
        source: z.enum(['CENTRE', 'SYSTEM', 'UNSURE']).describe('Source that confirmed the clock'),
        uncertaintyMs: z.number().min(0).nullable().describe('Maximum deviation; null: unknown'),
        earliest: DateTime.describe('Earliest possible time of sealing'),
        latest: DateTime.describe('Latest possible time of sealing'),
      })
      .optional()
      .describe("Accuracy of the appliance's time"),
    audit: z
      .strictObject({
        applianceId: Id.describe('Id of the appliance'),
        seq: z.int().min(0).describe('Number of the last entry of its audit log'),
        hash: Sha256.describe('Hash of that entry'),
      })
      .optional()
      .describe('End of the audit log at sealing'),
    evaluation: z
      .looseObject({
        policy: z.looseObject({ id: z.string(), version: z.string() }).describe('The policy in full'),
        requiredConsents: z
          .record(z.string(), z.array(z.string()))
          .describe('Consents that the tenant requires'),
        abilities: z.array(z.string()).describe('Abilities of the appliance'),
      })
      .optional()
      .describe('Rules of the evaluation, from which the level can be derived again'),
  })
  .describe('Members of Counterproof beside those of the specification')

export const ProofFile = z
  .strictObject({
    version: z
      .string()
      .describe('Version of the form of the archive')
      .meta({ examples: ['1.1'] }),
    proofId: Id.describe('Id of the proof'),
    identityId: Id.describe('Id of the identity'),
    tenantId: z.string().describe('The tenant'),
    tenantRole: z
      .enum(['RELYING_SERVICE', 'USER_AGENT'])
      .describe('Role of the key that requested the proof'),
    tenantUsed: z.string().optional().describe('Name of the tenant'),
    transactionId: z.string().optional().describe('Equals identityId'),
    previousProofId: z.string().optional().describe('Previous proof, if the proofing was resumed'),
    ips: z.array(z.string()).optional().describe('Network addresses of the callers'),
    startDateTime: DateTime.describe('Creation time of the identity'),
    endDateTime: DateTime.describe('Time of sealing'),
    componentVersion: z.string().describe('Version of the product'),
    hashes: z
      .strictObject({
        identityDetails: Sha256,
        verificationAndEvaluationDetails: Sha256,
        images: z.array(Media).optional().describe('Pictures of documents, portrait and reference portrait'),
        videos: z.array(Media).optional().describe('Videos, if the tenant keeps them'),
        additionalFiles: z.array(Media).optional().describe('Attached files'),
      })
      .describe('SHA-256 of every other file except longTermValidation.json'),
    counterproof: SealingExtras.optional(),
    signature: z
      .string()
      .describe(
        'Compact JWS (RS256) over this file without `signature`, members sorted by name, no white space',
      ),
  })
  .describe('proof.json')
