/**
 * A drawn subject before a simulated camera, who follows the page's prompts: one picture for each answer,
 * however busy the machine is. So pictures, times and prompts are always those of a fast camera.
 */
import { setTimeout } from 'node:timers/promises'
import { cast, type Actor, type Casting } from '../../server/tools/bench/liveness/actors.ts'
import { furnishRoom } from '../../server/tools/bench/liveness/rooms.ts'
import { loadPeople, type Person } from '../../server/tools/bench/liveness/people.ts'
import type { LivenessPrompt } from '../../server/proofing/liveness/types.ts'
import { createRandom } from '../../server/tools/specimen/head/noise.ts'
import { PACKS, readManifest } from '../../server/vision/manifest.ts'
import { defaultModelsDir } from '../../server/vision/packs.ts'
import { openSessions } from '../../server/vision/sessions.ts'
import type { ActedClock } from './acted-clock.ts'

/**
 * A slow webcam with five pictures a second: each costs a busy machine a large part of a second, and three
 * are enough.
 */
const FRAME_MS = 200
/** How long a camera waits for the answer that makes the next picture due. */
const PATIENCE_MS = 400

export interface ActedFace {
  /** A JPEG as base64; null: no new picture, because the one before has not been answered. */
  readonly picture: () => Promise<string | null>
  /** Called by the page: a prompt that the subject now sees, or null, which is the answer to a picture. */
  readonly asked: (prompt: LivenessPrompt | null) => void
}

export function actedFace(actor: Actor, clock: ActedClock): ActedFace {
  let isDue = true
  let answered = Promise.withResolvers<void>()
  let beganAtMs: number | null = null
  const atMs = () => clock.elapsedMs() - (beganAtMs ??= clock.elapsedMs())
  return {
    picture: async () => {
      if (!isDue) await Promise.race([answered.promise, setTimeout(PATIENCE_MS)])
      if (!isDue) return null
      isDue = false
      answered = Promise.withResolvers()
      clock.pass(FRAME_MS)
      return (await actor.picture(atMs())).toString('base64')
    },
    asked: (prompt) => {
      if (prompt) actor.see({ prompt, hint: 'FOLLOW_PROMPT' }, atMs())
      else {
        isDue = true
        answered.resolve()
      }
    },
  }
}

/** Runs in the page: reports an answer that continues as progress, after its prompt. */
export function tellAsked(): void {
  const tell = (prompt: object | null) =>
    (globalThis as unknown as { asked: (prompt: object | null) => void }).asked(prompt)
  document.addEventListener('prompt', (event) => tell((event as CustomEvent<object>).detail), true)
  document.addEventListener(
    'progress',
    (event) => {
      if ((event.target as Element).localName === 'portrait-capture') tell(null)
    },
    true,
  )
}

/** Returns Alba or another person, who moves as fast as people do. */
export async function castLive(
  who: 'alba' | 'another-person',
  casting: Pick<Casting, 'type' | 'colourSet' | 'shareOfRoom'>,
): Promise<Actor> {
  const [alba, , cole] = await everybody()
  const [person, other] = who === 'alba' ? [alba, cole] : [cole, alba]
  const room = await furnishRoom(createRandom(1))
  return cast('live', { ...casting, person, other, room, noise: 'nominal', turn: 0 }, createRandom(1))
}

let loaded: Promise<readonly Person[]> | null = null

/** Rendering all specimen persons takes some seconds, so it is cached. */
function everybody(): Promise<readonly Person[]> {
  loaded ??= openSessions(readManifest(), defaultModelsDir(), PACKS).then((sessions) =>
    loadPeople(sessions, null, 'all'),
  )
  return loaded
}
