/** Configuration of the kiosk and the counter. */
import { z } from 'zod'
import { ClaimValue, STAFF_OIDC_MEMBERS } from '../openid/staff-settings.ts'
import { demandHttpsFor } from '../outgoing/service-address.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { NAME } from './text-forms.ts'

/** The roles of server/counter/access.ts, which may not be imported here. */
const COUNTER_ROLES = ['officer', 'supervisor', 'auditor', 'administrator', 'display'] as const

const CAMERA_EDGES = ['top', 'bottom', 'left', 'right'] as const
/** Edge of a screen at which the face camera is mounted. */
export type CameraEdge = (typeof CAMERA_EDGES)[number]

export const BrandName = NAME.optional().describe(
  'Brand of the screens: a folder in brands/ of the data folder, or in resources/brands',
)

export const KioskConfig = z
  .strictObject({
    name: z.string().min(1).max(60).default('Kiosk 1').describe('Name of this machine for staff'),
    journey: NAME.default('default').describe(
      'Journey: a file in journeys/ of the data folder, or in resources/journeys',
    ),
    window: z
      .enum(['appliance', 'browser'])
      .default('appliance')
      .describe(
        'appliance: the kiosk answers only the window that the appliance opened; browser: every browser of this machine',
      ),
    display: z
      .strictObject({
        diagonalInch: z.number().min(10).max(60).default(27),
        camera: z
          .strictObject({
            edge: z.enum(CAMERA_EDGES).default('top'),
            atPercent: z
              .number()
              .min(0)
              .max(100)
              .default(50)
              .describe('Position along the edge, from the left or the top'),
          })
          .prefault({})
          .describe('Position of the face camera, for the arrow on the screen'),
      })
      .prefault({})
      .describe('Size of the screen, and place of its camera'),
  })
  .prefault({})
  .describe('The screens of the applicant')

export const CounterConfig = z
  .strictObject({
    enabled: z.boolean().default(true),
    lockAfterMinutes: z
      .number()
      .min(1)
      .max(120)
      .default(15)
      .describe('Time without a touch or key after which the console locks'),
    sessionHours: z.number().min(1).max(24).default(10).describe('Maximum time of a sign-in'),
    attempts: z
      .int()
      .min(3)
      .max(20)
      .default(5)
      .describe('Number of wrong sign-ins after which a login name is locked, per device or network'),
    lockedMinutes: z.number().min(1).max(1440).default(15),
    passkeys: z
      .strictObject({
        rpId: z.string().min(1).describe('Host name at which staff open the console'),
        origins: z.array(z.url()).min(1),
      })
      .superRefine(({ rpId, origins }, ctx) => {
        for (const [index, origin] of Array.isArray(origins) ? origins.entries() : []) {
          if (!URL.canParse(origin)) continue
          const { protocol, hostname } = new URL(origin)
          const isNamed = hostname === rpId || hostname.endsWith(`.${rpId}`)
          // Browsers offer no passkeys to other pages (WebAuthn Level 3, 5.1.4.1).
          if (isNamed && (protocol === 'https:' || hostname === 'localhost')) continue
          const message = 'must be https (or http://localhost), its host rpId or a name below it'
          ctx.addIssue({ code: 'custom', path: ['origins', index], message, input: origin })
        }
      }, EVEN_WITH_PROBLEMS)
      .optional()
      .describe('Host name and origins of passkeys; without them passkeys work only at http://localhost'),
    oidc: z
      .strictObject({
        ...STAFF_OIDC_MEMBERS,
        roles: z
          .array(z.strictObject({ value: ClaimValue, role: z.enum(COUNTER_ROLES) }))
          .min(1)
          .max(500)
          .describe('Value of the claim, and the role of the counter that it gives'),
      })
      .superRefine(demandHttpsFor('issuer', 'address'), EVEN_WITH_PROBLEMS)
      .optional()
      .describe('OpenID provider at which staff sign in; local accounts stay for the time without a network'),
    visitsKeptDays: z
      .int()
      .min(1)
      .max(3650)
      .default(400)
      .describe('Retention of the counts of visits, which contain no names'),
  })
  .prefault({})
  .describe('The console of the staff')
