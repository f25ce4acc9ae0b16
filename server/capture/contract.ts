/** What a capture component and the appliance say to each other. */
import { z } from 'zod'
import { CameraIdentity, SingleStatus } from '../api/contract/index.ts'
import { DateTime } from '../api/contract/primitives.ts'
import { CAPTURE_HINTS, PICTURE_CODES } from '../proofing/document-quality.ts'
import { COLOUR_SETS, LIVENESS_STEPS, SCREEN_COLOURS } from '../proofing/liveness/types.ts'
import { PORTRAIT_HINTS } from '../proofing/portrait-quality.ts'
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

/**
 * POST portrait/begin: the client's own public key (ECDSA on P-256), made for this session alone. From now on only its
 * holder is believed; a second begin ends the session.
 */
export const BeginPortrait = z.strictObject({
  publicKey: z.strictObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.base64url().length(43),
    y: z.base64url().length(43),
  }),
  /** Which camera the pictures will come from, where the component knows. Told, not proven. */
  camera: CameraIdentity.optional(),
  /** The browser pretends to be the camera: the identity is a test from now on. */
  pretendedCamera: z.boolean().optional(),
  /** What the component will paint where a prompt names a colour; without it the pure colours. */
  colours: z.enum(COLOUR_SETS).optional(),
})
export type BeginPortrait = z.infer<typeof BeginPortrait>

/**
 * Part `FrameSeal` beside part `Frame` of POST portrait/frame. The signature (64 bytes, IEEE P1363) is over the UTF-8 text
 * `counterproof-frame/1\n{session id}\n{sequence}\n{ticket}\n{SHA-256 of the frame, hexadecimal}`.
 */
export const FrameSeal = z.strictObject({
  /** 1 for the first frame, then one more each time. */
  sequence: z.int().min(1).max(5000),
  /** Of the answer before: no frame can be sealed before its turn has come. */
  ticket: z.base64url().length(22),
  signature: z.base64url().length(86),
})
export type FrameSeal = z.infer<typeof FrameSeal>

/** Answer of POST portrait/begin and POST portrait/frame. */
export const PortraitGuidance = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('CAPTURING'),
    /** Of the next frame. */
    sequence: z.int(),
    ticket: z.base64url().length(22),
    prompt: z.object({
      kind: z.enum(LIVENESS_STEPS),
      index: z.int().min(1),
      of: z.int().min(1),
      /** What the whole screen shows while kind is SHOW_COLOUR. */
      colour: z.enum(SCREEN_COLOURS).nullable(),
      isHolding: z.boolean(),
      attempt: z.int().min(1),
    }),
    hint: z.enum(PORTRAIT_HINTS),
    /** 0–1. */
    progress: z.number().min(0).max(1),
    /** Of the face in shares of the picture; null while none is seen. */
    face: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).nullable(),
    expiresAt: DateTime,
  }),
  /** Nothing more is taken. The relying service polls the evidence; the person learns no more than this from here. */
  z.object({ state: z.literal('ENDED'), evidence: SingleStatus }),
])
export type PortraitGuidance = z.infer<typeof PortraitGuidance>

/** POST document and POST video: what the evidence is now, as the relying service polls it. */
export const CaptureAnswer = SingleStatus
