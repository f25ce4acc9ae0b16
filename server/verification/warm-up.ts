/**
 * Runs one reading after the start, because the runtime compiles on first use: the first document then takes
 * a third of the time. Ignores failures, because the first real document reports them.
 */
import type { Vision } from '../vision/protocol.ts'
import { toHints } from './step-tools.ts'

/** The first seconds belong to the kiosk's window, and to a person who already waits. */
const WARM_UP_AFTER_MS = 8_000

/**
 * Returns `vision`, which warms up once if it gets no document for 8 s. `readImage` returns a synthetic document.
 */
export function warmUpWhenIdle(vision: Vision, readImage: () => Uint8Array): Vision {
  const timer = setTimeout(() => void warmUp(vision, readImage()), WARM_UP_AFTER_MS)
  timer.unref()
  return {
    ...vision,
    measureDocument: (input) => {
      clearTimeout(timer)
      return vision.measureDocument(input)
    },
    close: () => {
      clearTimeout(timer)
      return vision.close()
    },
  }
}

async function warmUp(
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
