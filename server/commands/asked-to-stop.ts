/** Waits for the signal that asks a command to stop. */
import { constants } from 'node:os'

/** A signal asked the command to stop, and it left nothing behind. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  /** The exit status that shells give. */
  readonly status: number
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`)
    this.status = 128 + constants.signals[signal]
  }
}

/**
 * Resolves with the first signal. The handlers stay: Ctrl+C reaches the whole process group, and npm and `run.mjs` pass it on, so
 * one Ctrl+C arrives up to three times. Without a handler the second one would kill the process before it has stopped in order.
 */
export function waitUntilAskedToStop(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve(name))
  })
}
