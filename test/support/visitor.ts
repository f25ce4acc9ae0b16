/**
 * An applicant at the kiosk: a specimen passport for one camera, and a drawn living person who follows the
 * prompts for the other.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { LivenessPrompt } from '../../server/proofing/liveness/types.ts'
import type { ActedClock } from './acted-clock.ts'
import { actedFace, castLive } from './acted-face.ts'

export { tellAsked } from './acted-face.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')

export interface Visitor {
  /** Pictures of the two cameras, as base64; null: the same as before. */
  readonly document: () => Promise<string | null>
  readonly face: () => Promise<string | null>
  /** The page's prompt. */
  readonly asked: (prompt: LivenessPrompt | null) => void
}

/** Alba with her own passport, or another person with Alba's. */
export async function visitor(who: 'alba' | 'another-person', clock: ActedClock): Promise<Visitor> {
  const { picture: face, asked } = actedFace(await castLive(who, { type: 'LIVENESS_PASSIVE_VIDEO' }), clock)
  const passport = await swayed(readFileSync(join(SPECIMENS, 'alba/passport-photo.jpg')))
  let shown = 0
  return { document: async () => passport[shown++ % passport.length] ?? null, face, asked }
}

/** A hand always moves slightly, and a camera never delivers the same picture twice. */
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
