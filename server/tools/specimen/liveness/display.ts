/**
 * A display that shows a recording to the kiosk's camera: its pixels, its light, its frame, the hand or the stand that holds it, the lamps
 * that its surface reflects, and how the camera reacts to it. Each display is drawn from wide ranges. The ranges without a source are
 * starting values from data sheets of common devices; nothing here was measured on a device, so it orders methods and finds faults.
 */
import type { Raster } from '../../../vision/raster.ts'
import type { MeshPoint } from '../../../vision/faces/pose.ts'
import type { Rotation } from '../../../vision/liveness/rotation.ts'
import { FRAME, type Camera, type HeadPose } from './camera.ts'
import { normal, within, type Random } from './head-model.ts'
import type { Canvas } from './rasterise.ts'

export const MOUNTS = ['HAND', 'STAND'] as const
/** A hand trembles; a stand, a counter or a clamp does not. */
export type Mount = (typeof MOUNTS)[number]

type Range = readonly [number, number]
type Rgb = readonly [number, number, number]

interface Device {
  readonly mounts: readonly Mount[]
  /** Width of the lit panel, centimetres. */
  readonly widthCm: Range
  /** Width over height. */
  readonly aspect: Range
  /** Distance between two pixels, centimetres. */
  readonly pitchCm: Range
  /** Width of the frame around the panel, centimetres. */
  readonly bezelCm: Range
  /** Share of these displays with a matt surface. */
  readonly matt: number
}

/** Data sheets of 2015 to 2025: phones 390–460 ppi, tablets 220–265 ppi, laptops 1366 to 2880 pixels wide, monitors 90–185 ppi. */
const DEVICES = {
  phone: {
    mounts: ['HAND', 'STAND'],
    widthCm: [13.2, 16],
    aspect: [1.8, 2.2],
    pitchCm: [0.0055, 0.0065],
    bezelCm: [0.15, 0.5],
    matt: 0.1,
  },
  tablet: {
    mounts: ['HAND', 'STAND'],
    widthCm: [19, 28],
    aspect: [1.33, 1.6],
    pitchCm: [0.0096, 0.0116],
    bezelCm: [0.7, 1.8],
    matt: 0.15,
  },
  laptop: {
    mounts: ['HAND', 'STAND'],
    widthCm: [28, 36],
    aspect: [1.5, 1.78],
    pitchCm: [0.0105, 0.025],
    bezelCm: [0.5, 2],
    matt: 0.6,
  },
  monitor: {
    mounts: ['STAND'],
    widthCm: [47, 62],
    aspect: [1.6, 1.78],
    pitchCm: [0.0137, 0.028],
    bezelCm: [0.6, 2.5],
    matt: 0.9,
  },
} as const satisfies Readonly<Record<string, Device>>
type DeviceName = keyof typeof DEVICES

