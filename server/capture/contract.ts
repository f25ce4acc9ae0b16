/** What a capture component and the appliance say to each other. */
import { z } from 'zod'
import { SingleStatus } from '../api/contract/index.ts'
import { DateTime } from '../api/contract/primitives.ts'
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

/** POST document and POST video: what the evidence is now, as the relying service polls it. */
export const CaptureAnswer = SingleStatus
