/**
 * Fingers over the edge of a document: rounded cylinders lit from one side, in millimetres of the table. Not modelled on
 * a real hand.
 */
import { createRandom } from '../head/noise.ts'
import type { RectMm } from './geometry.ts'
import type { HandPlan } from './plan.ts'
import { surfaceNoise } from './raster.ts'
import { castShadow, type Shadow } from './shadow.ts'

interface Finger {
  readonly tip: readonly [number, number]
  readonly base: readonly [number, number]
  readonly tipRadius: number
  readonly baseRadius: number
  readonly isNailShown: boolean
}

/** Colour with coverage, 0–1, over a rectangle of the table. */
export interface Overlay {
  readonly rgb: Uint8Array
  readonly alpha: Float32Array
  readonly width: number
  readonly height: number
  readonly area: RectMm
  readonly scale: number
  readonly shadow: Shadow
}

export interface Hand {
  /** The part in front of the document and the part behind it. */
  readonly above: Overlay
  readonly below: Overlay | null
}

/** sRGB, light to dark. */
const TONES: readonly (readonly [number, number, number])[] = [
  [238, 200, 178],
  [226, 182, 152],
  [205, 156, 122],
  [168, 118, 86],
  [122, 82, 60],
  [82, 56, 44],
]
const PER_MM = 5
const LIGHT = [-0.42, -0.5, 0.76] as const

export function drawHand(plan: HandPlan, document: RectMm, seed: number): Hand {
  const random = createRandom(seed + 8128)
  const { at, inward } = edgePoint(plan, document)
  const tone = TONES[Math.min(TONES.length - 1, plan.tone)]
  const across: readonly [number, number] = [-inward[1], inward[0]]
  const finger = (along: number, depth: number, lean: number, radius: number, length: number): Finger => {
    const tip: [number, number] = [
      at[0] + across[0] * along + inward[0] * (depth - radius),
      at[1] + across[1] * along + inward[1] * (depth - radius),
    ]
    const c = Math.cos(lean)
    const s = Math.sin(lean)
    const back = [-inward[0] * c + across[0] * s, -inward[1] * c + across[1] * s]
    return {
      tip,
      base: [tip[0] + back[0] * length, tip[1] + back[1] * length],
      tipRadius: radius,
      baseRadius: radius * 1.25,
      isNailShown: true,
    }
  }
  const lean = (random() - 0.5) * 0.7
  if (plan.style === 'press') {
    const gap = 17 + 2 * random()
    const count = random() < 0.5 ? 1 : 2
    const above = Array.from({ length: count }, (_, i) =>
      finger((i - (count - 1) / 2) * gap, plan.depthMm - i * 1.5, lean, 8 + random(), 85),
    )
    return { above: drawFingers(above, tone, seed), below: null }
  }
  const thumb = finger(0, plan.depthMm + 2, lean, 10 + random(), 70)
  // The bent fingers behind the document extend slightly beyond its edge.
  const behind = [0, 1, 2].map((i) => ({
    ...finger((i - 1) * 18 - 12 * Math.sign(lean || 1), 2, lean * 0.4, 9, 60),
    isNailShown: false,
  }))
  const palm: Finger = {
    tip: [at[0] - inward[0] * 46, at[1] - inward[1] * 46],
    base: [at[0] - inward[0] * 130, at[1] - inward[1] * 130],
    tipRadius: 34,
    baseRadius: 42,
    isNailShown: false,
  }
  return { above: drawFingers([thumb], tone, seed), below: drawFingers([palm, ...behind], tone, seed + 1) }
}

function edgePoint(plan: HandPlan, { x, y, width, height }: RectMm) {
  const { along } = plan
  switch (plan.edge) {
    case 'left':
      return { at: [x, y + height * along], inward: [1, 0] } as const
    case 'right':
      return { at: [x + width, y + height * along], inward: [-1, 0] } as const
    case 'top':
      return { at: [x + width * along, y], inward: [0, 1] } as const
    case 'bottom':
      return { at: [x + width * along, y + height], inward: [0, -1] } as const
  }
}

interface Surface {
  height: number
  /** Millimetres from the tip along the finger, and distance across it relative to the radius. */
  along: number
  across: number
  finger: number
}

function drawFingers(
  fingers: readonly Finger[],
  tone: readonly [number, number, number],
  seed: number,
): Overlay {
  const area = around(fingers)
  const width = Math.ceil(area.width * PER_MM)
  const height = Math.ceil(area.height * PER_MM)
  const rgb = new Uint8Array(width * height * 3)
  const alpha = new Float32Array(width * height)
  const here: Surface = { height: 0, along: 0, across: 0, finger: 0 }
  const heights = new Float32Array(width * height)
  for (let j = 0, k = 0; j < height; j++)
    for (let i = 0; i < width; i++, k++) {
      measureSurface(fingers, area.x + (i + 0.5) / PER_MM, area.y + (j + 0.5) / PER_MM, here)
      heights[k] = here.height
    }
  for (let j = 1; j < height - 1; j++)
    for (let i = 1; i < width - 1; i++) {
      const k = j * width + i
      if (heights[k] <= 0) continue
      measureSurface(fingers, area.x + (i + 0.5) / PER_MM, area.y + (j + 0.5) / PER_MM, here)
      const nx = (heights[k - 1] - heights[k + 1]) * PER_MM * 0.5
      const ny = (heights[k - width] - heights[k + width]) * PER_MM * 0.5
      paintSkin(rgb, k * 3, here, fingers[here.finger], nx, ny, tone, i / PER_MM + seed, j / PER_MM)
      alpha[k] = Math.min(1, heights[k] / 1.1)
    }
  return {
    rgb,
    alpha,
    width,
    height,
    area,
    scale: PER_MM,
    shadow: castShadow({ alpha, width, height, area, scale: PER_MM }),
  }
}

