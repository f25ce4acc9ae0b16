/** Options of the issuing sources. */
import { z } from 'zod'
import { ALWAYS_SENT, ISSUER_FIELDS } from '../proofing/issuer-answer.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import { ASK_AGAIN_MINUTES, checkService, haveOwnIds, signedSourceOptions } from './service-options.ts'

const IssuerOptions = z
  .strictObject({
    ...signedSourceOptions(),
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
  .refine(haveOwnIds, { error: 'each source must have an id of its own' })
  .default([])
  .describe('Issuing sources for GIV_VERIFICATION; asked only with tenant.features.issuerVerification')
