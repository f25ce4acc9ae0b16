/** What the service says about itself and about what went wrong: health report, keys, problem document. */
import { z } from 'zod'
import { DateTime } from './primitives.ts'
import type { Frozen } from './primitives.ts'

const HEALTH_STATES = ['UP', 'DEGRADED', 'DOWN'] as const

/** Our shape (the spec shows none): one entry per part of the appliance. No personal value, no path, no key. */
export const HealthcheckReport = z.object({
  status: z.enum(HEALTH_STATES),
  version: z.string(),
  components: z.record(
    z.string(),
    z.object({ status: z.enum(HEALTH_STATES), since: DateTime.optional(), detail: z.string().optional() }),
  ),
})

/** design.md "also offered": what of one country's documents can be verified here. */
export const SupportedCountry = z.object({
  iso3CountryCode: z.string(),
  documents: z.array(
    z.object({
      documentType: z.string(),
      format: z.enum(['TD1', 'TD2', 'TD3', 'ID1']),
      liveVideoCaptureSupported: z.boolean(),
    }),
  ),
})
export const SupportedCountryList = z.array(SupportedCountry)

/** RFC 7517, public members only: anything else that a key object carries is dropped on the way out. */
export const PublicKeySet = z.object({
  keys: z.array(
    z.object({
      kty: z.string(),
      kid: z.string().optional(),
      use: z.string().optional(),
      alg: z.string().optional(),
      n: z.string().optional(),
      e: z.string().optional(),
      crv: z.string().optional(),
      x: z.string().optional(),
      y: z.string().optional(),
      x5c: z.array(z.string()).optional(),
      'x5t#S256': z.string().optional(),
    }),
  ),
})

/** RFC 9457 with the spec's error objects. Carries nothing of the request but field names and ids. */
export const ProblemDocument = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().optional(),
  errors: z.array(z.object({ code: z.string(), message: z.string(), field: z.string().optional() })),
  correlationId: z.string(),
})

export type HealthcheckReport = Frozen<z.infer<typeof HealthcheckReport>>
export type PublicKeySet = Frozen<z.infer<typeof PublicKeySet>>
export type ProblemDocument = Frozen<z.infer<typeof ProblemDocument>>
export type SupportedCountry = Frozen<z.infer<typeof SupportedCountry>>
