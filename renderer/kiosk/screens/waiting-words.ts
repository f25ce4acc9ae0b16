/** Chooses the text while checks run: the real step, and after a while a reassurance. */
import type { WaitingStep } from '../../../server/kiosk/contract/index.ts'
import type { TextKey } from '../../locales/index.ts'

const SILENT_MS = 1_000
const STILL_MS = 20_000
const LONG_MS = 45_000

interface WaitingWords {
  /** The check in progress; null during the first second. */
  readonly doing: TextKey | null
  readonly calm: TextKey | null
  /** The applicant may leave; the result follows. */
  readonly mayLeave: boolean
}

export function waitingWords(step: WaitingStep | null, elapsedMs: number, isOffline: boolean): WaitingWords {
  const mayLeave = step?.mayLeave === true && (elapsedMs >= LONG_MS || isOffline)
  return {
    doing: elapsedMs < SILENT_MS ? null : doing(step),
    calm: mayLeave ? 'waiting.long' : elapsedMs >= STILL_MS ? 'waiting.still' : null,
    mayLeave,
  }
}

function doing(step: WaitingStep | null): TextKey {
  const row = step?.rows.find(({ state }) => state === 'DOING')
  return row ? `waiting.${row.name}` : 'waiting.title'
}
