/** What to say while the checks run: the real step, and after a while that nothing is lost (ux "Waiting"). */
import type { Progress } from '../../server/kiosk/contract.ts'
import type { TextKey } from '../locales/index.ts'

const SILENT_MS = 1_000
const STILL_MS = 20_000
const LONG_MS = 45_000

export interface WaitingWords {
  /** What is being done; null during the first second. */
  readonly doing: TextKey | null
  readonly calm: TextKey | null
  /** The person may go; the result follows. */
  readonly mayLeave: boolean
}

export function waitingWords(progress: Progress | null, elapsedMs: number): WaitingWords {
  return {
    doing: elapsedMs < SILENT_MS ? null : doing(progress),
    calm: elapsedMs >= LONG_MS ? 'waiting.long' : elapsedMs >= STILL_MS ? 'waiting.still' : null,
    mayLeave:
      elapsedMs >= LONG_MS && progress?.document.state === 'DONE' && progress.portrait.state === 'CHECKING',
  }
}

function doing(progress: Progress | null): TextKey {
  if (!progress || progress.document.state === 'CHECKING') return 'waiting.document'
  return progress.ready ? 'waiting.sealing' : 'waiting.both'
}
