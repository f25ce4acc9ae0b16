/**
 * Simulates a colour challenge: four colours on a face near the screen, and the measurement of skin and surround. Darkens
 * the photograph to simulate darker skin. Makes no judgement.
 */
import {
  SCREEN_COLOURS,
  type ColourSet,
  type ColourTrace,
  type ScreenColour,
} from '../../../proofing/liveness/types.ts'
import type { NoiseLevel } from '../../specimen/liveness/camera.ts'
import { SHARE_OF_ROOM } from '../../specimen/liveness/screen-light.ts'
import { createSway } from '../../specimen/liveness/sway.ts'
import { within, type Random, type HeadModel } from '../../specimen/liveness/head-model.ts'
import { present, type PaiSpecies } from '../../specimen/liveness/stage.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import { createDetector } from '../../../vision/faces/detect.ts'
import type { MeshPoint } from '../../../vision/faces/pose.ts'
import { measureSkinLight } from '../../../vision/faces/skin-light.ts'
import { decodeImage } from '../../../vision/image.ts'
import { createMeshTracker } from '../../../vision/liveness/track-mesh.ts'
import type { LinearRgb } from '../../../vision/measured/liveness.ts'
import type { Raster } from '../../../vision/raster.ts'
import { listSessions, type Sessions } from '../../../vision/sessions.ts'
import { furnishRoom } from '../liveness/rooms.ts'
import { seatPerson, type Person } from '../liveness/people.ts'

export const COLOUR_PAI_SPECIES = [
  'live',
  'flat',
  /** A recording on a screen, either without colours or of a session with other ones. */
  'replay',
  'replayColours',
  /** The same recording, injected in place of the camera's picture. */
  'injected',
  'injectedColours',
] as const
type ColourPaiSpecies = (typeof COLOUR_PAI_SPECIES)[number]

/** Reflectance of the skin relative to the photographed person's. */
export const SKIN_TONES = { asPhotographed: 1, darker: 0.6, darkest: 0.35 } as const
type SkinTone = keyof typeof SKIN_TONES
const TONES = Object.keys(SKIN_TONES) as SkinTone[]
const NOISE_LEVELS: readonly NoiseLevel[] = ['nominal', 'nominal', 'high', 'low']

export interface ColourSession {
  readonly species: ColourPaiSpecies
  readonly tone: SkinTone
  /** Light of the screen as a share of the room's light on a face at 45 cm. */
  readonly shareOfRoom: number
  readonly traces: readonly ColourTrace[]
}

/** As in the challenge sequence: near the screen, each colour settled before its measurement. */
const COLOURS = 4
const FRAME_MS = 92
const SETTLING_FRAMES = 2
const MEASURED_FRAMES = 4
const NEAR_CM = [28, 36] as const
const GAMMA = 2.2

type ColourChallenge = (
  species: ColourPaiSpecies,
  people: readonly Person[],
  turn: number,
  seed: number,
) => Promise<ColourSession>

export function createColourChallenge(sessions: Sessions, colourSet: ColourSet): ColourChallenge {
  const [detector] = listSessions(sessions, 'face-detector')
  const [mesher] = listSessions(sessions, 'face-mesh')
  const detect = createDetector(detector, mesher)
  const trackMesh = createMeshTracker(mesher, detect)

  return async (species, people, turn, seed) => {
    const random = createRandom(seed)
    const tone = TONES[turn % TONES.length]
    const shareOfRoom = SHARE_OF_ROOM[0] * (SHARE_OF_ROOM[1] / SHARE_OF_ROOM[0]) ** random()
    const [drawn, recorded] = [drawColours(random), drawColours(random)]
    let step = 0
    const presentation = present(
      {
        species: staged(species),
        subjectHead: toned(seatPerson(people[turn % people.length], random), SKIN_TONES[tone]),
        wearer: seatPerson(people[(turn + 1) % people.length], random),
        background: await furnishRoom(random),
        noise: NOISE_LEVELS[turn % NOISE_LEVELS.length],
        shareOfRoom: [shareOfRoom, shareOfRoom],
        colourSet,
        recorded: {
          background: await furnishRoom(random),
          colourAt: () => (species === 'replayColours' ? recorded[step] : null),
        },
      },
      random,
    )
    const sway = createSway(random)
    const distance = within(NEAR_CM, random)
    let atMs = 0
    let last: readonly MeshPoint[] | null = null
    const look = async (shown: ScreenColour | null): Promise<Raster> => {
      atMs += FRAME_MS
      const off = sway.at(atMs)
      const pose = { ...off, y: off.y + 1, distance: distance + off.distance, jaw: 0 }
      return (await decodeImage(await presentation.picture(pose, shown))).raster
    }
    const measure = async (raster: Raster) => {
      const mesh = await trackMesh(raster, last)
      last = mesh?.points ?? null
      return mesh && measureSkinLight(raster, mesh.points)
    }
    await measure(await look(null))
    const traces: ColourTrace[] = []
    for (step = 0; step < COLOURS; step++) {
      const shown = seenBy(species, drawn[step], recorded[step])
      for (let frame = 0; frame < SETTLING_FRAMES; frame++) await look(shown)
      const lights = []
      for (let frame = 0; frame < MEASURED_FRAMES; frame++) lights.push(await measure(await look(shown)))
      const skin = averageLight(lights.flatMap((light) => light?.skin ?? []))
      const surround = averageLight(lights.flatMap((light) => light?.surround ?? []))
      const edges = averageLight(lights.flatMap((light) => light?.edges ?? []))
      if (skin) traces.push({ colour: drawn[step], skin, surround, edges, frames: MEASURED_FRAMES })
    }
    return { species, tone, shareOfRoom, traces }
  }
}

function staged(species: ColourPaiSpecies): PaiSpecies {
  if (species === 'flat') return 'flat'
  return species.startsWith('replay') ? 'replay' : 'live'
}

/** The screen light on the person before the recording camera. */
function seenBy(species: ColourPaiSpecies, drawn: ScreenColour, recorded: ScreenColour): ScreenColour | null {
  if (species === 'injected') return null
  return species === 'injectedColours' ? recorded : drawn
}

/** Draws colours as the challenge does, without repetition. */
function drawColours(random: Random): ScreenColour[] {
  const colours: ScreenColour[] = []
  while (colours.length < COLOURS) {
    const others = SCREEN_COLOURS.filter((colour) => !colours.includes(colour))
    colours.push(others[Math.floor(random() * others.length)])
  }
  return colours
}

function toned(subjectHead: HeadModel, times: number): HeadModel {
  const { photograph } = subjectHead
  const factor = times ** (1 / GAMMA)
  return {
    ...subjectHead,
    photograph: { ...photograph, data: photograph.data.map((value) => value * factor) },
  }
}

function averageLight(lights: readonly LinearRgb[]): LinearRgb | null {
  if (lights.length === 0) return null
  const mean = (of: (light: LinearRgb) => number) =>
    lights.reduce((sum, light) => sum + of(light), 0) / lights.length
  return { r: mean(({ r }) => r), g: mean(({ g }) => g), b: mean(({ b }) => b) }
}
