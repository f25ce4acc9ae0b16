/** What callers send. Fields that are not listed are ignored and never stored. */
import { z } from 'zod'
import { CONSENT_TYPES, DOCUMENT_TYPES } from '../../proofing/types.ts'
import { CalendarDate, CountryCode, given } from './primitives.ts'
import type { Frozen } from './primitives.ts'

/** Our own bounds, the spec names none: a context describes a call, it is no document store. */
const MAX_CONTEXT_ENTRIES = 50
const MAX_CONTEXT_KEY = 100
const MAX_CONTEXT_VALUE = 1000
/** One request may hold every consent type several times over, no more. */
const MAX_CONSENTS = 50
/** Long enough for any client's own identifiers. */
export const MAX_CORRELATION_ID = 200

export const CreationContext = z
  .array(
    z.object({
      key: z.string().min(1).max(MAX_CONTEXT_KEY),
      value: z.string().max(MAX_CONTEXT_VALUE),
    }),
  )
  .max(MAX_CONTEXT_ENTRIES)

export const ConsentRequest = z.object({
  type: z.enum(CONSENT_TYPES),
  approved: z.boolean(),
  validityPeriod: given(
    z
      .object({ from: given(CalendarDate), to: given(CalendarDate) })
      .refine(({ from, to }) => !from || !to || from <= to, {
        path: ['to'],
        message: 'must not be before from',
      }),
  ),
})
export const ConsentsRequest = z.array(ConsentRequest).min(1).max(MAX_CONSENTS)

export const DocumentCaptureDetails = z.object({
  jurisdiction: given(CountryCode),
  documentType: given(z.enum(DOCUMENT_TYPES)),
  source: given(z.enum(['LIVE_CAPTURE_IMAGE', 'LIVE_CAPTURE_VIDEO', 'SCAN', 'OTHER', 'DOCUMENT_CROP'])),
})

/** `?detailed=`: a boolean in words. */
export const DetailedQuery = z.object({
  detailed: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
})
export const CorrelationQuery = z.object({
  correlationID: z.string().min(1).max(MAX_CORRELATION_ID),
})
export const CorrelationHeader = z.object({
  'correlation-id': z.string().max(MAX_CORRELATION_ID).optional(),
})

export type CreationContext = Frozen<z.infer<typeof CreationContext>>
export type ConsentRequest = Frozen<z.infer<typeof ConsentRequest>>
export type DocumentCaptureDetails = Frozen<z.infer<typeof DocumentCaptureDetails>>
