/**
 * Runs `npm run bench:surround`: finds the shade around the live picture that suits a glossy document in front of the
 * kiosk's camera. Renders specimen documents under the light and in the reflection of a 27-inch screen. The product's
 * own check of live pictures judges each one.
 */
import { parseArgs } from 'node:util'
import { listFaultCodes, judgePicture } from '../../proofing/document-quality.ts'
import { createRandom } from '../specimen/head/noise.ts'
import { DESIGNS } from '../specimen/documents/render.ts'
import {
  paperLuminance,
  derivePose,
  buildReflection,
  screenIlluminance,
  type ScreenPage,
} from '../specimen/scenes/mirrored-screen.ts'
import { cleanPlan, type ScenePlan } from '../specimen/scenes/plan.ts'
import { renderPlan } from '../specimen/scenes/scene.ts'
import { placeCamera } from '../specimen/scenes/geometry.ts'
import type { Reflection } from '../specimen/scenes/light.ts'
import { measuresOfFrame } from '../../verification/picture-measures.ts'
import { loadThresholds } from '../../verification/thresholds.ts'
import { startVision } from '../../vision/client.ts'
import { defaultModelsDir } from '../../vision/packs.ts'
import { endBench } from './labelled-data.ts'

const HELP = `bench-surround: reflections of a 27-inch screen on glossy documents, by the shade around the live picture

  --poses N   poses of the document for each shade and light   (default 12)
  --seed S    seed of the poses                                            (default 1)
  --shades A,B  of white, paper, grey, slate, ink, black                    (default all)
  --read      also reads the MRZ, which takes seconds per picture
  --json      one JSON object instead of the table
  --help      this text

veil: light that the surface reflects, in % of white paper, mean over the document. edges: largest difference of veil between
two places 10 mm apart, which hides letters. shiny: share of the document with a veil over 10 %. refused: live pictures with a
fault; glare, dark: pictures whose first fault is this one.

Example: npm run bench:surround -- --poses 4 --shades white,ink
`
/** Shades of the page around the live picture: colours of renderer/design/tokens.css, and steps between them. */
const SHADES: Readonly<Record<string, string>> = {
  white: '#ffffff',
  paper: '#fbfaf6',
  grey: '#808080',
  slate: '#3a4956',
  ink: '#0f1820',
  black: '#000000',
}
/**
 * Light on the document without the screen, in lux: a dim corner, a hall in the evening, an office, a bright hall.
 */
const ROOMS_LUX = [30, 150, 500, 1000] as const
/** Documents held up; the first three are laminated or of plastic. */
const KINDS = ['passport', 'identity-card', 'licence-europe', 'residence-card'] as const
const SIZE = [1920, 1080] as const
/** Threshold: below this light a webcam is at its maximum exposure and gain, and its picture gets darker. */
const GAIN_ENDS_LUX = 60
/** Light above which the noise is that of the plan. */
const QUIET_LUX = 500
/** Share of white paper's light; a veil of this strength hides fine print. */
const SHINY = 0.1
/** Place of the live picture on the screen in the document step, and its overall brightness. */
const LIVE = { left: 0.06, right: 0.94, top: 0.16, bottom: 0.52, brightness: 0.25 }

interface Row {
  readonly shade: string
  readonly lux: number
  readonly screenLux: number
  readonly veil: number
  readonly edges: number
  readonly shiny: number
  readonly refused: number
  readonly glare: number
  readonly dark: number
  readonly pictures: number
  /** MRZs in which two recognisers read every character as printed, and all MRZs. */
  readonly read?: number
  readonly zones?: number
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      poses: { type: 'string', default: '12' },
      seed: { type: 'string', default: '1' },
      shades: { type: 'string', default: Object.keys(SHADES).join() },
      read: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [poses, seed] = [Number(values.poses), Number(values.seed)]
  const shades = values.shades.split(',').map((name) => [name, SHADES[name]] as const)
  const isKnown = shades.every(([, colour]) => colour !== undefined)
  if (!Number.isInteger(poses) || !Number.isInteger(seed) || poses < 1 || !isKnown) {
    process.stderr.write(
      '--poses and --seed take whole numbers, --shades names of shades; --help tells them\n',
    )
    return 2
  }
  const plans = Array.from({ length: poses }, (_, n) => heldPlan(seed * 1000 + n))
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  const limits = loadThresholds()
  const rows: Row[] = []
  const look = async (plan: ScenePlan, page: ScreenPage, lux: number): Promise<Seen> => {
    const { jpeg, zone, ...measured } = await photograph(plan, page, lux)
    const [worst] = listFaultCodes(
      judgePicture(measuresOfFrame(await vision.assessFrame({ image: jpeg })), limits),
    )
    const read = values.read && zone !== null ? await vision.measureDocument({ image: jpeg }) : null
    const isExact = read?.mrz?.recognisersAgree === true && read.mrz.lines.join() === zone?.lines.join()
    return { ...measured, worst, isExact, hasMrz: zone !== null }
  }
  try {
    for (const [shade, colour = ''] of shades)
      for (const lux of ROOMS_LUX) {
        const seen: Seen[] = []
        for (const plan of plans) seen.push(await look(plan, buildPage(colour), lux))
        const mean = (of: (one: Seen) => number) => computeMean(seen.map(of))
        rows.push({
          shade,
          lux,
          screenLux: mean(({ screenLux }) => screenLux),
          veil: mean(({ veil }) => veil),
          edges: mean(({ edges }) => edges),
          shiny: mean(({ shiny }) => shiny),
          refused: seen.filter(({ worst }) => worst !== undefined).length,
          glare: seen.filter(({ worst }) => worst === '1532').length,
          dark: seen.filter(({ worst }) => worst === '1531').length,
          pictures: seen.length,
          ...(values.read
            ? {
                read: seen.filter(({ isExact }) => isExact).length,
                zones: seen.filter(({ hasMrz }) => hasMrz).length,
              }
            : {}),
        })
        process.stderr.write(`${shade} ${lux} lux\n`)
      }
  } finally {
    await vision.close()
  }
  process.stdout.write(values.json ? `${JSON.stringify({ seed, poses, rows })}\n` : describe(rows))
  return endBench(rows.length)
}

