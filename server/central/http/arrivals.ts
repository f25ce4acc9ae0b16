/**
 * A budget for request bodies that are held in memory: in all, and for each caller. A body that comes too slowly is cut
 * off. When the budget is full, the caller that holds most gives way, so that no caller locks out the others.
 */
import { AppError } from '../../errors.ts'

export interface ArrivalLimits {
  /** Bytes of all bodies. */
  readonly totalBytes: number
  /** Bytes and bodies of one caller. */
  readonly callerBytes: number
  readonly callerBodies: number
  /** A body that grows by less than `windowBytes` in a window of `windowMs` is too slow. */
  readonly windowMs: number
  readonly windowBytes: number
}

export interface Arrival {
  /** Aborted with `upload_too_large`, `rate_limited` or `request_timeout` when the body must not be held any longer. */
  readonly signal: AbortSignal
  /** Counts bytes that have arrived. */
  add(bytes: number): void
  /** The body is whole: it may wait for its turn as long as it takes. */
  complete(): void
  /** The body is being worked on: from now on it does not give way to another one. */
  pin(): void
  /** Ends the arrival, for instance because the caller has hung up. */
  abort(error: AppError): void
  /** The body is no longer held. May be called repeatedly. */
  release(): void
}

interface Held {
  readonly caller: Caller
  readonly controller: AbortController
  bytes: number
  /** Bytes at the beginning of the present window; null in the window in which it began. */
  before: number | null
  isComplete: boolean
  isPinned: boolean
}

interface Caller {
  readonly name: string
  bytes: number
  /** In the order in which they began. */
  readonly bodies: Set<Held>
}

export class ArrivalBudget {
  readonly #limits: ArrivalLimits
  readonly #callers = new Map<string, Caller>()
  #bytes = 0
  #timer: NodeJS.Timeout | null = null

  constructor(limits: ArrivalLimits) {
    this.#limits = limits
  }

  /** Throws `rate_limited` when the caller sends as many bodies as it may. */
  open(name: string, mostBytes: number): Arrival {
    const caller = this.#callers.get(name) ?? { name, bytes: 0, bodies: new Set() }
    if (caller.bodies.size >= this.#limits.callerBodies) throw new AppError('rate_limited')
    const controller = new AbortController()
    const held: Held = { caller, controller, bytes: 0, before: null, isComplete: false, isPinned: false }
    caller.bodies.add(held)
    this.#callers.set(name, caller)
    this.#timer ??= setInterval(() => this.#endSlow(), this.#limits.windowMs).unref()
    return {
      signal: controller.signal,
      add: (bytes) => {
        if (!caller.bodies.has(held)) return
        held.bytes += bytes
        caller.bytes += bytes
        this.#bytes += bytes
        if (held.bytes > mostBytes) {
          this.#end(held, new AppError('upload_too_large', { limitBytes: mostBytes }))
        } else if (caller.bytes > this.#limits.callerBytes) this.#end(held, new AppError('rate_limited'))
        else if (this.#bytes > this.#limits.totalBytes) this.#makeRoom(held)
      },
      complete: () => {
        held.isComplete = true
      },
      pin: () => {
        held.isPinned = true
      },
      abort: (error) => this.#end(held, error),
      release: () => this.#remove(held),
    }
  }

  /** Ends the newest body of the caller that holds most: its other bodies are nearer to their end. */
  #makeRoom(arriving: Held): void {
    const [largest] = [...this.#callers.values()].sort((a, b) => b.bytes - a.bytes)
    const newest = [...(largest?.bodies ?? [])].findLast(({ isPinned }) => !isPinned)
    this.#end(newest ?? arriving, new AppError('rate_limited'))
  }

  #endSlow(): void {
    for (const held of [...this.#callers.values()].flatMap(({ bodies }) => [...bodies])) {
      const { before, bytes, isComplete } = held
      held.before = bytes
      if (!isComplete && before !== null && bytes - before < this.#limits.windowBytes) {
        this.#end(held, new AppError('request_timeout'))
      }
    }
  }

  #end(held: Held, error: AppError): void {
    this.#remove(held)
    held.controller.abort(error)
  }

  #remove(held: Held): void {
    const { caller } = held
    if (!caller.bodies.delete(held)) return
    caller.bytes -= held.bytes
    this.#bytes -= held.bytes
    if (caller.bodies.size === 0) this.#callers.delete(caller.name)
    if (this.#callers.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
