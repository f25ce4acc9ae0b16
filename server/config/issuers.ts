/** Options of the issuing sources. */
import { z } from 'zod'
import { ISSUER_FIELDS } from '../proofing/issuer-answer.ts'
import { listNeededFields } from '../proofing/issuer-question.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { ASK_AGAIN_MINUTES, serviceSchema, haveOwnIds, signedSourceOptions } from './service-options.ts'
import { COUNTRY } from './text-forms.ts'

const KNOWN_TYPES = [...DOCUMENT_TYPES, 'VISA', 'MEDICARE'] as const

const IssuerOptions = serviceSchema({
  ...signedSourceOptions(),
  id: signedSourceOptions().id.refine((id) => id !== 'issuer-au' && id !== 'issuer-us', {
    error: 'is the id of another connector',
  }),
  covers: z
    .array(
      z.strictObject({
        documentTypes: z.array(z.enum(KNOWN_TYPES)).min(1),
        countries: z.array(COUNTRY).min(1),
      }),
    )
    .min(1)
    .describe('Documents that the source keeps records of; countries in three letters'),
  sends: z.array(z.enum(ISSUER_FIELDS)).describe('The only values that are sent to the source'),
  needs: z
    .array(z.enum(ISSUER_FIELDS))
    .default([])
    .describe('Values without which it compares no document, beside number, name and birth date'),
  askAgainMinutes: ASK_AGAIN_MINUTES,
}).superRefine(({ covers, sends }, context) => {
  if (!Array.isArray(covers) || !Array.isArray(sends)) return
  const types = new Set(covers.flatMap((covered) => covered?.documentTypes ?? []))
  const needed = new Set(KNOWN_TYPES.filter((type) => types.has(type)).flatMap(listNeededFields))
  const missing = [...needed].filter((field) => !sends.includes(field))
  if (missing.length === 0) return
  const message = `must include ${missing.join(', ')}: without it no record can be compared`
  context.addIssue({ code: 'custom', path: ['sends'], message, input: undefined })
}, EVEN_WITH_PROBLEMS)

export const IssuersConfig = z
  .array(IssuerOptions)
  .max(20)
  .refine(haveOwnIds, { error: 'each source must have an id of its own', ...EVEN_WITH_PROBLEMS })
  .default([])
  .describe('Issuing sources for GIV_VERIFICATION; asked only with tenant.features.issuerVerification')
