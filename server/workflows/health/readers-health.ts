/** The health report of the readers of chips: states, and no name of a device. */
import type { ReaderFault } from '../../chip-reader/messages.ts'
import type { ChipReaders } from '../../chip-reader/readers.ts'

/** The report has to be ready within a second, and the process may be starting. */
const PATIENCE_MS = 500

const WORDS: Readonly<Partial<Record<ReaderFault, string>>> = {
  no_daemon: 'pcscd does not run',
  protocol_unknown: 'this version of pcscd is not known',
  not_allowed: 'the system refuses access to readers',
  process_ended: 'the process of the readers is starting',
}

/** DEGRADED: no document's chip can be read, and everything else works. */
export async function readersHealth(readers: Pick<ChipReaders, 'state'> | null) {
  if (readers === null)
    return { status: 'UP' as const, detail: 'not configured', standing: 'NOT_SET_UP' as const }
  const state = await readers.state(PATIENCE_MS)
  if (state.kind === 'unavailable')
    return { status: 'DEGRADED' as const, detail: WORDS[state.fault] ?? 'the readers do not work' }
  const count = state.readers.filter(({ isChosen }) => isChosen).length
  if (count === 0) return { status: 'DEGRADED' as const, detail: 'no reader is connected' }
  return { status: 'UP' as const, detail: `readers: ${count}` }
}