interface Seen extends Veil {
  readonly screenLux: number
  /** The code of the first fault. */
  readonly worst: string | undefined
  readonly isExact: boolean
  readonly hasMrz: boolean
}

interface Veil {
  readonly veil: number
  readonly edges: number
  readonly shiny: number
}

/** A document held in one hand before the lens, within the limits of the live check. */
function heldPlan(seed: number): ScenePlan {
  const random = createRandom(seed)
  const between = (from: number, to: number) => from + (to - from) * random()
  const kind = KINDS[seed % KINDS.length]
  return {
    ...cleanPlan(kind, seed),
    widthPx: SIZE[0],
    heightPx: SIZE[1],
    angleDeg: between(-5, 5),
    tiltDeg: between(0, 14),
    tiltAxisDeg: between(0, 360),
    share: between(0.3, 0.5),
    offset: [between(-0.4, 0.4), between(-0.4, 0.6)],
    background: 'dark-wood',
    hand: {
      style: 'pinch',
      edge: random() < 0.5 ? 'left' : 'right',
      along: between(0.3, 0.7),
      depthMm: 5,
      tone: seed % 6,
    },
    heldMm: 40,
    exposure: 0.92,
  }
}

/** The camera's picture, with the reflections on the document's surface. */
async function photograph(plan: ScenePlan, page: ScreenPage, roomLux: number) {
  const { width, height } = DESIGNS[plan.kind].size
  const placement = placeCamera({ x: 0, y: 0, width, height }, plan)
  const pose = derivePose(placement, plan.widthPx, plan.heightPx)
  const screenLux = screenIlluminance(page, pose.corner[2], pose.corner[1] + height / 2)
  const lux = roomLux + screenLux
  const reflection = buildReflection(page, pose, paperLuminance(lux))
  const exposure = plan.exposure * Math.min(1, lux / GAIN_ENDS_LUX)
  const noise = plan.noise * Math.max(1, Math.sqrt(QUIET_LUX / lux))
  const { jpeg, truth } = await renderPlan(
    { ...plan, exposure, noise },
    () => (x, y) => exposure * reflection(x, y),
  )
  return { jpeg, zone: truth.zone, screenLux, ...measureVeil(reflection, width, height) }
}

function measureVeil(reflection: Reflection, width: number, height: number): Veil {
  const veils: number[] = []
  let edges = 0
  for (let y = 1; y < height; y += 3)
    for (let x = 1; x < width; x += 3) {
      const veil = reflection(x, y)
      veils.push(veil)
      edges = Math.max(edges, Math.abs(reflection(x + 10, y) - veil), Math.abs(reflection(x, y + 10) - veil))
    }
  return {
    veil: computeMean(veils),
    edges,
    shiny: veils.filter((veil) => veil > SHINY).length / veils.length,
  }
}

/** The document step, as far as its light matters. */
function buildPage(colour: string): ScreenPage {
  const everywhere = { left: 0, right: 1, top: 0, bottom: 1 }
  return [{ ...everywhere, brightness: computeBrightness(colour) }, LIVE]
}

/** Relative luminance of an sRGB colour (WCAG 2.2). */
function computeBrightness(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const computeMean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

function describe(rows: readonly Row[]): string {
  const percent = (share: number) => (100 * share).toFixed(1).padStart(6)
  const lines = rows.map(
    ({ shade, lux, screenLux, veil, edges, shiny, refused, glare, dark, pictures, read, zones }) =>
      `${shade.padEnd(6)} ${String(lux).padStart(5)} ${screenLux.toFixed(0).padStart(7)}${percent(veil)} ${percent(edges)} ${percent(shiny)}` +
      `  ${`${refused}`.padStart(3)} of ${pictures} (glare ${glare}, dark ${dark})${read === undefined ? '' : `  read ${read} of ${zones}`}`,
  )
  return ['shade    lux  screen  veil%  edges%  shiny%  refused', ...lines, ''].join('\n')
}
