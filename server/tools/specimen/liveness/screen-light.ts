/**
 * Models the light of a kiosk's screen on the scene and the automatic exposure that counteracts it. Skin and paper
 * reflect the light as a share of the room's light. A display emits its own light, reflects little and mirrors. The
 * shares are invented: the model compares methods and finds faults.
 */
import { SHINE_OF_SET, type ColourSet, type ScreenColour } from '../../../proofing/liveness/types.ts'
import type { Canvas } from './rasterise.ts'
import { normal, within, type Random } from './head-model.ts'

/** Called once for each picture, in order; null: the screen shows no colour. */
export type ScreenLight = (canvas: Canvas, shown: ScreenColour | null) => void

/** The lit surface: skin, cloth and paper, or the glass of another screen. */
export type Ground = 'matt' | 'glass'

type Rgb = readonly [number, number, number]

/**
 * The screen's light on a face at this distance, as a share of the room's: from a dim screen in a bright hall to a bright
 * screen in a dark room.
 */
const NEAR_CM = 45
export const SHARE_OF_ROOM = [0.03, 0.4] as const
/** The screen is half a metre wide: beyond about half its width, its light falls off with the square of the distance. */
const HALF_SCREEN_CM = 30
const WALL_CM = [100, 400] as const
/** Warm lamps leave more room for the screen's blue, cold ones for its red: deviation of the shares, as a logarithm. */
const LAMP_SPREAD = 0.25
/** Crosstalk of the colour channels: a camera's red sees some of the screen's green, and a screen's red is not pure. */
const LEAK = [0.06, 0.18] as const
/** White balance: corrects up to this share of the picture's mean colour shift, and this much of it with each picture. */
const BALANCE = { most: 0.6, perPicture: [0, 0.12] as const }
/** Share of the way to the right exposure with each picture: at 8 pictures a second within half a second to three seconds. */
const EXPOSURE_PER_PICTURE = [0.04, 0.3] as const
/** A camera that meters the middle keeps this share of it below the sensor's limit. */
const METERED = { share: 0.95, below: 235 } as const
/** Glass reflects this share of the light evenly, and mirrors this share of the screen itself in some sessions. */
const GLASS = { matt: [0.002, 0.015] as const, mirror: [0.01, 0.045] as const, mirrorsOnceIn: 2 }
/** A screen that lights a face as strongly as the room is about this many times as bright as paper in the room. */
const SCREEN_BRIGHTNESS = 5
const GAMMA = 2.2

/** The light's strength and the camera's response, drawn once per session. */
export function createScreenLight(
  ground: Ground,
  random: Random,
  {
    shareOfRoom = SHARE_OF_ROOM,
    colourSet = 'FULL',
  }: { readonly shareOfRoom?: readonly [number, number]; readonly colourSet?: ColourSet } = {},
): ScreenLight {
  const shines = SHINE_OF_SET[colourSet]
  const share = shareOfRoom[0] * (shareOfRoom[1] / shareOfRoom[0]) ** random()
  const lamp = [0, 0, 0].map(() => Math.exp(normal(random) * LAMP_SPREAD))
  const leak = within(LEAK, random)
  const wall = within(WALL_CM, random)
  const camera = createAutomatics(random)
  const isMirrored = random() * GLASS.mirrorsOnceIn < 1
  const glass = {
    matt: within(GLASS.matt, random),
    mirror: isMirrored ? within(GLASS.mirror, random) * SCREEN_BRIGHTNESS : 0,
    from: within([0.25, 0.7], random),
  }
  return (canvas, shown) => {
    if (shown !== null) {
      const light = shines[shown].map((_, k) => share * lamp[k] * leaked(shines[shown], k, leak))
      if (ground === 'matt') shineOnMatt(canvas, light, wall)
      else shineOnGlass(canvas, light, glass, wall)
    }
    camera(canvas)
  }
}

function leaked(shine: Rgb, k: number, leak: number): number {
  const others = shine.reduce((sum, value) => sum + value, 0) - shine[k]
  return shine[k] * (1 - leak) + (others * leak) / 2
}

/** Relative to a face at the usual distance. */
function falloff(cm: number): number {
  return (NEAR_CM ** 2 + HALF_SCREEN_CM ** 2) / (cm * cm + HALF_SCREEN_CM ** 2)
}

