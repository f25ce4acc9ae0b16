/**
 * Counts the failed calls to the storage outside the database, and says whether it answers. The calls of kiosks and of the
 * head office show it: a health check makes none, because every proxy and orchestrator repeats it every few seconds.
 */
import { AppError } from '../../errors.ts'

/** `damaged`: the storage answers, and the object is missing or not whole. */
export const STORAGE_FAILURES = ['no_answer', 'refused', 'failed', 'damaged'] as const
export type StorageFailure = (typeof STORAGE_FAILURES)[number]
export type StorageState = 'UP' | 'DOWN' | 'UNKNOWN'

/** An older call says nothing about the storage of today. */
const RECENT_MS = 15 * 60_000

export class StorageCalls {
  readonly #failures = new Map<StorageFailure, number>()
  #last: { readonly answered: boolean; readonly atMs: number } | null = null

  count(kind: StorageFailure): number {
    return this.#failures.get(kind) ?? 0
  }

  /** UNKNOWN: no call in the last 15 minutes. */
  readState(): StorageState {
    if (!this.#last || performance.now() - this.#last.atMs > RECENT_MS) return 'UNKNOWN'
    return this.#last.answered ? 'UP' : 'DOWN'
  }

  noteAnswer(): void {
    this.#last = { answered: true, atMs: performance.now() }
  }

  /** Ignores a fault that is not of the storage, such as a read error of the database. */
  noteFailure(error: unknown): void {
    const kind = classifyFailure(error)
    if (kind === null) return
    this.#failures.set(kind, this.count(kind) + 1)
    this.#last = { answered: kind === 'damaged', atMs: performance.now() }
  }

  async watch<T>(call: Promise<T>): Promise<T> {
    try {
      const result = await call
      this.noteAnswer()
      return result
    } catch (error) {
      this.noteFailure(error)
      throw error
    }
  }

  async *watchPieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const piece of pieces) yield piece
      this.noteAnswer()
    } catch (error) {
      this.noteFailure(error)
      throw error
    }
  }
}

function classifyFailure(error: unknown): StorageFailure | null {
  if (!(error instanceof AppError)) return null
  if (error.code === 'storage_damaged') return 'damaged'
  if (error.code !== 'centre_unavailable' || error.details.part !== 'storage') return null
  const { status } = error.details
  if (status === null || status === undefined) return 'no_answer'
  return status === 401 || status === 403 ? 'refused' : 'failed'
}
