/** What a capture component and the appliance say to each other under /capture/sessions/{sessionId}. */
import { z } from 'zod'
import { CAPTURE_HINTS, PICTURE_CODES } from '../../proofing/document-quality.ts'
import { COLOUR_SETS, LIVENESS_STEPS, SCREEN_COLOURS } from '../../proofing/liveness/types.ts'
import { PORTRAIT_HINTS } from '../../proofing/portrait-quality.ts'
import { DOCUMENT_SIDES, DOCUMENT_TYPES, LIVENESS_TYPES, SECURITY_LEVELS } from '../../proofing/types.ts'
import { SingleStatus } from './evidence.ts'
import { DateTime } from './primitives.ts'
import { CameraIdentity } from './requests.ts'

/** Version 4: random, and all that a capture component has to show. */
export const SessionId = z.uuid({ version: 'v4' }).toLowerCase()

const ExpiresAt = DateTime.describe('When the session ends by itself (UTC)')
const Open = z.literal('OPEN').describe('An ended session is not found, so this one is open')

/** GET session. */
export const CaptureSessionView = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('DOCUMENT').describe('A document is photographed'),
      state: Open,
      sidesToCapture: z.array(z.enum(DOCUMENT_SIDES)).describe('Sides that are awaited'),
      expiresAt: ExpiresAt,
    }),
    z.object({
      kind: z.literal('PORTRAIT').describe('The person is filmed'),
      state: Open,
      livenessType: z.enum(LIVENESS_TYPES).describe('How liveness is proven'),
      securityLevel: z.enum(SECURITY_LEVELS).describe('How strictly'),
      nbChallenge: z.int().optional().describe('Directions that are asked for; with LIVENESS_ACTIVE alone'),
      expiresAt: ExpiresAt,
    }),
  ])
  .describe('What a capture component has to capture, and until when')
export type CaptureSessionView = z.infer<typeof CaptureSessionView>

/** POST frame. */
export const CaptureGuidance = z
  .object({
    codes: z.array(z.enum(PICTURE_CODES)).describe('What is wrong with the picture, worst first'),
    hint: z.enum(CAPTURE_HINTS).describe('The one advice that helps most'),
    outline: z
      .array(
        z.object({
          x: z.number().describe('Share of the width'),
          y: z.number().describe('Share of the height'),
        }),
      )
      .length(4)
      .nullable()
      .describe('Corners of the document in shares of the picture, outside 0 to 1 where they lie beyond it'),
    ready: z.boolean().describe('Nothing is wrong: the picture may be taken'),
  })
  .describe('Advice on a live picture of a document; nothing of the picture is kept')
export type CaptureGuidance = z.infer<typeof CaptureGuidance>

/** POST side. */
export const RecognisedSide = z
  .object({
    isDocument: z.boolean().describe('False: no document is in the picture; take another one'),
    documentType: z.enum(DOCUMENT_TYPES).nullable().describe('What it looks like; null: it cannot be told'),
    issuingCountry: z.string().nullable().describe('ISO 3166-1 alpha-3; null: it cannot be told'),
    shows: z
      .enum(DOCUMENT_SIDES)
      .nullable()
      .describe('Which side the picture shows; null: it cannot be told'),
    isAsked: z
      .boolean()
      .nullable()
      .describe('False: another kind than the one that was asked for; null: none was, or it cannot be told'),
    sidesToCapture: z
      .array(z.enum(DOCUMENT_SIDES))
      .describe(
        'Sides that are awaited now: where the session was opened without kind and sides, those of this kind',
      ),
  })
  .describe('What the picture of one side shows. It is no verdict, and nothing of the picture is kept')
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
        'ECDSA key of the component, made for this session alone (JWK). From now on only its holder is believed; a second ' +
          'begin ends the session',
      ),
    camera: CameraIdentity.optional().describe('Camera that the pictures come from. Told, not proven'),
    pretendedCamera: z
      .boolean()
      .optional()
      .describe('The browser pretends to be the camera: the identity is a test from now on'),
    colours: z
      .enum(COLOUR_SETS)
      .optional()
      .describe('Colours that the component paints where a prompt names one; FULL unless given'),
  })
  .describe('How a capture component begins a portrait')
export type BeginPortrait = z.infer<typeof BeginPortrait>

/** Part `FrameSeal` beside part `Frame` of POST portrait/frame. */
export const FrameSeal = z
  .strictObject({
    sequence: z.int().min(1).max(5000).describe('1 for the first frame, then one more each time'),
    ticket: z
      .base64url()
      .length(22)
      .describe('Of the answer before: no frame can be signed before its turn has come'),
    signature: z
      .base64url()
      .length(86)
      .describe(
        'ECDSA with SHA-256 (64 bytes, IEEE P1363) over the UTF-8 text `counterproof-frame/1\\n{session id}\\n{sequence}\\n' +
          '{ticket}\\n{SHA-256 of the frame, hexadecimal}`',
      ),
  })
  .describe('Signature of one live picture')
export type FrameSeal = z.infer<typeof FrameSeal>

/** Answer of POST portrait/begin and POST portrait/frame. */
export const PortraitGuidance = z
  .discriminatedUnion('state', [
    z.object({
      state: z.literal('CAPTURING').describe('The next frame is awaited'),
      sequence: z.int().describe('Number of the next frame'),
      ticket: z.base64url().length(22).describe('Ticket of the next frame'),
      prompt: z
        .object({
          kind: z.enum(LIVENESS_STEPS).describe('What the person is asked to do'),
          index: z.int().min(1).describe('Number of this step'),
          of: z.int().min(1).describe('Number of steps'),
          colour: z
            .enum(SCREEN_COLOURS)
            .nullable()
            .describe('What the whole screen shows while kind is SHOW_COLOUR'),
          isHolding: z.boolean().describe('Far enough: hold it'),
          attempt: z.int().min(1).describe('Above 1: it is asked again'),
        })
        .describe('The step that is due'),
      hint: z.enum(PORTRAIT_HINTS).describe('The one advice that helps most'),
      progress: z.number().min(0).max(1).describe('Share of the session that is done'),
      face: z
        .object({
          x: z.number().describe('Left edge'),
          y: z.number().describe('Upper edge'),
          width: z.number().describe('Share of the width'),
          height: z.number().describe('Share of the height'),
        })
        .nullable()
        .describe('The face in shares of the picture; null while none is seen'),
      expiresAt: ExpiresAt,
    }),
    z.object({
      state: z.literal('ENDED').describe('Nothing more is taken, whatever has happened'),
      evidence: SingleStatus,
    }),
  ])
  .describe('What a capture component shows next; a result is told to the relying service alone')
export type PortraitGuidance = z.infer<typeof PortraitGuidance>

/** POST document and POST video: what the evidence is now, as the relying service polls it. */
export const CaptureAnswer = SingleStatus
