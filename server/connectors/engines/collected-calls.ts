/**
 * Collects the calls of engines that run as services while a piece of work runs. The vision worker asks for them in the middle of a
 * measurement, which has no place for them in its answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { OutsideCall } from '../../proofing/disclosure.ts'

const collecting = new AsyncLocalStorage<OutsideCall[]>()

/** Adds to `calls` each call that `work` causes. */
export const collectCalls = <T>(calls: OutsideCall[], work: () => Promise<T>): Promise<T> =>
  collecting.run(calls, work)

/** Does nothing outside of `collectCalls`. One measurement makes up to sixteen calls, which count as one with many tries. */
export function reportCall(call: OutsideCall): void {
  const calls = collecting.getStore()
  const at = calls?.findIndex(({ source }) => source === call.source) ?? -1
  if (!calls || at < 0) {
    calls?.push(call)
    return
  }
  const { values, trouble, tries, durationMs, ...rest } = calls[at]
  calls[at] = {
    ...rest,
    values: [...new Set([...values, ...call.values])],
    trouble: trouble ?? call.trouble,
    tries: tries + call.tries,
    durationMs: durationMs + call.durationMs,
  }
}
