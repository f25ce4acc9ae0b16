/** Options of the Australian document verification system. */
import { z } from 'zod'
import { AUSTRALIAN_TYPES } from '../proofing/issuing-sources.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { ASK_AGAIN_MINUTES, checkService, serviceOptions } from './service-options.ts'

export const IssuerAuConnector = z
  .strictObject({
    name: z.string().min(1).max(100).describe('Name for people'),
    ...serviceOptions(15_000),
    agencyCode: z
      .string()
      .regex(/^[A-Z0-9]{1,10}$/)
      .describe('Code by which the system knows the organisation that asks'),
    documentTypes: z
      .array(z.enum(AUSTRALIAN_TYPES))
      .min(1)
      .default([...AUSTRALIAN_TYPES])
      .describe('Documents that are asked about'),
    askAgainMinutes: ASK_AGAIN_MINUTES,
  })
  .superRefine(checkService, EVEN_WITH_PROBLEMS)
  .describe('Australian document verification system; asked only with tenant.features.issuerVerification')
