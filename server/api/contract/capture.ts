/** Messages between a capture component and the appliance under /capture/sessions/{sessionId}. */
import { z } from 'zod'
import { CAPTURE_HINTS, PICTURE_CODES } from '../../proofing/document-quality.ts'
import { COLOUR_SETS, LIVENESS_STEPS, SCREEN_COLOURS } from '../../proofing/liveness/types.ts'
import { PORTRAIT_HINTS } from '../../proofing/portrait-quality.ts'
import { DOCUMENT_SIDES, DOCUMENT_TYPES, LIVENESS_TYPES, SECURITY_LEVELS } from '../../proofing/types.ts'
import { SingleStatus } from './evidence.ts'
import { DateTime } from './primitives.ts'
import { CameraIdentity } from './requests.ts'

/** Version 4 (random); the only credential of a capture component. */
export const SessionId = z.uuid({ version: 'v4' }).toLowerCase()

const ExpiresAt = DateTime.describe('Time at which the session ends (UTC)')
const Open = z.literal('OPEN').describe('State; a session that has ended is not found')

/** GET session. */
export const CaptureSessionView = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('DOCUMENT').describe('The session captures a document'),
      state: Open,
      sidesToCapture: z.array(z.enum(DOCUMENT_SIDES)).describe('Sides to capture'),
      expiresAt: ExpiresAt,
    }),
    z.object({
      kind: z.literal('PORTRAIT').describe('The session captures a portrait'),
      state: Open,
      livenessType: z.enum(LIVENESS_TYPES).describe('Liveness type'),
      securityLevel: z.enum(SECURITY_LEVELS).describe('Security level'),
      nbChallenge: z.int().optional().describe('Number of prompted directions, only with LIVENESS_ACTIVE'),
      expiresAt: ExpiresAt,
    }),
  ])
  .describe('Task and end of a capture session')
export type CaptureSessionView = z.infer<typeof CaptureSessionView>

/** POST frame. */
export const CaptureGuidance = z
  .object({
    codes: z.array(z.enum(PICTURE_CODES)).describe('Problems of the picture, worst first'),
    hint: z.enum(CAPTURE_HINTS).describe('The most helpful advice'),
    outline: z
      .array(
        z.object({
          x: z.number().describe("Share of the picture's width"),
          y: z.number().describe("Share of the picture's height"),
        }),
      )
      .length(4)
      .nullable()
      .describe('Corners of the document in shares of the picture; below 0 or above 1 outside the picture'),
    ready: z.boolean().describe('Whether the picture has no problem and may be taken'),
  })
  .describe('Advice on a live picture of a document; the picture is not stored')
export type CaptureGuidance = z.infer<typeof CaptureGuidance>

/** POST side. */
export const RecognisedSide = z
  .object({
    isDocument: z.boolean().describe('Whether there is a document in the picture; if not, take another one'),
    documentType: z.enum(DOCUMENT_TYPES).nullable().describe('Recognised type; null: unknown'),
    issuingCountry: z.string().nullable().describe('ISO 3166-1 alpha-3 code; null: unknown'),
    shows: z.enum(DOCUMENT_SIDES).nullable().describe('Side in the picture; null: unknown'),
    isAsked: z
      .boolean()
      .nullable()
      .describe('Whether it is the requested kind; null: none was requested, or it is unknown'),
    sidesToCapture: z
      .array(z.enum(DOCUMENT_SIDES))
      .describe(
        'Sides that are still to capture; for a session without kind and sides, the sides of the recognised kind',
      ),
  })
  .describe('The recognised content of a picture of one side; not a verdict, and the picture is not stored')
export type RecognisedSide = z.infer<typeof RecognisedSide>

/** POST portrait/begin. */
export const BeginPortrait = z
  .strictObject({
    publicKey: z
      .strictObject({
        kty: z.literal('EC').describe('Key type'),
        crv: z.literal('P-256').describe('Curve'),
        x: z.base64url().length(43).describe('32 bytes, base64url without padding'),
        y: z.base64url().length(43).describe('32 bytes, base64url without padding'),
      })
      .describe(
        'ECDSA key of the component, made for this session (JWK). The server then accepts only frames signed by it; a ' +
          'second begin ends the session',
      ),
    camera: CameraIdentity.optional().describe(
      'Camera of the pictures, as the component states; not verified',
    ),
    pretendedCamera: z
      .boolean()
      .optional()
      .describe('The browser simulates the camera; the identity becomes a test'),
    colours: z
      .enum(COLOUR_SETS)
      .optional()
      .describe('Colours that the component shows for a prompt with a colour (default: FULL)'),
  })
  .describe('First call of a portrait session')
export type BeginPortrait = z.infer<typeof BeginPortrait>

/** Part `FrameSignature` beside part `Frame` of POST portrait/frame. */
export const FrameSignature = z
  .strictObject({
    sequence: z.int().min(1).max(5000).describe('Number of the frame, from 1'),
    ticket: z
      .base64url()
      .length(22)
      .describe('Ticket of the previous answer, so that no frame is signed in advance'),
    signature: z
      .base64url()
      .length(86)
      .describe(
        'ECDSA with SHA-256 (64 bytes, IEEE P1363) over the UTF-8 text `counterproof-frame/1\\n{session id}\\n{sequence}\\n' +
          '{ticket}\\n{SHA-256 of the frame, hexadecimal}`',
      ),
  })
  .describe('Signature of one live picture')
export type FrameSignature = z.infer<typeof FrameSignature>

/** Answer of POST portrait/begin and POST portrait/frame. */
export const PortraitGuidance = z
  .discriminatedUnion('state', [
    z.object({
      state: z.literal('CAPTURING').describe('The server expects the next frame'),
      sequence: z.int().describe('Number of the next frame'),
      ticket: z.base64url().length(22).describe('Ticket of the next frame'),
      prompt: z
        .object({
          kind: z.enum(LIVENESS_STEPS).describe('Kind of the prompt'),
          index: z.int().min(1).describe('Number of this step, from 1'),
          of: z.int().min(1).describe('Number of steps'),
          colour: z
            .enum(SCREEN_COLOURS)
            .nullable()
            .describe('Colour of the whole screen, if kind is SHOW_COLOUR'),
          isHolding: z.boolean().describe('The applicant has moved far enough and must hold the position'),
          attempt: z.int().min(1).describe('Attempt of this step; above 1 the prompt is repeated'),
        })
        .describe('The present prompt'),
      hint: z.enum(PORTRAIT_HINTS).describe('The most helpful advice'),
      progress: z.number().min(0).max(1).describe('Completed share of the session, 0 to 1'),
      face: z
        .object({
          x: z.number().describe('Left edge'),
          y: z.number().describe('Upper edge'),
          width: z.number().describe("Share of the picture's width"),
          height: z.number().describe("Share of the picture's height"),
        })
        .nullable()
        .describe('Box of the face in shares of the picture; null without a face'),
      expiresAt: ExpiresAt,
    }),
    z.object({
      state: z.literal('ENDED').describe('The session accepts no further frame'),
      evidence: SingleStatus,
    }),
  ])
  .describe('The next prompt for the capture component; only the relying service gets the result')
export type PortraitGuidance = z.infer<typeof PortraitGuidance>

/** Answer to POST document and POST video: the present status of the evidence, as the relying service polls it. */
export const CaptureAnswer = SingleStatus
