/** Plays sessions with people, rooms and a channel to the appliance that are opened once. */
import { buildCorePack } from '../../../vision/packs.ts'
import { PACKS, readManifest } from '../../../vision/manifest.ts'
import { openSessions } from '../../../vision/sessions.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import type { Raster } from '../../../vision/raster.ts'
import type { ColourSet } from '../../../proofing/liveness/types.ts'
import type { NoiseLevel } from '../../specimen/liveness/camera.ts'
import { openInProcess } from './in-process.ts'
import { openOverHttp } from './over-http.ts'
import { play, type Plan, type Played } from './play.ts'
import { furnishRoom, furnishTemptingRoom } from './rooms.ts'
import { loadPeople, type PeopleSet } from './people.ts'

export interface PlayerSettings {
  readonly isInProcess: boolean
  readonly packs: 'core' | 'all'
  readonly modelsDir: string
  /** Null: only the specimen persons. */
  readonly facesDir: string | null
  readonly people: PeopleSet
  readonly noise: NoiseLevel
  readonly picturesPerSecond: number
  /** The colour that the screen paints for a requested colour. */
  readonly colourSet: ColourSet
}

export interface Player {
  /** Models in use, and the number of people. */
  readonly models: readonly string[]
  readonly people: number
  play(plan: Plan): Promise<Played>
  close(): Promise<void>
}

const ROOMS = 12
/** Rooms are the same in every run, because people are the subject of the test. */
const ROOM_SEED = 77

/** Loads people, rooms and the networks that found the faces. */
export async function loadStage({ modelsDir, facesDir, people: set, packs }: PlayerSettings) {
  const manifest = readManifest()
  await buildCorePack(manifest, modelsDir)
  const used = packs === 'core' ? (['core'] as const) : PACKS
  const sessions = await openSessions(manifest, modelsDir, used)
  const people = await loadPeople(sessions, facesDir, set)
  if (people.length < 2) throw new TypeError('fewer than two people: a mask needs a wearer and another face')
  const random = createRandom(ROOM_SEED)
  // One after another: rooms that are furnished at once take their random numbers in another order in each run.
  const furnish = async (kind: typeof furnishRoom) => {
    const furnished: Raster[] = []
    for (let n = 0; n < ROOMS; n++) furnished.push(await kind(random))
    return furnished
  }
  const rooms = { plain: await furnish(furnishRoom), tempting: await furnish(furnishTemptingRoom) }
  return { sessions, people, rooms, packs: used }
}

export async function openPlayer(settings: PlayerSettings): Promise<Player> {
  const { modelsDir, noise, isInProcess, picturesPerSecond, colourSet } = settings
  const { sessions, people, rooms, packs } = await loadStage(settings)
  const channels = isInProcess ? openInProcess(sessions) : await openOverHttp({ modelsDir, packs })
  return {
    models: channels.models,
    people: people.length,
    play: (plan) => play(plan, { people, rooms, noise, picturesPerSecond, colourSet }, channels),
    close: () => channels.close(),
  }
}
