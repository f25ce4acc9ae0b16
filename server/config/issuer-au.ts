/** Options of the Australian document verification system. */
import { z } from 'zod'
import { AUSTRALIAN_TYPES } from '../proofing/issuing-sources.ts'
import { ASK_AGAIN_MINUTES, serviceSchema, serviceOptions } from './service-options.ts'
import { textLike } from './text-forms.ts'

export const IssuerAuConnector = serviceSchema({
  name: z.string().min(1).max(100).describe('Name for people'),
  ...serviceOptions(15_000),
  agencyCode: textLike(/^[A-Z0-9]{1,10}$/, 'must be 1 to 10 capital letters and digits').describe(
    'Code by which the system knows the organisation that asks',
  ),
  documentTypes: z
    .array(z.enum(AUSTRALIAN_TYPES))
    .min(1)
    .default([...AUSTRALIAN_TYPES])
    .describe('Documents that are asked about'),
  askAgainMinutes: ASK_AGAIN_MINUTES,
}).describe('Australian document verification system; asked only with tenant.features.issuerVerification')
