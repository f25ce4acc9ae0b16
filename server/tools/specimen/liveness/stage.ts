/**
 * Simulates a camera and its subject: a living head or one of the attacks at a kiosk. Turns each pose into one
 * photograph. All pictures are drawn. Rates that are measured on them compare methods and find faults; they are no
 * error rates of a kiosk.
 */
import type { MeshPoint } from '../../../vision/faces/pose.ts'
import { decodeImage } from '../../../vision/image.ts'
import type { Raster } from '../../../vision/raster.ts'
import { rotationAbout } from '../../../vision/liveness/rotation.ts'
import type { Point } from '../../../vision/protocol.ts'
import type { ColourSet, ScreenColour } from '../../../proofing/liveness/types.ts'
import {
  drawCamera,
  draw,
  expose,
  project,
  toRotation,
  type Camera,
  type HeadPose,
  type NoiseLevel,
} from './camera.ts'
import { createLamps, dress } from './temptations.ts'
import { createHolder, drawDisplay, drawOnDisplay, FILL, type Display, type Mount } from './display.ts'
import { emptyCanvas, wiped, type Canvas } from './rasterise.ts'
import { normal, within, type Random, type HeadModel } from './head-model.ts'
import { createScreenLight, type ScreenLight } from './screen-light.ts'
import { flat, folded, rolledLevel, rolledUpright, withPaperNose, type Bend } from './sheets.ts'
import { rotatePoint } from './surface.ts'

export const PAI_SPECIES = ['live', 'flat', 'bent', 'flex', 'tent', 'mask', 'nosemask', 'replay'] as const
export type PaiSpecies = (typeof PAI_SPECIES)[number]

/** One presentation before one camera; pictures of successive poses are successive frames. */
export interface Presentation {
  readonly species: PaiSpecies
  /** The display that shows a replay; null for the other species. */
  readonly display: Display | null
  /**
   * `shown`: the colour of the kiosk's screen. After the first colour, the camera's automatic controls react to every
   * picture.
   */
  picture(pose: HeadPose, shown?: ScreenColour | null): Promise<Buffer>
}

export interface StageSettings {
  readonly species: PaiSpecies
  readonly subjectHead: HeadModel
  /** The person who wears a mask. */
  readonly wearer: HeadModel
  /** Has the size of a frame. */
  readonly background: Raster
  readonly noise: NoiseLevel
  /** Only for replays: the place of the recording, if different, and the colours on the person then. */
  readonly recorded?: {
    readonly background: Raster
    readonly colourAt: (shown: ScreenColour | null) => ScreenColour | null
  }
  /** Only for replays: width of the recording relative to the camera's view, and what holds the display. */
  readonly heldWidth?: readonly [number, number]
  readonly mount?: Mount
  /** Striped or checked clothes, and lamps that flicker: what a search for displays could take for one. */
  readonly tempts?: boolean
  /** Share of the kiosk screen's light on a face at the usual distance. */
  readonly shareOfRoom?: readonly [number, number]
  /** Colours of the kiosk's screen and of the one that lit a recording. */
  readonly colourSet?: ColourSet
}

/** Degrees of a tilted sheet per requested degree; attackers overdo it. */
const TILT_TIMES = [1, 1.6] as const
const PRINT_SCALE = [0.6, 1] as const
const MASK_RADIUS_CM = [8, 12] as const
const BEND_RADIUS_CM = [10, 30] as const
const FOLD_DEG = [12, 35] as const
const FLEX_TO_CM = 9

export function present(settings: StageSettings, random: Random): Presentation {
  const { species, noise } = settings
  const camera = drawCamera(random)
  let shines: ScreenColour | null = null
  const replay = species === 'replay' ? createReplay(settings, random) : null
  const lamps = settings.tempts ? createLamps(random) : null
  const draw = drawer(settings, camera, random, { replay, shines: () => shines })
  let light: ScreenLight | null = null
  let last: Point | null = null
  return {
    species,
    display: replay?.display ?? null,
    async picture(pose, shown = null) {
      shines = shown
      const canvas = await draw(pose)
      lamps?.(canvas)
      if (shown) light ??= createScreenLight(species === 'replay' ? 'glass' : 'matt', random, settings)
      light?.(canvas, shown)
      const at = project(camera, { x: pose.x, y: pose.y, z: pose.distance })
      const speed = last ? { x: at.x - last.x, y: at.y - last.y } : { x: 0, y: 0 }
      last = at
      return expose(canvas, noise, speed, random, replay?.display.defocusPx)
    },
  }
}

type Draw = (pose: HeadPose) => Canvas | Promise<Canvas>

