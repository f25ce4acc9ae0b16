/**
 * Tells the runner of a job when the job waits for a service outside, so that other jobs use its lane meanwhile. Outside a job
 * it does nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface WaitObserver {
  begin(): void
  end(): void
}

const observers = new AsyncLocalStorage<WaitObserver>()

/** Runs the work; the observer hears of each of its waits, which may overlap. */
export function observeWaits<T>(observer: WaitObserver, work: () => Promise<T>): Promise<T> {
  return observers.run(observer, work)
}

export async function waitOutside<T>(work: () => Promise<T>): Promise<T> {
  const observer = observers.getStore()
  observer?.begin()
  try {
    return await work()
  } finally {
    observer?.end()
  }
}
