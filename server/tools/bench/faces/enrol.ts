/** Makes the templates of all photographs, one thread per processor core. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { EnrolReply, EnrolRequest, EnrolSetup } from './enrol-thread.ts'

/**
 * Replies in the order of the files. `onProgress` gets the number of files that are done. Rejects if a thread ends early,
 * for example because a model cannot be opened.
 */
export async function enrolAll(
  files: readonly string[],
  setup: EnrolSetup,
  onProgress: (done: number) => void,
): Promise<readonly EnrolReply[]> {
  const replies = new Array<EnrolReply>(files.length)
  let [next, done] = [0, 0]
  const threads = Math.min(availableParallelism(), files.length)
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const thread = new Worker(new URL('./enrol-thread.ts', import.meta.url), { workerData: setup })
      try {
        while (next < files.length) {
          const index = next++
          replies[index] = await ask(thread, { index, file: files[index] })
          onProgress(++done)
        }
      } finally {
        await thread.terminate()
      }
    }),
  )
  return replies
}

function ask(thread: Worker, request: EnrolRequest): Promise<EnrolReply> {
  const { promise, resolve, reject } = Promise.withResolvers<EnrolReply>()
  const onExit = (): void => reject(new Error('a thread ended before it had enrolled its photograph'))
  thread.once('message', resolve).once('error', reject).once('exit', onExit)
  thread.postMessage(request)
  return promise.finally(() => thread.off('message', resolve).off('error', reject).off('exit', onExit))
}
