/** What the kiosk's page and its server say to each other: the journey as data, and the states the page may know. */
import { z } from 'zod'
import { CONSENT_TYPES } from '../proofing/types.ts'

const CaptureStep = z.strictObject({
  /** A picture file may stand in for the camera. */
  uploadAllowed: z.boolean(),
  /** After this many submissions the last one is kept and a person looks at it. */
  maxSubmissions: z.int().min(1).max(5),
})

const seconds = z.int().min(5).max(600)

/** resources/journeys/*.json. */
export const Journey = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,64}$/),
  version: z.int().positive(),
  /** Who receives the result, as the applicant knows them. */
  organisation: z.string().min(1).max(80),
  languages: z
    .array(
      z.strictObject({
        tag: z.string().min(2).max(35),
        name: z.string().min(1),
        dir: z.enum(['ltr', 'rtl']),
      }),
    )
    .min(1),
  consents: z.array(z.enum(CONSENT_TYPES)).min(1),
  document: CaptureStep,
  portrait: CaptureStep,
  /** The lowest level of assurance that the result screen calls confirmed. */
  confirmedFrom: z.string().regex(/^LOA[0-9]$/),
  /** Time without a touch or key before the warning shows, and how long the warning waits. */
  idleSeconds: z.strictObject({
    welcome: seconds,
    reading: seconds,
    capture: seconds,
    result: seconds,
    goodbye: seconds,
    // 20 s is the floor of WCAG 2.2.1.
    warning: z.int().min(20).max(600),
  }),
})
export type Journey = z.infer<typeof Journey>

export const TENANT_MODES = ['test', 'production'] as const
export type TenantMode = (typeof TENANT_MODES)[number]

/** GET journey: all the page needs to draw its screens. */
export type JourneyView = Omit<Journey, 'consents' | 'confirmedFrom'> & { readonly mode: TenantMode }

/** What the person can do better: light, distance, sharpness. Never a verdict about the document or the face. */
export const GUIDANCE_CODES = [
  'DOCUMENT_NOT_SEEN',
  'DOCUMENT_CUT',
  'DOCUMENT_LINES',
  'DOCUMENT_DARK',
  'DOCUMENT_BRIGHT',
  'DOCUMENT_GLARE',
  'DOCUMENT_TILTED',
  'DOCUMENT_BLUR',
  'DOCUMENT_NEAR',
  'DOCUMENT_FAR',
  'DOCUMENT_ENDED',
  'DOCUMENT_UNCLEAR',
  'PORTRAIT_NO_FACE',
  'PORTRAIT_SEVERAL',
  'PORTRAIT_FAR',
  'PORTRAIT_NEAR',
  'PORTRAIT_TURNED',
  'PORTRAIT_TILTED',
  'PORTRAIT_SHADOW',
  'PORTRAIT_EYES',
  'PORTRAIT_MOUTH',
  'PORTRAIT_COVERED',
  'PORTRAIT_DARK',
  'PORTRAIT_BRIGHT',
  'PORTRAIT_BLUR',
  'PORTRAIT_UNCLEAR',
  'FILE_UNREADABLE',
] as const
export type GuidanceCode = (typeof GUIDANCE_CODES)[number]

/** NONE: nothing sent · CHECKING · AGAIN: another photo is wanted · DONE: nothing more to do, whatever was found. */
export type CaptureState = 'NONE' | 'CHECKING' | 'AGAIN' | 'DONE'

export interface CaptureProgress {
  readonly state: CaptureState
  /** Most important first; empty unless the state is AGAIN. */
  readonly guidance: readonly GuidanceCode[]
  /** Photos of this kind that may still be sent. */
  readonly left: number
}

/** GET progress. */
export interface Progress {
  readonly document: CaptureProgress
  readonly portrait: CaptureProgress
  /** Nothing is being checked and nothing is wanted: the page may finish. */
  readonly ready: boolean
}

/** CONFIRMED · PERSON: somebody at the counter decides · LATER: still being checked when the person left. */
export type Outcome = 'CONFIRMED' | 'PERSON' | 'LATER'

/** POST finish. */
export interface Receipt {
  /** Eight characters in two groups, for example 7K4P-2M9X; says nothing about the person. */
  readonly reference: string
  readonly outcome: Outcome
}

/** POST session. */
export const SessionStart = z.strictObject({ language: z.string().min(2).max(35) })
export type SessionStart = z.infer<typeof SessionStart>

/** POST consent. */
export const ConsentAnswer = z.strictObject({ approved: z.boolean() })
export type ConsentAnswer = z.infer<typeof ConsentAnswer>
