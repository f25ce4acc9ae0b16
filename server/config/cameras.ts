/**
 * Configuration of the cameras, and the limits of their self-test. A camera is pinned by its USB identity, so that a
 * replacement is noticed; a serial number distinguishes two of the same model.
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import type { CameraTestLimits } from '../proofing/camera-test.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { parseFile, refuse, RESOURCES_DIR } from './resources.ts'
import { textLike, USB_ID } from './text-forms.ts'

/** Printed by `npm run cameras -- pin`. */
const CameraPin = z.strictObject({
  vendor: USB_ID,
  product: USB_ID,
  serial: z.string().min(1).max(100).optional(),
})

/** The same list as in connectors/camera/device-name.ts, which is authoritative. */
const device = textLike(
  /^(?:\/dev\/video(?:0|[1-9]\d{0,2})|TEST|FILE:(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)+)$/,
  'must be /dev/video and a number; in test mode also TEST or FILE:/absolute/path',
).describe('/dev/videoN; in test mode also TEST or FILE:/absolute/path instead of a camera')

/** Full HD: a passport page that fills three quarters of the picture's width has 300 dpi. */
const FULL_HD = { width: 1920, height: 1080 } as const

export const CamerasConfig = z
  .strictObject({
    document: z
      .strictObject({
        device: device.optional(),
        pin: CameraPin.optional(),
        widthPx: z.int().min(320).max(8192).default(FULL_HD.width),
        heightPx: z.int().min(240).max(8192).default(FULL_HD.height),
        // Webcams adjust their exposure within about a third of a second: ten frames at 30 per second. Starting value.
        skipFrames: z.int().min(0).max(100).default(10),
        delaySeconds: z.int().min(0).max(10).default(0),
        rotateDeg: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]).default(0),
        timeoutMs: z.int().min(1000).max(60_000).default(15_000),
      })
      .refine(({ device: node, pin }) => node !== undefined || pin !== undefined, {
        error: 'needs a device or a pin',
        ...EVEN_WITH_PROBLEMS,
      })
      .optional()
      .describe('The fixed camera above the counter, which the server reads'),
    face: z
      .strictObject({ pin: CameraPin })
      .optional()
      .describe('The camera of the kiosk, which the browser reads; the server checks that it is connected'),
  })
  .prefault({})
  .describe('Cameras of this machine')

export type CamerasConfig = z.infer<typeof CamerasConfig>

const FILE = 'cameras.json'
const limit = z.strictObject({ value: z.number().positive(), unit: z.string(), origin: z.string().min(1) })
const LimitsSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  selfTest: z.strictObject({
    darkLuminance: limit,
    clippedShare: limit,
    maxEdgeWidthPerPicture: limit,
    minLongSidePx: limit,
  }),
})

/** Throws `configuration_invalid`. */
export function loadCameraLimits(file = join(RESOURCES_DIR, FILE)): CameraTestLimits {
  const problems: FieldProblem[] = []
  const parsed = parseFile(file, FILE, LimitsSchema, problems)
  refuse(problems)
  if (!parsed) throw new TypeError('a file that was read has values')
  const { darkLuminance, clippedShare, maxEdgeWidthPerPicture, minLongSidePx } = parsed.selfTest
  return {
    darkLuminance: darkLuminance.value,
    clippedShare: clippedShare.value,
    maxEdgeWidthPerPicture: maxEdgeWidthPerPicture.value,
    minLongSidePx: minLongSidePx.value,
  }
}