/** Height of the skin above the table; 0 beside the hand. */
function measureSurface(fingers: readonly Finger[], x: number, y: number, out: Surface): void {
  out.height = 0
  for (let f = 0; f < fingers.length; f++) {
    const { tip, base, tipRadius, baseRadius } = fingers[f]
    const dx = base[0] - tip[0]
    const dy = base[1] - tip[1]
    const length = Math.hypot(dx, dy)
    const along = ((x - tip[0]) * dx + (y - tip[1]) * dy) / length
    const t = Math.max(0, Math.min(length, along))
    const px = x - tip[0] - (dx / length) * t
    const py = y - tip[1] - (dy / length) * t
    // Joints are slightly thicker than the phalanges between them.
    const joint = 0.5 * Math.exp(-(((t - 24) / 6) ** 2)) + 0.7 * Math.exp(-(((t - 48) / 8) ** 2))
    const radius = tipRadius + ((baseRadius - tipRadius) * t) / length + joint
    const square = radius * radius - px * px - py * py
    if (square <= 0) continue
    const height = Math.sqrt(square)
    if (height <= out.height) continue
    out.height = height
    out.along = along + tipRadius
    out.across = ((x - tip[0]) * -dy + (y - tip[1]) * dx) / length / radius
    out.finger = f
  }
}

function paintSkin(
  rgb: Uint8Array,
  at: number,
  { along, across }: Surface,
  finger: Finger,
  slopeX: number,
  slopeY: number,
  [r, g, b]: readonly [number, number, number],
  u: number,
  v: number,
): void {
  const norm = Math.hypot(slopeX, slopeY, 1)
  const facing = (slopeX * LIGHT[0] + slopeY * LIGHT[1] + LIGHT[2]) / norm
  const wrapped = Math.max(0, (facing + 0.35) / 1.35)
  const edge = 1 / norm
  const mottle = 0.93 + 0.14 * surfaceNoise(u * 7, v * 7)
  const crease =
    1 -
    0.16 * Math.exp(-(((along - 24 - tremble(v)) / 0.5) ** 2)) -
    0.13 * Math.exp(-(((along - 27) / 0.4) ** 2)) -
    0.14 * Math.exp(-(((along - 50 - tremble(u)) / 0.6) ** 2))
  let k = (0.3 + 0.78 * wrapped) * (0.72 + 0.28 * edge) * mottle * crease
  // Blood shows where light leaves the skin at a low angle, and at the fingertip.
  const blush = 0.1 * (1 - edge) + 0.07 * Math.exp(-((along / 9) ** 2))
  let [red, green, blue] = [r * (1 + blush * 0.6), g * (1 - blush), b * (1 - blush * 0.9)]
  const nail = finger.isNailShown ? nailAt(along, across, finger.tipRadius) : 0
  if (nail > 0) {
    const gloss = Math.exp(-(((across + 0.2) / 0.12) ** 2)) * 0.25
    red = red * (1 - 0.3 * nail) + 236 * 0.3 * nail
    green = green * (1 - 0.3 * nail) + 196 * 0.3 * nail
    blue = blue * (1 - 0.3 * nail) + 186 * 0.3 * nail
    k *= 1 + gloss * nail + (along < 2.6 ? 0.16 : 0)
    if (nail < 0.6) k *= 0.86
  }
  rgb[at] = Math.min(255, red * k)
  rgb[at + 1] = Math.min(255, green * k)
  rgb[at + 2] = Math.min(255, blue * k)
}

const tremble = (t: number) => surfaceNoise(t * 2, 3) - 0.5

/** 1 on the nail, falling to 0 over its edge. */
function nailAt(along: number, across: number, radius: number): number {
  const x = (along - radius * 0.72) / (radius * 0.62)
  const y = across / 0.6
  const distance = (x * x * x * x + y * y * y * y) ** 0.25
  return Math.max(0, Math.min(1, (1.04 - distance) / 0.08))
}

function around(fingers: readonly Finger[]): RectMm {
  const margin = 2
  const xs = fingers.flatMap(({ tip, base, tipRadius, baseRadius }) => [
    tip[0] - tipRadius, tip[0] + tipRadius, base[0] - baseRadius, base[0] + baseRadius,
  ]) // oxfmt-ignore
  const ys = fingers.flatMap(({ tip, base, tipRadius, baseRadius }) => [
    tip[1] - tipRadius, tip[1] + tipRadius, base[1] - baseRadius, base[1] + baseRadius,
  ]) // oxfmt-ignore
  const x = Math.min(...xs) - margin
  const y = Math.min(...ys) - margin
  return { x, y, width: Math.max(...xs) + margin - x, height: Math.max(...ys) + margin - y }
}
