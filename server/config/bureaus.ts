/** Options of the sources of attributes. */
import { z } from 'zod'
import { CLAIM_ALWAYS_SENT, CLAIM_FIELDS } from '../proofing/claim-source.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { ASK_AGAIN_MINUTES, serviceSchema, haveOwnIds, signedSourceOptions } from './service-options.ts'
import { COUNTRY } from './text-forms.ts'

const BureauOptions = serviceSchema({
  ...signedSourceOptions(),
  countries: z
    .array(COUNTRY)
    .min(1)
    .describe('Countries whose residents the source has records of, in three letters'),
  sends: z
    .array(z.enum(CLAIM_FIELDS))
    .refine((fields) => CLAIM_ALWAYS_SENT.every((field) => fields.includes(field)), {
      error: `must include ${CLAIM_ALWAYS_SENT.join(', ')}: without them no record can be compared`,
    })
    .describe('The only values that are sent to the source'),
  authoritative: z
    .boolean()
    .default(false)
    .describe('A register that the law makes the reference: one record of it confirms a claim'),
  askAgainMinutes: ASK_AGAIN_MINUTES,
})

export const BureausConfig = z
  .array(BureauOptions)
  .max(20)
  .refine(haveOwnIds, { error: 'each source must have an id of its own', ...EVEN_WITH_PROBLEMS })
  .default([])
  .describe('Sources of attributes for ID_CLAIM_SOURCE')
