/** Schemas of the service's own answers: health report, keys, problem document. */
import { z } from 'zod'
import { DateTime } from './primitives.ts'
import type { Frozen } from './primitives.ts'

const HEALTH_STATES = ['UP', 'DEGRADED', 'DOWN'] as const

const HealthState = z.enum(HEALTH_STATES)

/** Our own form, because the spec defines none: one entry per part of the appliance. No personal value, no path, no key. */
export const HealthcheckReport = z
  .object({
    status: HealthState.describe('Worst state of the parts that proofing needs'),
    version: z.string().describe('Version of the product'),
    components: z
      .record(
        z.string(),
        z.object({
          status: HealthState.describe('UP, DEGRADED: works with limits, DOWN'),
          since: DateTime.optional().describe('Start of this state'),
          detail: z.string().optional().describe('Details for the operator'),
        }),
      )
      .describe('Part of the appliance or external service → its state'),
  })
  .describe('State of the appliance and its parts')

/** Ours: which documents of one country this appliance can verify. */
export const SupportedCountry = z
  .object({
    iso3CountryCode: z
      .string()
      .describe('ISO 3166-1 alpha-3 code')
      .meta({ examples: ['FRA'] }),
    documents: z
      .array(
        z.object({
          documentType: z.string().describe('Type of the document'),
          format: z.enum(['TD1', 'TD2', 'TD3', 'ID1']).describe('Size and layout (ICAO 9303, ISO/IEC 7810)'),
          liveVideoCaptureSupported: z.boolean().describe('Whether a capture component can capture it live'),
        }),
      )
      .describe('Documents that can be verified here; may be empty'),
  })
  .describe('Documents of a country that can be verified here')
export const SupportedCountryList = z.array(SupportedCountry).describe('Every country of ISO 3166-1')

/** Ours. */
export const LegalHold = z
  .object({
    reference: z.string().describe('Reference of the case at the office'),
    placedDateTime: DateTime.describe('Start of this state'),
    until: DateTime.optional().describe('End of the hold; absent if it must be lifted'),
  })
  .describe('The legal hold of an identity')

/** Ours: the receipt that remains of an erased identity. */
export const DeletionReceipt = z
  .object({
    identityId: z.string().describe('Id of the erased identity'),
    erasedAt: DateTime.describe('Time at which the erasure was complete'),
    reason: z
      .enum(['DELETE', 'RETENTION', 'ABANDONED', 'RESTORED', 'LOST'])
      .describe(
        'DELETE: by a call; RETENTION: after its proof; ABANDONED: it was never finished; RESTORED: a backup had ' +
          'restored it; LOST: its key was missing',
      ),
    receipt: z.string().describe('Signed receipt: a compact JWS (RS256) by a key of the key set'),
  })
  .describe('Proof that an identity was erased')

/** Ours: the token of an application on a person's own device. */
export const UserAgentToken = z
  .object({
    token: z.string().describe('The token, to send in the header apikey; only this answer contains it'),
    expiresAt: DateTime.describe('End of the token, unless the identity is sealed or erased earlier'),
  })
  .describe('A token for one identity')

/** RFC 7517, public members only; all other members of a key object are removed. */
export const PublicKeySet = z
  .object({
    keys: z
      .array(
        z.object({
          kty: z
            .string()
            .describe('Key type')
            .meta({ examples: ['RSA'] }),
          kid: z.string().optional().describe('Key id'),
          use: z.string().optional().describe('Use of the key'),
          alg: z
            .string()
            .optional()
            .describe('Signature algorithm')
            .meta({ examples: ['RS256'] }),
          n: z.string().optional().describe('RSA modulus, base64url'),
          e: z.string().optional().describe('RSA exponent, base64url'),
          crv: z.string().optional().describe('Curve'),
          x: z.string().optional().describe('x coordinate, base64url'),
          y: z.string().optional().describe('y coordinate, base64url'),
          x5c: z.array(z.string()).optional().describe('Certificate chain, base64'),
          'x5t#S256': z.string().optional().describe('SHA-256 thumbprint of the certificate, base64url'),
        }),
      )
      .describe('All keys that verify proofs, including earlier ones'),
  })
  .describe('Public keys (RFC 7517)')

/** RFC 9457 with the spec's error objects. Repeats only field names and ids of the request. */
export const ProblemDocument = z
  .object({
    type: z.string().describe('urn:counterproof:problem: followed by the code of the problem'),
    title: z.string().describe('The problem in a few words'),
    status: z.int().min(400).max(599).describe('HTTP status'),
    detail: z.string().describe('What happened and what to do'),
    instance: z.string().optional().describe('Path of the request, with ids only'),
    errors: z
      .array(
        z.object({
          code: z.string().describe('Code of the error catalogue, or of the problem of a field'),
          message: z.string().describe('The expected value'),
          field: z.string().optional().describe('Field, part or header of the problem'),
        }),
      )
      .describe('Every single problem'),
    correlationId: z
      .string()
      .describe("Id of the request, which the appliance's log contains; give it to the operator"),
  })
  .describe('Reason why a call failed (RFC 9457); of the request it contains only field names and ids')

export type HealthcheckReport = Frozen<z.infer<typeof HealthcheckReport>>
export type LegalHold = Frozen<z.infer<typeof LegalHold>>
export type DeletionReceipt = Frozen<z.infer<typeof DeletionReceipt>>
export type UserAgentToken = Frozen<z.infer<typeof UserAgentToken>>
export type PublicKeySet = Frozen<z.infer<typeof PublicKeySet>>
export type ProblemDocument = Frozen<z.infer<typeof ProblemDocument>>
export type SupportedCountry = Frozen<z.infer<typeof SupportedCountry>>
