/**
 * Somebody drawn before a pretended camera, who does what a page asks: one picture for each answer and none between, however
 * busy the machine is. So the pictures, their moments and what the person sees are those of a quick camera, every time.
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

/** A slow webcam of five pictures a second: each costs a busy machine a good part of a second, and three are enough. */
const FRAME_MS = 200
/** A camera that is asked waits so long for an answer that makes the next picture due. */
const PATIENCE_MS = 400

export interface ActedFace {
  /** A JPEG as base64; null: nothing new, because the picture before has not been answered. */
  readonly picture: () => Promise<string | null>
  /** What the page tells: a prompt that the person now sees, or null, which is the answer to a picture. */
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

/** Runs in the page: an answer that continues is told as progress, after the prompt that came with it. */
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

/** Alba or somebody else, who moves as fast as people do. */
export async function castLive(
  who: 'alba' | 'somebody-else',
  casting: Pick<Casting, 'type' | 'colourSet' | 'shareOfRoom'>,
): Promise<Actor> {
  const [alba, , cole] = await everybody()
  const [person, other] = who === 'alba' ? [alba, cole] : [cole, alba]
  const room = await furnishRoom(createRandom(1))
  return cast('live', { ...casting, person, other, room, noise: 'nominal', turn: 0 }, createRandom(1))
}

let loaded: Promise<readonly Person[]> | null = null

/** Looking at all specimen persons takes some seconds: once is enough. */
function everybody(): Promise<readonly Person[]> {
  loaded ??= openSessions(readManifest(), defaultModelsDir(), PACKS).then((sessions) =>
    loadPeople(sessions, null, 'all'),
  )
  return loaded
}
