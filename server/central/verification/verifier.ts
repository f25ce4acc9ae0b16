/**
 * Verifies archives in worker threads, so that no archive holds up the event loop. A thread that exceeds its time or its
 * memory is ended and its archive is answered with `verification_stopped`; the next archive gets a new thread.
 */
import { Piscina } from 'piscina'
import { AppError } from '../../errors.ts'
import { describeError, type Log } from '../../log.ts'
import type { VerificationAnswer, VerificationTask } from './verify-thread.ts'

export type { VerificationAnswer, VerificationTask }

export interface Verifier {
  /**
   * The file's memory moves to the thread: `task.file` is empty afterwards. Throws `verification_stopped` when the
   * verification needs more than `timeoutMs` or more memory than a thread has.
   */
  verify(task: VerificationTask, timeoutMs: number): Promise<VerificationAnswer>
  close(): Promise<void>
}

export interface VerifierOptions {
  /** Archives at the same time. Callers wait for their turn before they call (limiter.ts). */
  readonly threads: number
  /** V8 heap of one thread. The bytes of the archive are not counted. */
  readonly heapMb: number
  readonly log: Pick<Log, 'warn'>
}

/** Starting a thread takes about 300 ms, so an idle one waits this long for the next archive. */
const IDLE_MS = 5 * 60_000
/** Threads yield the processor to the event loop and to the database. */
const NICE = 5

export function createVerifier({ threads, heapMb, log }: VerifierOptions): Verifier {
  const pool = new Piscina<VerificationTask, VerificationAnswer>({
    filename: new URL('./verify-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  // A thread that dies while it is idle is replaced by the pool.
  pool.on('error', (error: Error) => log.warn(describeError(error), 'a verification thread ended'))
  return {
    verify: async (task, timeoutMs) => {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        return await pool.run(task, { signal, transferList: task.file.map(({ buffer }) => buffer) })
      } catch (cause) {
        const limit = signal.aborted ? 'time' : isOutOfMemory(cause) ? 'memory' : null
        if (limit === null) throw cause
        throw new AppError('verification_stopped', { limit, timeoutMs, heapMb }, { cause })
      }
    },
    close: () => pool.destroy(),
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