function drawer(
  settings: StageSettings,
  camera: Camera,
  random: Random,
  { replay, shines }: { readonly replay: Replay | null; readonly shines: () => ScreenColour | null },
): Draw {
  const { species, wearer, background, recorded } = settings
  const subjectHead = settings.tempts ? dress(settings.subjectHead, random) : settings.subjectHead
  const light = lightFrom(random)
  const shared = emptyCanvas(background)
  const head = (who: HeadModel, pose: HeadPose, room = background): Canvas => {
    const canvas = emptyCanvas(room)
    drawHead(canvas, who, camera, pose, light)
    return canvas
  }
  /** A recording was lit by its own screen, if any. */
  const recording = (session: Draw): Draw => {
    if (!recorded) return session
    const itsLight = createScreenLight('matt', random, { colourSet: settings.colourSet })
    return async (pose) => {
      const canvas = await session(pose)
      itsLight(canvas, recorded.colourAt(shines()))
      return canvas
    }
  }
  switch (species) {
    case 'live':
      return (pose) => head(subjectHead, pose)
    case 'replay': {
      const session = recording((pose) => head(subjectHead, pose, recorded?.background))
      return async (pose) => {
        const canvas = await session(pose)
        return replay ? replay.show(canvas) : canvas
      }
    }
    case 'mask':
    case 'nosemask': {
      const bend = maskBend(species, subjectHead, within(MASK_RADIUS_CM, random))
      return (pose) => {
        const canvas = head(wearer, { ...pose, jaw: 0 })
        const mask = { ...subjectHead.cutOut, points: subjectHead.cutOut.points.map(bend) }
        draw(canvas, subjectHead.photograph, mask, camera, toRotation(pose), headCentre(pose))
        return canvas
      }
    }
    case 'flat':
    case 'bent':
    case 'flex':
    case 'tent': {
      const bend = sheetBend(species, random)
      const scale = within(PRINT_SCALE, random)
      const times = within(TILT_TIMES, random)
      return (pose) => {
        const canvas = wiped(shared, background)
        const tilted = { ...pose, yawDeg: pose.yawDeg * times, pitchDeg: pose.pitchDeg * times }
        const sheet = bend(pose, scale)
        const points = subjectHead.print.points.map(({ x, y, z }) =>
          sheet({ x: x * scale, y: y * scale, z: z * scale }),
        )
        const centre = { x: pose.x * scale, y: pose.y * scale, z: (pose.distance + 5) * scale }
        draw(
          canvas,
          subjectHead.photograph,
          { ...subjectHead.print, points },
          camera,
          toRotation(tilted),
          centre,
        )
        return canvas
      }
    }
  }
}

/** The bend of a sheet of a given scale at each moment: hands tremble, and some bend it while they turn it. */
function sheetBend(
  species: 'flat' | 'bent' | 'flex' | 'tent',
  random: Random,
): (pose: HeadPose, scale: number) => Bend {
  if (species === 'flat') return () => flat
  if (species === 'tent') {
    const angle = (within(FOLD_DEG, random) * Math.PI) / 180
    return () => folded(angle)
  }
  const roll = random() < 0.75 ? rolledUpright : rolledLevel
  if (species === 'bent') {
    const radius = BEND_RADIUS_CM[0] * (BEND_RADIUS_CM[1] / BEND_RADIUS_CM[0]) ** random()
    return (_, scale) => roll(radius * scale * Math.exp(normal(random) * 0.05))
  }
  return ({ yawDeg, pitchDeg, distance }, scale) => {
    const nearer = Math.max(0, (60 - distance) / 30)
    const share = Math.min(1, Math.max(Math.hypot(yawDeg, pitchDeg) / 22, nearer))
    return roll(scale / (1 / 200 + (1 / FLEX_TO_CM - 1 / 200) * share))
  }
}

/** The mask laid on the wearer's face. */
function maskBend(species: 'mask' | 'nosemask', { nose }: HeadModel, radius: number): Bend {
  const roll = rolledUpright(radius)
  const ridge = withPaperNose(nose)
  return (point) => {
    const rolled = roll(point)
    const { x, y, z } =
      species === 'nosemask' ? { ...rolled, z: rolled.z + ridge(point).z - point.z } : rolled
    return { x, y: y - 2, z: z - 9.9 }
  }
}

const STILL: Point = { x: 0, y: 0 }

interface Replay {
  readonly display: Display
  /** The next picture of the recording, as a second camera sees it on the display. */
  show(recorded: Canvas): Promise<Canvas>
}

function createReplay(
  { background, heldWidth = FILL, mount = 'HAND' }: StageSettings,
  random: Random,
): Replay {
  const second = drawCamera(random)
  const display = drawDisplay(mount, heldWidth, second, random)
  const hold = createHolder(display, random)
  const seen = emptyCanvas(background)
  return {
    display,
    async show(recorded) {
      const shown = (await decodeImage(await expose(recorded, 'low', STILL, random))).raster
      const canvas = wiped(seen, background)
      const held = hold()
      const place = {
        rotation: toRotation({ ...held, jaw: 0 }),
        centre: { x: held.x, y: held.y, z: held.distance },
      }
      drawOnDisplay(canvas, shown, display, second, place, random())
      return canvas
    },
  }
}

/** A head turns about a point behind its face. */
function headCentre({ x, y, distance }: HeadPose): MeshPoint {
  return { x, y, z: distance + 9 }
}

function lightFrom(random: Random): MeshPoint {
  const [x, y, z] = [within([-0.5, 0.5], random), within([-0.7, -0.2], random), -0.8]
  const length = Math.hypot(x, y, z)
  return { x: x / length, y: y / length, z: z / length }
}

function drawHead(canvas: Canvas, who: HeadModel, camera: Camera, pose: HeadPose, light: MeshPoint): void {
  const centre = headCentre(pose)
  const straight = rotationAbout(0, 0, 0)
  draw(canvas, who.photograph, who.shoulders, camera, straight, centre, () => 0.95)
  const rotation = toRotation(pose)
  const points = who.head.points.map((point, i) => ({ ...point, y: point.y + who.withJaw[i] * pose.jaw }))
  const before = who.normals
  const lit = (n: MeshPoint) => 0.65 + 0.35 * Math.max(-0.2, n.x * light.x + n.y * light.y + n.z * light.z)
  draw(canvas, who.photograph, { ...who.head, points }, camera, rotation, centre, (i) =>
    Math.min(1.5, Math.max(0.6, lit(rotatePoint(before[i], rotation)) / lit(before[i]))),
  )
}
