/**
 * One reading after the start. The runtime compiles what runs: the first document of a visitor then takes a third of what it
 * would take. Fails in silence: the first document then takes longer, and tells what is wrong.
 */
import type { Vision } from '../vision/protocol.ts'
import { hintsOf } from './step-tools.ts'

/** `image`: a drawn document. */
export async function warmUp(
  vision: Pick<Vision, 'measureDocument' | 'readSide'>,
  image: Uint8Array,
): Promise<void> {
  try {
    const side = await vision.measureDocument({ image, readsNext: true })
    await vision.readSide({ image, ...hintsOf(side) })
  } catch {
    // A worker that is being stopped, or a part that is missing: it is reported where it is needed.
  }
}
