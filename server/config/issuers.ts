/** Options of the issuing sources. */
import { z } from 'zod'
import { ALWAYS_SENT, ISSUER_FIELDS } from '../proofing/issuer-answer.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import { ASK_AGAIN_MINUTES, checkService, serviceOptions } from './service-options.ts'

const IssuerOptions = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]{1,64}$/),
    name: z.string().min(1).max(100).describe('Name for people'),
    ...serviceOptions(10_000),
    signingKeyFile: z.string().min(1).describe('PEM file of the key (P-256) that signs the requests'),
    keyId: z.string().min(1).max(100).describe('Name of this key at the source'),
    covers: z
      .array(
        z.strictObject({
          documentTypes: z.array(z.enum([...DOCUMENT_TYPES, 'VISA', 'MEDICARE'])).min(1),
          countries: z.array(z.string().regex(/^[A-Z]{3}$/)).min(1),
        }),
      )
      .min(1)
      .describe('Documents that the source keeps records of; countries in three letters'),
    sends: z
      .array(z.enum(ISSUER_FIELDS))
      .refine((fields) => ALWAYS_SENT.every((field) => fields.includes(field)), {
        error: `must include ${ALWAYS_SENT.join(', ')}: without them no record can be compared`,
      })
      .describe('The only values that are sent to the source'),
    askAgainMinutes: ASK_AGAIN_MINUTES,
  })
  .superRefine(checkService)

export const IssuersConfig = z
  .array(IssuerOptions)
  .max(20)
  .refine((issuers) => new Set(issuers.map(({ id }) => id)).size === issuers.length, {
    error: 'each source must have an id of its own',
  })
  .default([])
  .describe('Issuing sources for GIV_VERIFICATION; asked only with tenant.features.issuerVerification')
