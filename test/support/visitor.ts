/** Somebody at the kiosk: a specimen passport for one camera, and a drawn living person who does what is asked for the other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { cast } from '../../server/bench/liveness/actors.ts'
import { furnishRoom } from '../../server/bench/liveness/rooms.ts'
import { loadPeople } from '../../server/bench/liveness/sitters.ts'
import type { LivenessPrompt } from '../../server/proofing/liveness/types.ts'
import { createRandom } from '../../server/specimen/head/noise.ts'
import { PACKS, readManifest } from '../../server/vision/manifest.ts'
import { defaultModelsDir } from '../../server/vision/packs.ts'
import { openSessions } from '../../server/vision/sessions.ts'
import type { actedClock } from './acted-clock.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')
/** About eleven pictures a second. */
const FRAME_MS = 92

export interface Visitor {
  /** Pictures of the two cameras, as base64; null: the same as before. */
  readonly document: () => Promise<string | null>
  readonly face: () => Promise<string | null>
  /** What the page asks the person to do. */
  readonly asked: (prompt: LivenessPrompt | null) => void
}

/** Alba with her own passport, or somebody else with Alba's. */
export async function visitor(
  who: 'alba' | 'somebody-else',
  clock: ReturnType<typeof actedClock>,
): Promise<Visitor> {
  const sessions = await openSessions(readManifest(), defaultModelsDir(), PACKS)
  const [alba, , cole] = await loadPeople(sessions, null, 'all')
  const [person, other] = who === 'alba' ? [alba, cole] : [cole, alba]
  const room = await furnishRoom(createRandom(1))
  const scene = { type: 'LIVENESS_PASSIVE_VIDEO', person, other, room, noise: 'nominal', turn: 0 } as const
  const actor = await cast('live', scene, createRandom(1))
  const passport = await swayed(readFileSync(join(SPECIMENS, 'alba/passport-photo.jpg')))
  let shown = 0
  let beganAtMs: number | null = null
  let isDue = true
  const atMs = () => clock.elapsedMs() - (beganAtMs ??= clock.elapsedMs())
  return {
    document: async () => passport[shown++ % passport.length] ?? null,
    // Each picture is drawn when the one before was answered: as the camera of a quick machine delivers them.
    face: async () => {
      if (!isDue) return null
      isDue = false
      clock.pass(FRAME_MS)
      return (await actor.picture(atMs())).toString('base64')
    },
    asked: (prompt) => {
      if (prompt) actor.see({ prompt, hint: 'FOLLOW_PROMPT' }, atMs())
      isDue = true
    },
  }
}

/** Runs in the page. */
export function tellAsked(): void {
  const tell = (prompt: object | null) =>
    (globalThis as unknown as { asked: (prompt: object | null) => void }).asked(prompt)
  document.addEventListener('prompt', (event) => tell((event as CustomEvent<object>).detail), true)
  document.addEventListener('progress', () => tell(null), true)
  // Until the session has begun, and should an answer ask for nothing.
  setInterval(() => tell(null), 1000)
}

/** A hand is never quite still, and a camera never delivers the same picture twice. */
async function swayed(image: Buffer): Promise<string[]> {
  const moves = [0, 1, 2, 1]
  return Promise.all(
    moves.map(async (move) => {
      const framed = await sharp(image).autoOrient().resize(1924, 1444, { fit: 'cover' }).toBuffer()
      const picture = sharp(framed).extract({ left: move, top: 2 - move, width: 1920, height: 1440 })
      return (await picture.jpeg({ quality: 92 }).toBuffer()).toString('base64')
    }),
  )
}
