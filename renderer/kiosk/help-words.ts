/**
 * Chooses the text about a call for help. It states only what is known and promises nothing that staff did
 * not. Pure.
 */
import type { HelpView } from '../../server/kiosk/contract/index.ts'
import type { TextKey } from '../locales/index.ts'

/** An officer who is on the way arrives within this time, because the counter is near. Starting value. */
const COMING_MINUTES = 5
const TWO_MINUTES = 2

export function helpWords({ answer, minutes, seen }: HelpView): TextKey {
  const since = minutes ?? 0
  switch (answer) {
    case null:
      return seen ? 'help.asked' : 'help.unstaffed'
    case 'COMING':
      return since < COMING_MINUTES ? 'help.COMING' : 'help.COMING.late'
    case 'TWO_MINUTES':
      if (since >= TWO_MINUTES) return 'help.TWO_MINUTES.over'
      return since === 0 ? 'help.TWO_MINUTES' : 'help.ONE_MINUTE'
    case 'GO_TO_COUNTER':
      return 'help.GO_TO_COUNTER'
  }
}
