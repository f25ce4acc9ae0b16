/**
 * The manual shutter: a burst, the appliance's guidance on its sharpest picture, and the choice of the best
 * of several tries.
 */
import type { CaptureGuidance } from '../../../server/api/contract/capture.ts'
import type { Eyes } from '../eyes.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import { CaptureCallError, type CaptureClient } from '../protocol.ts'
import { takePicture, sharpestFirst, type Picture } from './pictures.ts'

export interface ManualTry {
  readonly picture: Picture
  readonly guidance: CaptureGuidance
}
interface Hands {
  readonly eyes: Eyes
  readonly client: Pick<CaptureClient, 'assess'>
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

const { everyMs } = CAPTURE_LIMITS.frames
/** Starting value. More than one picture, because hands shake most while they touch a button. */
const BURST = 3
/**
 * Starting values: maximum number of requests to an appliance that does not answer, and to one that is busy
 * with a live picture (15 s).
 */
const ASKS = { unanswered: 4, busy: Math.ceil(15_000 / everyMs) }

/** Null: the camera has no picture. */
export async function takeSharpestPicture(
  { eyes, wait }: Hands,
  signal: AbortSignal,
): Promise<Picture | null> {
  const burst: Picture[] = []
  for (let i = 0; i < BURST; i++) {
    const picture = await takePicture(eyes, true)
    if (picture) burst.push(picture)
    await Promise.race([eyes.nextPicture(signal), wait(everyMs, signal)])
  }
  return sharpestFirst(burst).at(0) ?? null
}

/** Null: the appliance is busy or cannot be reached. Throws CaptureCallError when the session is gone. */
export async function assessPicture(
  frame: Blob,
  { client, wait }: Hands,
  signal: AbortSignal,
): Promise<CaptureGuidance | null> {
  const asked = { unanswered: 0, busy: 0 }
  while (asked.unanswered < ASKS.unanswered && asked.busy < ASKS.busy && !signal.aborted) {
    try {
      return await client.assess(frame)
    } catch (error) {
      if (!(error instanceof CaptureCallError) || error.fault === 'gone') throw error
      asked[error.fault === 'busy' ? 'busy' : 'unanswered']++
      await wait(everyMs, signal)
    }
  }
  return null
}

/** Sorts by the number of problems, then by sharpness. */
export function sortByQuality(tries: readonly ManualTry[]): Picture[] {
  return tries
    .toSorted(
      (a, b) =>
        a.guidance.codes.length - b.guidance.codes.length || b.picture.sharpness - a.picture.sharpness,
    )
    .map(({ picture }) => picture)
}
