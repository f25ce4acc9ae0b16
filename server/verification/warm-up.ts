/**
 * Runs one reading after the start, because the runtime compiles on first use: the first document then takes
 * a third of the time. Ignores failures, because the first real document reports them.
 */
import type { Vision } from '../vision/protocol.ts'
import { toHints } from './step-tools.ts'

/** `image`: a synthetic document. */
export async function warmUp(
  vision: Pick<Vision, 'measureDocument' | 'readSide'>,
  image: Uint8Array,
): Promise<void> {
  try {
    const side = await vision.measureDocument({ image, readsNext: true })
    await vision.readSide({ image, ...toHints(side) })
  } catch {
    // The worker is stopping or a part is missing; the part that needs it reports the fault.
  }
}
