/** Inspects simulated documents through pcscds with virtual readers and the reader process of the product, several at a time. */
import { openReaders, type ChipReaders, type ReadersState } from '../../../chip-reader/readers.ts'
import type { Inspection } from '../../../chip/inspection/report.ts'
import { startVirtualPcscd, type VirtualPcscd } from '../../simulator/chip/pcscd.ts'
import type { SimulatedDocument } from '../../simulator/chip/profiles.ts'
import { insertCard, type InsertedCard } from '../../simulator/chip/vpcd.ts'
import { readPeakBytes } from '../worker-process.ts'
import type { Inspect } from './run-case.ts'

/** An inspection that ended without a report. */
export class NoReport extends Error {}

/** One reader with one document at a time. */
class ReaderLane {
  readonly #pcscd: VirtualPcscd
  readonly #readers: ChipReaders

  private constructor(pcscd: VirtualPcscd, readers: ChipReaders) {
    this.#pcscd = pcscd
    this.#readers = readers
  }

  static async open(): Promise<ReaderLane> {
    const pcscd = await startVirtualPcscd()
    return new ReaderLane(pcscd, await openReaders({ socketPath: pcscd.socketPath, log: () => undefined }))
  }

  /** Largest size of the reader process so far; null if the system does not report it. */
  peakBytes(): number | null {
    return readPeakBytes(this.#readers.pid() ?? 0)
  }

  readonly inspect: Inspect = async (document) => {
    const inserted = await this.#insert(document)
    try {
      const outcome = await this.#readers.inspect(document)
      if (outcome.kind === 'fault') throw new NoReport(`the reader reports ${outcome.fault}`)
      return outcome.inspection
    } finally {
      await inserted.remove()
      await this.#seen(false)
    }
  }

  async close(): Promise<void> {
    await this.#readers.close()
    await this.#pcscd.close()
  }

  async #insert({ card }: SimulatedDocument): Promise<InsertedCard> {
    const inserted = await insertCard(card, this.#pcscd.ports[0])
    await this.#seen(true)
    return inserted
  }

  #seen(hasCard: boolean): Promise<void> {
    const isSeen = (state: ReadersState): boolean =>
      state.kind === 'ready' && state.readers.some(({ card }) => card !== null) === hasCard
    return new Promise((resolve) => {
      const leave = this.#readers.watch((state) => {
        if (isSeen(state)) end()
      })
      const end = (): void => {
        leave()
        resolve()
      }
      void this.#readers.state().then((state) => {
        if (isSeen(state)) end()
      })
    })
  }
}

/** Runs the tasks on several lanes, each with a pcscd of its own; the results have the order of the tasks. */
export async function onLanes<Task, Result>(
  tasks: readonly Task[],
  count: number,
  run: (task: Task, inspect: (document: SimulatedDocument) => Promise<Inspection>) => Promise<Result>,
): Promise<{ readonly results: Result[]; readonly peakBytes: number | null }> {
  const results: Result[] = []
  const peaks: number[] = []
  let next = 0
  const work = async (): Promise<void> => {
    const lane = await ReaderLane.open()
    try {
      for (let i = next++; i < tasks.length; i = next++) {
        const task = tasks[i]
        if (task !== undefined) results[i] = await run(task, lane.inspect)
      }
      peaks.push(lane.peakBytes() ?? 0)
    } finally {
      await lane.close()
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, tasks.length) }, work))
  return { results, peakBytes: peaks.length === 0 ? null : Math.max(...peaks) }
}
