/** Configuration of the kiosk and the counter. */
import { z } from 'zod'

const CAMERA_EDGES = ['top', 'bottom', 'left', 'right'] as const
/** Edge of a screen at which the face camera is mounted. */
export type CameraEdge = (typeof CAMERA_EDGES)[number]

export const BrandName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/)
  .optional()
  .describe('folder of brands/ in the data folder, or of resources/brands: whose face the screens wear')

export const KioskConfig = z
  .strictObject({
    name: z.string().min(1).max(60).default('Kiosk 1').describe('how staff call this machine'),
    journey: z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/)
      .default('default')
      .describe('file of resources/journeys, or of the folder journeys/ in the data folder'),
    window: z
      .enum(['appliance', 'browser'])
      .default('appliance')
      .describe(
        'appliance: the kiosk answers the window that the appliance opened; browser: every browser of this machine',
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
              .describe('along the edge, from the left or the top'),
          })
          .prefault({})
          .describe("Where the face's camera is: the screens point at it"),
      })
      .prefault({})
      .describe('the screens are drawn in millimetres'),
  })
  .prefault({})
  .describe('The screens of the applicant')

export const CounterConfig = z
  .strictObject({
    enabled: z.boolean().default(true),
    lockAfterMinutes: z.number().min(1).max(120).default(15).describe('without a touch or key'),
    sessionHours: z.number().min(1).max(24).default(10).describe('a sign-in lasts no longer'),
    attempts: z
      .int()
      .min(3)
      .max(20)
      .default(5)
      .describe('wrong answers before a login name is locked, per device or network'),
    lockedMinutes: z.number().min(1).max(1440).default(15),
    passkeys: z
      .strictObject({
        rpId: z.string().min(1).describe('host name under which staff open the console'),
        origins: z.array(z.url()).min(1),
      })
      .superRefine(({ rpId, origins }, ctx) => {
        for (const [index, origin] of origins.entries()) {
          const { protocol, hostname } = new URL(origin)
          const isNamed = hostname === rpId || hostname.endsWith(`.${rpId}`)
          // Browsers offer no passkeys to other pages (WebAuthn Level 3, 5.1.4.1).
          if (isNamed && (protocol === 'https:' || hostname === 'localhost')) continue
          const message = 'must be https (or http://localhost), its host rpId or a name below it'
          ctx.addIssue({ code: 'custom', path: ['origins', index], message, input: origin })
        }
      })
      .optional()
      .describe('Where passkeys are good for; without it they are offered at http://localhost only'),
    visitsKeptDays: z.int().min(1).max(3650).default(400).describe('counts of visits; they name nobody'),
  })
  .prefault({})
  .describe('The console of the staff')
