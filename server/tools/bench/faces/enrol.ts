/** Makes the templates of all photographs, one thread per processor core. */
import { runOnThreads } from '../../run-on-threads.ts'
import type { EnrolReply, EnrolRequest, EnrolSetup } from './enrol-thread.ts'

/** Replies in the order of the files. `onProgress` gets the number of files that are done. */
export async function enrolAll(
  files: readonly string[],
  setup: EnrolSetup,
  onProgress: (done: number) => void,
): Promise<readonly EnrolReply[]> {
  const replies = new Array<EnrolReply>(files.length)
  let done = 0
  const plan = { file: new URL('./enrol-thread.ts', import.meta.url), workerData: setup }
  const requests = files.map((file, index): EnrolRequest => ({ index, file }))
  await runOnThreads<EnrolRequest, EnrolReply>(plan, requests, (reply, position) => {
    replies[position] = reply
    onProgress(++done)
  })
  return replies
}
