/** Short sessions before a camera: a living person, or a display in a hand or on a stand that shows one. Judges nothing. */
import { createDetector } from '../../../vision/faces/detect.ts'
import { measureMesh } from '../../../vision/faces/mesh.ts'
import { decodeImage } from '../../../vision/image.ts'
import { listSessions, type Sessions } from '../../../vision/sessions.ts'
import type { FaceView } from '../../../vision/liveness/face-depth.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import type { HeadPose } from '../../specimen/liveness/camera.ts'
import type { Display } from '../../specimen/liveness/display.ts'
import { within } from '../../specimen/liveness/head-model.ts'
import { present } from '../../specimen/liveness/stage.ts'
import { createSway } from '../../specimen/liveness/sway.ts'
import { furnishRoom, furnishTemptingRoom } from '../liveness/rooms.ts'
import { seatPerson, type Person } from '../liveness/people.ts'

export const SCREEN_KINDS = ['live', 'liveTempting', 'held', 'stand'] as const
export type ScreenKind = (typeof SCREEN_KINDS)[number]

/** The key pictures of a session: at rest, turned to each side, and nearer. */
const PLACES: readonly Partial<HeadPose>[] = [
  {},
  {},
  { yawDeg: 26 },
  { yawDeg: -26 },
  {},
  { pitchDeg: 17 },
  { distance: -22 },
  {},
]
const BETWEEN_MS = 2500
const START_CM = [52, 62] as const

interface ScreenSession {
  readonly kind: ScreenKind
  readonly display: Display | null
  /** The first one is the straight view. */
  readonly views: readonly FaceView[]
}

export function createScreenSessions(sessions: Sessions, people: readonly Person[]) {
  const [mesher] = listSessions(sessions, 'face-mesh')
  const detect = createDetector(listSessions(sessions, 'face-detector')[0], mesher)
  return async (kind: ScreenKind, turn: number, seed: number): Promise<ScreenSession> => {
    const random = createRandom(seed)
    const tempts = kind === 'liveTempting' || (kind !== 'live' && turn % 2 === 1)
    const presentation = present(
      {
        species: kind === 'held' || kind === 'stand' ? 'replay' : 'live',
        subjectHead: seatPerson(people[turn % people.length], random),
        wearer: seatPerson(people[(turn + 1) % people.length], random),
        background: await (tempts ? furnishTemptingRoom : furnishRoom)(random),
        noise: turn % 4 === 3 ? 'high' : 'nominal',
        mount: kind === 'stand' ? 'STAND' : 'HAND',
        tempts,
      },
      random,
    )
    const sway = createSway(random)
    const startCm = within(START_CM, random)
    const views: FaceView[] = []
    for (const [i, place] of PLACES.entries()) {
      const off = sway.at(i * BETWEEN_MS)
      const jpeg = await presentation.picture({
        ...off,
        y: off.y + 1,
        distance: startCm + off.distance + (place.distance ?? 0),
        yawDeg: off.yawDeg + (place.yawDeg ?? 0),
        pitchDeg: off.pitchDeg + (place.pitchDeg ?? 0),
        jaw: 0,
      })
      const picture = (await decodeImage(jpeg)).raster
      const [face] = await detect(picture, { atFirstLook: true })
      if (face) views.push({ picture, mesh: await measureMesh(mesher, picture, face) })
    }
    return { kind, display: presentation.display, views }
  }
}
