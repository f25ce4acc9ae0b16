/** Replies of a thread: a result, or the sentence that ends the run. An error loses its class between threads. */
import { UsageError } from '../../commands/usage.ts'

export type ThreadReply<Result> = { readonly result: Result } | { readonly refusal: string }

export async function toReply<Result>(work: Promise<Result>): Promise<ThreadReply<Result>> {
  try {
    return { result: await work }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { refusal: error.message }
  }
}

/** Throws UsageError with the sentence of the thread. */
export function takeResult<Result>(reply: ThreadReply<Result>): Result {
  if ('refusal' in reply) throw new UsageError(reply.refusal)
  return reply.result
}
