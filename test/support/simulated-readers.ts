/** Readers of this machine with simulated chips: the inspection and its protocols are real, and only pcscd and its process are left out. */
import type { ChipReaders, ReadersState } from '../../server/chip-reader/readers.ts'
import { inspectChip } from '../../server/chip/inspection/inspect.ts'
import type { InspectedChip } from '../../server/chip/inspection/open-chip.ts'
import { ChipFault } from '../../server/chip/outcome.ts'
import type { ReaderFault } from '../../server/chip-reader/messages.ts'

export interface SimulatedReaders extends ChipReaders {
  /** Places a document on the reader; null takes it away. */
  place(chip: InspectedChip | null): void
  /** Another fault than a missing document; null ends it. */
  fail(fault: ReaderFault | null): void
}

export function openSimulatedReaders(): SimulatedReaders {
  const listeners = new Set<(state: ReadersState) => void>()
  let chip: InspectedChip | null = null
  let fault: ReaderFault | null = null
  let events = 0
  const look = (): ReadersState => {
    if (fault) return { kind: 'unavailable', fault }
    const card = chip && ({ kind: 'contactless', isInUse: false } as const)
    return { kind: 'ready', readers: [{ name: 'Simulated', isChosen: true, card, events }] }
  }
  const tell = (): void => {
    events += 1
    for (const listener of listeners) listener(look())
  }
  return {
    place: (placed) => {
      chip = placed
      tell()
    },
    fail: (cause) => {
      fault = cause
      tell()
    },
    state: () => Promise.resolve(look()),
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    inspect: async ({ keys, trust, at, printedMrz, progress, onProgress, signal }) => {
      if (fault) return { kind: 'fault', fault }
      if (!chip) return { kind: 'fault', fault: 'no_card' }
      const inspection = await inspectChip(chip, {
        keys,
        trust,
        at,
        printedMrz,
        ...(progress ? { progress } : {}),
        onProgress: ({ fileId, bytes, totalLength }) =>
          onProgress?.({ fileId, bytes: bytes.length, total: totalLength }),
      })
      return signal?.aborted
        ? { kind: 'fault', fault: 'stopped' }
        : { kind: 'inspected', reader: 'Simulated', inspection }
    },
    test: () => Promise.resolve({ kind: 'fault', fault: 'no_card' }),
    pid: () => null,
    close: () => Promise.resolve(),
  }
}

/** A chip that is taken away after so many commands; the first reset brings it back. */
export function takenAwayAfter(
  readers: SimulatedReaders,
  chip: InspectedChip,
  commands: number,
): InspectedChip {
  let left = commands
  return {
    reset: () => chip.reset(),
    transmit: (command) => {
      left -= 1
      if (left === 0) {
        readers.place(null)
        return Promise.reject(new ChipFault('connection_lost'))
      }
      return chip.transmit(command)
    },
  }
}