const STEPS = 512
/** Nearness (1/distance) from 0 to this value is divided into steps; nothing comes nearer than 12 centimetres. */
const MAX_NEARNESS = 1 / 12

/** Scales every colour by the same share. */
function shineOnMatt(
  { colour, nearness }: Canvas,
  light: readonly number[],
  wallCm: number,
  only: 'all' | 'wall' = 'all',
): void {
  const times = light.map((share) =>
    Float32Array.from({ length: STEPS + 1 }, (_, step) => {
      const cm = step === 0 ? wallCm : STEPS / (step * MAX_NEARNESS)
      return (1 + share * falloff(cm)) ** (1 / GAMMA)
    }),
  )
  for (let i = 0, o = 0; i < nearness.length; i++, o += 3) {
    const step = Math.min(STEPS, Math.ceil((nearness[i] / MAX_NEARNESS) * STEPS))
    if (only === 'wall' && step > 0) continue
    for (let k = 0; k < 3; k++) colour[o + k] *= times[k][step]
  }
}

/** Adds the same amount to the glass everywhere; below a line the glass also mirrors the screen. */
function shineOnGlass(
  canvas: Canvas,
  light: readonly number[],
  { matt, mirror, from }: { readonly matt: number; readonly mirror: number; readonly from: number },
  wallCm: number,
): void {
  shineOnMatt(canvas, light, wallCm, 'wall')
  const { colour, nearness, width, height } = canvas
  const tables = [matt, matt + mirror].map((share) => light.map((amount) => withAdded(amount * share)))
  for (let i = 0, o = 0; i < nearness.length; i++, o += 3) {
    if (nearness[i] === 0) continue
    const table = tables[Math.floor(i / width) > from * height ? 1 : 0]
    for (let k = 0; k < 3; k++)
      colour[o + k] = table[k][Math.min(255, Math.max(0, Math.round(colour[o + k])))]
  }
}

function withAdded(amount: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, v) => 255 * ((v / 255) ** GAMMA + amount) ** (1 / GAMMA))
}

const SAMPLED_EACH = 31
const METER_STEP = 8

/** White balance and exposure slowly return the picture's mean to its initial value; the middle is not over-exposed for that. */
function createAutomatics(random: Random): (canvas: Canvas) => void {
  const most = random() * BALANCE.most
  const balance = within(BALANCE.perPicture, random)
  const exposure = within(EXPOSURE_PER_PICTURE, random)
  let first: number[] | null = null
  let gain = [0, 0, 0]
  return (canvas) => {
    const { colour } = canvas
    const now = meanLogs(colour)
    first ??= now
    const shift = now.map((value, k) => value - (first as number[])[k])
    const brightness = (shift[0] + shift[1] + shift[2]) / 3
    const right = Math.min(-brightness, Math.log(METERED.below / meterMiddle(canvas)))
    const level = (gain[0] + gain[1] + gain[2]) / 3
    gain = gain.map((value, k) => {
      const wanted = -most * (shift[k] - brightness)
      const chroma = value - level
      return level + exposure * (right - level) + chroma + balance * (wanted - chroma)
    })
    const times = gain.map(Math.exp)
    for (let o = 0; o < colour.length; o += 3) for (let k = 0; k < 3; k++) colour[o + k] *= times[k]
  }
}

/** The brightest channel that METERED.share of the pixels in the middle of the picture do not exceed. */
function meterMiddle({ colour, width, height }: Canvas): number {
  const values: number[] = []
  for (let y = height >> 2; y < (3 * height) >> 2; y += METER_STEP)
    for (let x = width >> 2; x < (3 * width) >> 2; x += METER_STEP) {
      const o = (y * width + x) * 3
      values.push(Math.max(colour[o], colour[o + 1], colour[o + 2]))
    }
  return values.toSorted((a, b) => a - b)[Math.floor(METERED.share * (values.length - 1))]
}

function meanLogs(colour: Float32Array): number[] {
  const sums = [1, 1, 1]
  for (let o = 0; o < colour.length - 2; o += 3 * SAMPLED_EACH)
    for (let k = 0; k < 3; k++) sums[k] += Math.min(255, colour[o + k])
  return sums.map(Math.log)
}
