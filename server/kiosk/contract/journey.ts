/** Schema of resources/journeys/*.json: the steps of a visit with their conditions, texts and times. */
import { z } from 'zod'
import { CONSENT_TYPES, LIVENESS_TYPES, SECURITY_LEVELS } from '../../proofing/types.ts'

/** All steps that a journey may contain. WAITING and RESULT end every visit and are in no file. */
export const STEP_KINDS = [
  'consent',
  'trusted-login',
  'phone',
  'document',
  'check',
  'chip',
  'details',
  'portrait',
  'waiting',
  'result',
] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** Replaces a session that the applicant cannot do: another session, or an officer who takes the picture. */
const OTHER_WAYS = [...LIVENESS_TYPES, 'OFFICER'] as const
export type OtherWay = (typeof OTHER_WAYS)[number]

/** A step is shown when all its conditions hold at its turn. */
export const Condition = z.union([
  /** The appliance is connected to the service that the step needs. */
  z.strictObject({ connected: z.enum(['sms', 'identity-providers']) }),
  z.strictObject({ levelBelow: z.string().regex(/^LOA[1-9]$/) }),
  z.strictObject({ language: z.array(z.string().min(2).max(35)).min(1) }),
  /** Whether values were read of a document of this visit. */
  z.strictObject({ documentRead: z.boolean() }),
])
export type Condition = z.infer<typeof Condition>

const when = z.array(Condition).default([])
const iso3 = z.string().regex(/^[A-Z]{3}$/)
const Capture = {
  /** A picture file may replace the camera. */
  uploadAllowed: z.boolean(),
  /** After this many submissions the last one is kept, and an officer examines it. */
  maxSubmissions: z.int().min(1).max(5),
}

export const JourneyStep = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('consent'),
    when,
    /** Asked together; a "no" ends the visit. */
    required: z.array(z.enum(CONSENT_TYPES)).min(1),
    /** Asked one by one; a "no" skips the steps that need it. */
    optional: z.array(z.enum(CONSENT_TYPES)).default([]),
  }),
  z.strictObject({
    kind: z.literal('trusted-login'),
    when,
    /** Ids of registered identity providers, in this order; empty: all. */
    providers: z.array(z.string().min(1)).default([]),
  }),
  z.strictObject({ kind: z.literal('phone'), when, mayBeSkipped: z.boolean().default(true) }),
  z.strictObject({
    kind: z.literal('document'),
    when,
    ...Capture,
    /** ISO 3166-1 alpha-3: shown before all others. */
    countriesFirst: z.array(iso3).default([]),
  }),
  z.strictObject({ kind: z.literal('check'), when }),
  /** Reads the chip of the document with a reader of this machine. Shown only where a reader and an MRZ are there. */
  z.strictObject({ kind: z.literal('chip'), when, mayBeSkipped: z.boolean().default(true) }),
  /** Asks for what an issuing source needs and the document did not give. Shown only then. */
  z.strictObject({ kind: z.literal('details'), when }),
  z.strictObject({
    kind: z.literal('portrait'),
    when,
    ...Capture,
    livenessType: z.enum(LIVENESS_TYPES),
    securityLevel: z.enum(SECURITY_LEVELS).optional(),
    nbChallenge: z.int().min(1).max(3).optional(),
    /**
     * Used when the applicant wants no colours on the screen, or cannot turn the head. The level depends on
     * the type that was used; OFFICER: an officer at the counter takes the picture.
     */
    withoutColours: z.enum(OTHER_WAYS).optional(),
    withoutTurning: z.enum(OTHER_WAYS).optional(),
  }),
])
export type JourneyStep = z.infer<typeof JourneyStep>

const seconds = z.int().min(5).max(600)

/** One text for all languages, or language → text. */
const OpeningHours = z.union([
  z.string().max(200),
  z.record(z.string().min(2).max(35), z.string().min(1).max(200)),
])

export const Journey = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,64}$/),
  version: z.int().positive(),
  /** The receiver of the result, as the applicant knows it; default: `tenant.name`. */
  organisation: z.string().min(1).max(80).optional(),
  /**
   * Tags of renderer/locales, the branch's own first: four appear on the welcome screen, the rest behind
   * "More".
   */
  languages: z.array(z.string().min(2).max(35)).min(1),
  steps: z.array(JourneyStep).min(1),
  /**
   * How long the counter may continue a visit that an officer has to finish; then its proof is sealed
   * unchanged. 0: it is sealed immediately, and the counter can only read it.
   */
  handOverHours: z.number().min(0).max(168).default(24),
  /** The lowest level of assurance that the result screen calls confirmed. */
  confirmedFrom: z.string().regex(/^LOA[0-9]$/),
  receipt: z
    .strictObject({ print: z.boolean().default(true), openingHours: OpeningHours.optional() })
    .prefault({}),
  /**
   * The tenant's own texts, which replace ours: language → key of the section `kiosk` of the locale file →
   * text.
   */
  texts: z.record(z.string(), z.record(z.string(), z.string().min(1).max(600))).default({}),
  /** Time without a touch or key before the warning appears, and the time to answer the warning. */
  idleSeconds: z.strictObject({
    welcome: seconds,
    reading: seconds,
    capture: seconds,
    result: seconds,
    goodbye: seconds,
    // WCAG 2.2.1 requires at least 20 s.
    warning: z.int().min(20).max(600),
  }),
})
export type Journey = z.infer<typeof Journey>
