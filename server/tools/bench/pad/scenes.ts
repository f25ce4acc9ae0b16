/**
 * Empty rooms and later events in them: a person before the camera, a passer-by, a lamp, a door, a print, a screen. Each
 * function returns one picture and judges nothing.
 */
import { furnishRoom } from '../liveness/rooms.ts'
import { seatPerson, type Person } from '../liveness/people.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import { FRAME } from '../../specimen/liveness/camera.ts'
import { createSway } from '../../specimen/liveness/sway.ts'
import { normal, within, type Random } from '../../specimen/liveness/head-model.ts'
import { present, type PaiSpecies, type StageSettings } from '../../specimen/liveness/stage.ts'
import { decodeImage } from '../../../vision/image.ts'
import type { Raster } from '../../../vision/raster.ts'
import { develop } from '../../specimen/scenes/sensor.ts'

export const SCENE_EVENTS = [
  'live',
  'passerBy',
  'otherLight',
  'openDoor',
  'flat',
  'mask',
  'screen',
  'tablet',
  'recordedHere',
] as const
type SceneEvent = (typeof SCENE_EVENTS)[number]
/** Events that should cause no refusal. */
export const HARMLESS: readonly SceneEvent[] = ['live', 'passerBy', 'otherLight', 'openDoor']

interface ScenePictures {
  readonly empty: Raster
  readonly now: Raster
}

/**
 * Distance from the camera in centimetres at the straight view; pictures shown on a small tablet were taken from nearer.
 */
const DISTANCE = [42, 60] as const
const TABLET = { heldWidth: [0.5, 0.8] as const, distance: [28, 36] as const }
/** Drift of a camera's automatic gain between morning and noon: deviation of each colour's gain as a logarithm. */
const GAIN_SPREAD = { all: 0.15, each: 0.05 }

export async function photographScene(
  event: SceneEvent,
  people: readonly Person[],
  turn: number,
  seed: number,
): Promise<ScenePictures> {
  const random = createRandom(seed)
  const room = await furnishRoom(random)
  const elsewhere = await furnishRoom(random)
  const person = people[turn % people.length]
  const settings: StageSettings = {
    species: choosePaiSpecies(event),
    subjectHead: seatPerson(person, random),
    wearer: seatPerson(people[(turn + 1) % people.length], random),
    background: withGain(changed(room, event, random), random),
    noise: (['nominal', 'high', 'low'] as const)[turn % 3],
    ...(event === 'screen' || event === 'tablet'
      ? { recorded: { background: elsewhere, colourAt: () => null } }
      : {}),
    ...(event === 'tablet' ? { heldWidth: TABLET.heldWidth } : {}),
  }
  const off = createSway(random).at(0)
  const distance = within(event === 'tablet' ? TABLET.distance : DISTANCE, random) + off.distance
  const picture = await present(settings, random).picture({ ...off, y: off.y + 1, distance, jaw: 0 })
  return { empty: await photographed(room, random), now: (await decodeImage(picture)).raster }
}

function choosePaiSpecies(event: SceneEvent): PaiSpecies {
  if (event === 'flat' || event === 'mask') return event
  return HARMLESS.includes(event) ? 'live' : 'replay'
}

async function photographed(room: Raster, random: Random): Promise<Raster> {
  const plan = { lensSigmaPx: 0.8, motionPx: 0, motionAngleDeg: 0, noise: 3, jpegQuality: 88 }
  const seed = Math.floor(random() * 2 ** 31)
  return (await decodeImage(await develop(room.data, room.width, room.height, plan, seed))).raster
}

function changed(room: Raster, event: SceneEvent, random: Random): Raster {
  if (event === 'passerBy') return withPasser(room, random)
  if (event === 'openDoor') return withDoor(room, random)
  return event === 'otherLight' ? underLamp(room, random) : room
}

type Paint = (x: number, y: number, was: readonly number[]) => readonly number[]

function painted({ data, width, height }: Raster, paint: Paint): Raster {
  const copy = new Uint8Array(data)
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i += 3)
      paint(x, y, [data[i], data[i + 1], data[i + 2]]).forEach((value, k) => {
        copy[i + k] = Math.min(255, value)
      })
  return { data: copy, width, height }
}

/** A head and a body, out of focus like the room. */
function withPasser(room: Raster, random: Random): Raster {
  const [x0, top, half] = [random() * FRAME.width, within([60, 200], random), within([30, 75], random)]
  const cloth = [0, 0, 0].map(() => within([20, 160], random))
  return painted(room, (x, y, was) => {
    const inHead = Math.hypot(x - x0, (y - top) / 1.3) < half * 0.5
    const inBody = y > top + half * 0.7 && Math.abs(x - x0) < half
    return inHead ? [170, 125, 100] : inBody ? cloth : was
  })
}

function withDoor(room: Raster, random: Random): Raster {
  const [left, width] = [random() * FRAME.width * 0.8, within([70, 150], random)]
  const top = within([0, 120], random)
  const beyond = [0, 0, 0].map(() => within([30, 240], random))
  return painted(room, (x, y, was) => (x > left && x < left + width && y > top ? beyond : was))
}

/** Another lamp: brighter on one side, with another colour. */
function underLamp(room: Raster, random: Random): Raster {
  const [tilt, level] = [within([-0.7, 0.7], random), within([0.65, 1.25], random)]
  const tint = [0, 0, 0].map(() => Math.exp(normal(random) * 0.1))
  return painted(room, (x, _, was) =>
    was.map((value, k) => value * level * tint[k] * (1 + tilt * (x / FRAME.width - 0.5))),
  )
}

function withGain(room: Raster, random: Random): Raster {
  const all = normal(random) * GAIN_SPREAD.all
  const times = [0, 0, 0].map(() => Math.exp(all + normal(random) * GAIN_SPREAD.each))
  return painted(room, (_, __, was) => was.map((value, k) => value * times[k]))
}
