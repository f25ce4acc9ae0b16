/** What is said of a call for help: what is known of it, and no promise that staff did not make. Pure. */
import type { HelpView } from '../../server/kiosk/contract/index.ts'
import type { TextKey } from '../locales/index.ts'

/** Who is on the way is here by then, or does not come: the counter is not further away. Starting value. */
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
