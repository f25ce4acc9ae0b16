/** Spreads requests over threads that run the same file, one per processor core. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

export interface ThreadPlan {
  /** The thread's file: it answers each message with one message. */
  readonly file: URL
  readonly workerData: unknown
  /** Default: the number of cores. */
  readonly threads?: number
}

/**
 * Calls `onReply` with each reply and the position of its request, in the order of arrival. Rejects if a thread ends
 * early, for example because a model cannot be opened.
 */
export async function runOnThreads<Request, Reply>(
  { file, workerData, threads = availableParallelism() }: ThreadPlan,
  requests: readonly Request[],
  onReply: (reply: Reply, position: number) => void,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(threads, requests.length) }, async () => {
      const thread = new Worker(file, { workerData })
      try {
        while (next < requests.length) {
          const position = next++
          onReply(await ask<Request, Reply>(thread, requests[position]), position)
        }
      } finally {
        await thread.terminate()
      }
    }),
  )
}

function ask<Request, Reply>(thread: Worker, request: Request): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const onExit = (): void => reject(new Error('a thread ended before it had answered'))
  thread.once('message', resolve).once('error', reject).once('exit', onExit)
  thread.postMessage(request)
  return promise.finally(() => thread.off('message', resolve).off('error', reject).off('exit', onExit))
}