/** All that is drawn once per session. */
export interface Display {
  readonly device: DeviceName
  readonly mount: Mount
  readonly isMatt: boolean
  /** Lit panel and recording, centimetres: what the recording leaves of the panel is dark. */
  readonly panel: Size
  readonly video: Size
  readonly pitchCm: number
  readonly bezelCm: number
  readonly bezel: Rgb
  /** Distance of the panel from the lens, centimetres. */
  readonly distanceCm: number
  /** True if some of the panel's edge is in the camera's view when the display is held straight. */
  readonly isEdgeSeen: boolean
  /** How much the hand trembles, in shares of a hand that is held free. */
  readonly tremble: number
  /** Light of black relative to white. */
  readonly black: number
  readonly gamma: number
  /** Light of white in red, green and blue, relative to what the camera's white balance takes for white. */
  readonly white: Rgb
  /** Brightness of the panel's white, relative to white paper in the room, after the camera's exposure. */
  readonly brightness: number
  /** Depth of the light's change with the panel's driver, periods in a picture's height, and share of the height of one row's exposure. */
  readonly flicker: { readonly depth: number; readonly bands: number }
  /** Light of a mirrored lamp relative to the panel's white, directions of the lamps, and width of their image. */
  readonly gloss: readonly {
    readonly x: number
    readonly y: number
    readonly size: number
    readonly light: number
  }[]
  /** Pixels of the sensor per pixel of its picture, blur of the lens in pixels of the sensor, and whether it skips the others. */
  readonly sensor: { readonly perPixel: number; readonly blur: number; readonly skips: boolean }
  /** Extra blur by a lens that is not focused on the display, pixels of the picture. */
  readonly defocusPx: number
  /** Fingers at the frame: side and place along it. */
  readonly fingers: readonly { readonly side: -1 | 1; readonly at: number; readonly skin: Rgb }[]
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Width of the recording relative to the camera's view: below 1 its edges are seen, above it fills the view. */
export const FILL = [0.8, 1.25] as const
/** Webcams of kiosks are focused on a face: IEC 62676-style fixed focus at 40 to 70 cm (starting value). */
const FOCUS_CM = [40, 70] as const
/** Blur circle of a webcam (f = 4 mm, F/2.2, 1.4 µm × 3 per picture pixel): pixels × cm. */
const DEFOCUS_PX_CM = [10, 28] as const
/** Panels of 150 to 600 cd/m² in rooms of 100 to 600 lx give back 0.5 to 2 % of the room's light, and lenses scatter some. */
const BLACK = [0.003, 0.06] as const
/** Panels follow 2.2 within a few tenths, cameras the inverse. */
const GAMMA = [1.95, 2.5] as const
/** White points of 6000 to 9500 K beside lamps of 2700 to 6500 K, to which the camera has balanced itself. */
const RED = [0.72, 1.02] as const
const BLUE = [0.98, 1.38] as const
/** The camera's exposure brings a display near the brightness of a room: by 0.4 of a stop to either side. */
const BRIGHTNESS = [0.75, 1.3] as const
/** About a third of panels are dimmed by pulses (240 to 960 Hz); a rolling shutter of 15 to 33 ms shows them as bands. */
const PULSED = {
  share: 0.35,
  depth: [0.01, 0.12] as const,
  hertz: [120, 960] as const,
  readoutS: [0.015, 0.033] as const,
}
/** A hand held free (the laboratory of 21 November 2026) down to one that leans on the counter. */
const TREMBLE = [0.12, 1.2] as const
/** Sensors of 0.3, 1.2, 2 and 8 megapixels that send 640 × 480. */
const SENSOR_PER_PIXEL = [1, 2, 3] as const
const SENSOR_BLUR = [0.35, 0.9] as const
/** Share of cameras that send single pixels of a larger sensor instead of means: cheap, and rich in moiré. */
const SKIPPING = 0.3
/** Share of a pixel that one coloured stripe, and one row, fills; matt layers scatter part of it. */
const STRIPE = 0.28
const ROW = 0.85
const LIGHT_STRIPES: readonly number[] = [0, 1, 2].map((k) => (k - 1) / 3)

export function drawDisplay(mount: Mount, fill: Range, camera: Camera, random: Random): Display {
  const names = (Object.keys(DEVICES) as DeviceName[]).filter((name) =>
    (DEVICES[name].mounts as readonly Mount[]).includes(mount),
  )
  const name = names[Math.floor(random() * names.length)]
  const device: Device = DEVICES[name]
  const width = within(device.widthCm, random)
  const panel = { width, height: width / within(device.aspect, random) }
  const video = fitVideo(panel, random)
  const shownWidth = Math.min(panel.width, video.width)
  const distanceCm = (shownWidth * camera.focalPx) / (within(fill, random) * FRAME.width)
  const isWithin = (size: number, viewPx: number) => (size * camera.focalPx) / distanceCm < viewPx
  const isMatt = random() < device.matt
  const isPulsed = random() < PULSED.share
  const grey = random() < 0.75 ? within([6, 35], random) : within([120, 210], random)
  return {
    device: name,
    mount,
    isMatt,
    panel,
    video,
    pitchCm: within(device.pitchCm, random),
    bezelCm: within(device.bezelCm, random),
    bezel: [grey, grey, grey],
    distanceCm,
    isEdgeSeen: isWithin(panel.width, FRAME.width) || isWithin(panel.height, FRAME.height),
    tremble: mount === 'HAND' ? TREMBLE[0] * (TREMBLE[1] / TREMBLE[0]) ** random() : 0,
    black: BLACK[0] * (BLACK[1] / BLACK[0]) ** random(),
    gamma: within(GAMMA, random),
    white: [within(RED, random), 1, within(BLUE, random)],
    brightness: within(BRIGHTNESS, random),
    flicker: {
      depth: isPulsed ? within(PULSED.depth, random) : 0,
      bands: within(PULSED.hertz, random) * within(PULSED.readoutS, random),
    },
    gloss: drawGloss(isMatt, random),
    sensor: {
      perPixel: SENSOR_PER_PIXEL[Math.floor(random() * SENSOR_PER_PIXEL.length)],
      blur: within(SENSOR_BLUR, random),
      skips: random() < SKIPPING,
    },
    defocusPx: within(DEFOCUS_PX_CM, random) * Math.abs(1 / distanceCm - 1 / within(FOCUS_CM, random)),
    fingers: mount === 'HAND' ? drawFingers(random) : [],
  }
}

/** More than this of a recording's edges would cut the head. */
const MAX_CROPPED = 1.25

/** Half of the operators show the whole recording, the others fill the panel with it and lose some of its edges. */
function fitVideo(panel: Size, random: Random): Size {
  const aspect = FRAME.width / FRAME.height
  const whole = Math.min(panel.width, panel.height * aspect)
  const filling = Math.min(Math.max(panel.width, panel.height * aspect), whole * MAX_CROPPED)
  const width = random() < 0.5 ? whole : filling
  return { width, height: width / aspect }
}

/** Glass mirrors 4 % of a lamp or window that is 5 to 60 times as bright as the panel; a matt layer spreads it. */
function drawGloss(isMatt: boolean, random: Random): Display['gloss'] {
  const lamps = Math.floor(random() * 3)
  return Array.from({ length: lamps }, () => ({
    // An operator turns the display until no lamp covers the face.
    x: within([0.2, 0.9], random) * (random() < 0.5 ? -1 : 1),
    y: within([-0.9, 0.2], random),
    size: isMatt ? within([0.15, 0.35], random) : within([0.02, 0.09], random),
    light: isMatt ? within([0.005, 0.06], random) : within([0.1, 2], random),
  }))
}

function drawFingers(random: Random): Display['fingers'] {
  const tone = within([0.35, 1], random)
  const skin: Rgb = [215 * tone, 160 * tone, 130 * tone]
  return ([-1, 1] as const).flatMap((side) => {
    if (random() < 0.35) return []
    const at = within([-0.3, 0.4], random)
    return [0, 1, 2, 3].map((finger) => ({ side, at: at + finger * 0.06, skin }))
  })
}

interface Place {
  readonly rotation: Rotation
  readonly centre: MeshPoint
}

/** Draws the display with the recorded picture on it into the camera's view. `phase`: 0–1, of the panel's pulses. */
export function drawOnDisplay(
  canvas: Canvas,
  shown: Raster,
  display: Display,
  camera: Camera,
  { rotation: r, centre }: Place,
  phase: number,
): void {
  const { colour, nearness, width, height } = canvas
  const { panel, video, bezelCm, pitchCm } = display
  const outer = { x: panel.width / 2 + bezelCm, y: panel.height / 2 + bezelCm }
  const ahead = r[2] * centre.x + r[5] * centre.y + r[8] * centre.z
  const emitted = createEmission(display)
  const grids = computeGrids(display, camera)
  const areSeen = [...grids.across, grids.down].some((contrast) => Math.abs(contrast) >= MIN_GRID)
  const pixel = [0, 0, 0]
  for (let py = 0; py < height; py++) {
    const pulse =
      1 + display.flicker.depth * Math.cos(2 * Math.PI * ((display.flicker.bands * py) / height + phase))
    for (let px = 0; px < width; px++) {
      const bentX = (px - FRAME.width / 2) / camera.focalPx
      const bentY = (py - FRAME.height / 2) / camera.focalPx
      // The inverse of `project`, whose distortion is small.
      const times = 1 / (1 + camera.distortion * (bentX * bentX + bentY * bentY))
      const u = bentX * times
      const v = bentY * times
      const t = ahead / (r[2] * u + r[5] * v + r[8])
      const dx = t * u - centre.x
      const dy = t * v - centre.y
      const dz = t - centre.z
      const a = r[0] * dx + r[3] * dy + r[6] * dz
      const b = r[1] * dx + r[4] * dy + r[7] * dz
      if (display.fingers.length > 0 && isFinger(display, a, b, outer, pixel)) {
        const o = (py * width + px) * 3
        for (let k = 0; k < 3; k++) colour[o + k] = pixel[k]
        nearness[py * width + px] = 1 / t
        continue
      }
      if (Math.abs(a) > outer.x || Math.abs(b) > outer.y) continue
      const o = (py * width + px) * 3
      nearness[py * width + px] = 1 / t
      const gleam = gleamAt(display, r, u, v)
      if (Math.abs(a) > panel.width / 2 || Math.abs(b) > panel.height / 2) {
        for (let k = 0; k < 3; k++) colour[o + k] = display.bezel[k] + 20 * gleam
        continue
      }
      const isLit = Math.abs(a) <= video.width / 2 && Math.abs(b) <= video.height / 2
      if (isLit)
        sample(
          shown,
          (a / video.width + 0.5) * (shown.width - 1),
          (b / video.height + 0.5) * (shown.height - 1),
          pixel,
        )
      else pixel.fill(0)
      for (let k = 0; k < 3; k++) {
        const grid = areSeen
          ? 1 +
            grids.across[k] * Math.cos(2 * Math.PI * (a / pitchCm - LIGHT_STRIPES[k])) +
            grids.down * Math.cos((2 * Math.PI * b) / pitchCm)
          : 1
        const light = emitted[k][(pixel[k] + 0.5) | 0] * Math.max(0, grid) * pulse + gleam
        colour[o + k] = TONES[Math.min(TONES.length - 1, (light * TONES_PER_WHITE) | 0)]
      }
    }
  }
}

const CAMERA_GAMMA = 2.2
/** Levels of the camera by light, up to three times white: beyond, all is clipped. */
const TONES_PER_WHITE = 8192
const TONES = Float32Array.from(
  { length: 3 * TONES_PER_WHITE },
  (_, i) => 255 * ((i + 0.5) / TONES_PER_WHITE) ** (1 / CAMERA_GAMMA),
)
/** Less contrast than this is lost in the camera's levels. */
const MIN_GRID = 0.002

function createEmission({ gamma, black, white, brightness }: Display): readonly Float32Array[] {
  return white.map((share) =>
    Float32Array.from(
      { length: 256 },
      (_, v) => brightness * share * (black + (1 - black) * (v / 255) ** gamma),
    ),
  )
}

/**
 * Contrast with which the camera sees the display's columns (by colour) and rows. Lens and sensor pixel weaken them, the mean over
 * the sensor's pixels that make one pixel of the picture, too; what is left shows as coarser stripes (moiré).
 */
function computeGrids({ pitchCm, distanceCm, sensor, isMatt, defocusPx }: Display, { focalPx }: Camera) {
  const { perPixel } = sensor
  const perSensorPixel = distanceCm / (focalPx * perPixel * pitchCm)
  const blur = Math.hypot(sensor.blur, defocusPx * perPixel)
  const seen = Math.abs(sinc(perSensorPixel)) * Math.exp(-2 * (Math.PI * blur * perSensorPixel) ** 2)
  // A Bayer sensor takes red and blue only with every second pixel.
  const colour = sensor.skips ? 1 : averageSteps(perPixel / 2, 2 * perSensorPixel)
  const grey = sensor.skips ? 1 : averageSteps(perPixel, perSensorPixel)
  const scattered = isMatt ? 0.6 : 0.95
  const column = 2 * sinc(STRIPE) * scattered * seen
  return {
    across: [colour, grey, colour].map((mean) => column * mean),
    down: 2 * sinc(ROW) * scattered * seen * grey,
  }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** Mean of a wave over `count` samples at a distance of `step` periods. */
function averageSteps(count: number, step: number): number {
  if (count <= 1) return 1
  const below = count * Math.sin(Math.PI * step)
  return Math.abs(below) < 1e-6 ? 1 : Math.sin(Math.PI * step * count) / below
}

/** Light of the lamps that the surface mirrors in this direction. */
function gleamAt({ gloss }: Display, r: Rotation, u: number, v: number): number {
  if (gloss.length === 0) return 0
  let sum = 0
  const along = 2 * (u * r[2] + v * r[5] + r[8])
  const x = u - along * r[2]
  const y = v - along * r[5]
  const z = 1 - along * r[8]
  for (const lamp of gloss) {
    const off = ((x / -z - lamp.x) ** 2 + (y / -z - lamp.y) ** 2) / (lamp.size * lamp.size)
    if (off < 9) sum += lamp.light * Math.exp(-off / 2)
  }
  return sum
}

const FINGER = { halfCm: 0.8, reachCm: 1.6 }

function isFinger(
  { fingers, panel }: Display,
  a: number,
  b: number,
  outer: { readonly x: number },
  out: number[],
): boolean {
  for (const { side, at, skin } of fingers) {
    const tip = side * (outer.x - FINGER.reachCm)
    const beyond = side * (a - tip)
    const aside = b - at * Math.max(panel.height, 14)
    if (beyond < 0 || Math.abs(aside) > FINGER.halfCm || beyond > 12) continue
    if (beyond < FINGER.halfCm && Math.hypot(beyond - FINGER.halfCm, aside) > FINGER.halfCm) continue
    const shade = 1 - 0.4 * (Math.abs(aside) / FINGER.halfCm) ** 2
    for (let k = 0; k < 3; k++) out[k] = skin[k] * shade
    return true
  }
  return false
}

function sample({ data, width }: Raster, x: number, y: number, out: number[]): void {
  const x0 = Math.floor(x)
  const y0 = Math.floor(y)
  const fx = x - x0
  const fy = y - y0
  const i = (y0 * width + x0) * 3
  const right = fx > 0 ? i + 3 : i
  const down = fy > 0 ? width * 3 : 0
  const below = i + down
  const belowRight = right + down
  for (let k = 0; k < 3; k++)
    out[k] =
      (data[i + k] * (1 - fx) + data[right + k] * fx) * (1 - fy) +
      (data[below + k] * (1 - fx) + data[belowRight + k] * fx) * fy
}

/** The display's place in one picture: a hand drifts and trembles around it. */
type HeldPose = Omit<HeadPose, 'jaw'>

/** Standard deviations of a hand held free, per picture (laboratory of 21 November 2026); a stand is only not quite straight. */
const HAND: HeldPose = { x: 0.4, y: 0.4, distance: 0.5, yawDeg: 1.5, pitchDeg: 1.5, rollDeg: 1.5 }
const ASKEW: HeldPose = { x: 0.5, y: 0.5, distance: 0, yawDeg: 2, pitchDeg: 2.5, rollDeg: 0.7 }
const PARTS = Object.keys(HAND) as (keyof HeldPose)[]
const KEPT = 0.8

export function createHolder({ tremble, distanceCm }: Display, random: Random): () => HeldPose {
  const middle = { ...mapParts((part) => normal(random) * ASKEW[part]), distance: distanceCm }
  let off = mapParts(() => 0)
  return () => {
    off = mapParts(
      (part) => off[part] * KEPT + normal(random) * HAND[part] * tremble * Math.sqrt(1 - KEPT * KEPT),
    )
    return mapParts((part) => middle[part] + off[part])
  }
}

function mapParts(value: (part: keyof HeldPose) => number): HeldPose {
  return Object.fromEntries(PARTS.map((part) => [part, value(part)])) as unknown as HeldPose
}
