/** What a capture component and the appliance say to each other. */
import { z } from 'zod'
import { SingleStatus } from '../api/contract/index.ts'
import { DateTime } from '../api/contract/primitives.ts'
import { CAPTURE_HINTS, PICTURE_CODES } from '../proofing/document-quality.ts'
import { DOCUMENT_SIDES, LIVENESS_TYPES, SECURITY_LEVELS } from '../proofing/types.ts'

/** Version 4: random, and all that a capture component has to show. */
export const SessionId = z.uuid({ version: 'v4' }).toLowerCase()

/** GET session. An ended session is not found, so this one is open. */
export const CaptureSessionView = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('DOCUMENT'),
    state: z.literal('OPEN'),
    sidesToCapture: z.array(z.enum(DOCUMENT_SIDES)),
    expiresAt: DateTime,
  }),
  z.object({
    kind: z.literal('PORTRAIT'),
    state: z.literal('OPEN'),
    livenessType: z.enum(LIVENESS_TYPES),
    securityLevel: z.enum(SECURITY_LEVELS),
    /** Only with LIVENESS_ACTIVE. */
    nbChallenge: z.int().optional(),
    expiresAt: DateTime,
  }),
])
export type CaptureSessionView = z.infer<typeof CaptureSessionView>

/** POST frame: what is wrong with a live picture, worst first, and the one advice that helps most. */
export const CaptureGuidance = z.object({
  codes: z.array(z.enum(PICTURE_CODES)),
  hint: z.enum(CAPTURE_HINTS),
  /** Corners of the document in shares of the picture; outside 0 to 1 where they lie beyond it. */
  outline: z
    .array(z.object({ x: z.number(), y: z.number() }))
    .length(4)
    .nullable(),
  /** Nothing is wrong: the picture may be taken. */
  ready: z.boolean(),
})
export type CaptureGuidance = z.infer<typeof CaptureGuidance>

/** POST document and POST video: what the evidence is now, as the relying service polls it. */
export const CaptureAnswer = SingleStatus
