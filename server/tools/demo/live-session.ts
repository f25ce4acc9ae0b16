/**
 * A live capture session over the appliance's public protocol (server/capture/README.md), as the device of a person runs it.
 * The person is drawn: a specimen's photograph on a head that follows the prompts in front of a simulated camera; the
 * session declares this at its start. The appliance chooses the prompts, their order and their times, and decides the
 * verdict.
 */
import type { PortraitGuidance } from '../../api/contract/capture.ts'
import { cast, type Actor } from '../bench/liveness/actors.ts'
import { captureClient } from '../bench/liveness/capture-client.ts'
import { furnishRoom } from '../bench/liveness/rooms.ts'
import { selectPhotographs } from '../bench/liveness/people.ts'
import { createRandom } from '../specimen/head/noise.ts'
import { readManifest } from '../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../vision/packs.ts'
import { openSessions } from '../../vision/sessions.ts'
import type { LivenessType } from '../../proofing/types.ts'

/** The type of the default journey. */
export const LIVENESS_TYPE: LivenessType = 'LIVENESS_MLC'
/** Person and room are the same in every run; the appliance's prompts are not. */
const SEED = 1

/** USB identity by which the simulated camera names itself. It also says that it is simulated, which makes the identity a test. */
export const SIMULATED_CAMERA = { vendor: '0000', product: '0001', serial: 'simulated' } as const

/** Presents the person once for each session. */
export type Holder = () => Promise<Actor>

export interface CapturedSession {
  readonly pictures: number
  /** The prompts, in order. */
  readonly prompts: readonly string[]
}

/** Draws a person who looks like this photograph. Throws if the face is covered, turned away or too small. */
export async function drawHolder(photograph: string): Promise<Holder> {
  const manifest = readManifest()
  const modelsDir = defaultModelsDir()
  await buildCorePack(manifest, modelsDir)
  const photographs = await selectPhotographs(await openSessions(manifest, modelsDir, ['core']), [photograph])
  if (photographs.length === 0) throw new TypeError('this photograph shows no face that can be drawn')
  const person = { id: 0, photographs }
  const random = createRandom(SEED)
  const room = await furnishRoom(random)
  const casting = { type: LIVENESS_TYPE, person, other: person, room, noise: 'nominal', turn: 0 } as const
  return () => cast('live', casting, random)
}

/** Plays one session in real time until the appliance ends it; `asked` receives each prompt as it comes. */
export async function captureLive(
  url: string,
  sessionId: string,
  actor: Actor,
  asked: (prompt: string) => void,
): Promise<CapturedSession> {
  const client = captureClient(url, sessionId)
  const startedAt = performance.now()
  const now = (): number => performance.now() - startedAt
  const prompts: string[] = []
  let pictures = 0
  let seenIndex = -1
  let guidance: PortraitGuidance | null = await client.begin(now(), {
    pretendedCamera: true,
    camera: SIMULATED_CAMERA,
  })
  while (guidance?.state === 'CAPTURING') {
    const { kind, index } = guidance.prompt
    if (index !== seenIndex) {
      seenIndex = index
      prompts.push(kind)
      asked(kind)
    }
    actor.see(guidance, now())
    guidance = await client.frame(await actor.picture(now()), now())
    pictures++
  }
  return { pictures, prompts }
}
