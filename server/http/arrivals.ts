/**
 * Budget for request bodies that are held in memory, in total and per caller. A body that arrives too slowly is cut
 * off. When the budget is full, the caller that holds most gives way, so that no caller locks out the others.
 */
import type { Request, Response } from 'express'
import { AppError } from '../errors.ts'
import { readBody } from './body.ts'
import type { BodyAccount } from './upload-budget.ts'

interface ArrivalLimits {
  /** Bytes of all bodies. */
  readonly totalBytes: number
  /** Bytes and bodies of one caller. */
  readonly callerBytes: number
  readonly callerBodies: number
  /** A body that grows by less than `windowBytes` in a window of `windowMs` is too slow. */
  readonly windowMs: number
  readonly windowBytes: number
}

export interface Arrival extends BodyAccount {
  /** Aborts with `upload_too_large`, `rate_limited` or `request_timeout` when the body may no longer be held. */
  readonly signal: AbortSignal
  /** Work on the body has begun: it no longer gives way to another one. */
  pin(): void
  /** Ends the arrival, for instance because the caller has closed the connection. */
  abort(error: AppError): void
}

/** Reads whole bodies of small size; each is held until the response is over. */
export type BodyReader = (req: Request, res: Response, caller: string, limitBytes: number) => Promise<Buffer>

/** The reader throws what `readBody` throws, and `rate_limited` where the caller sends too much at once. */
export function createBodyReader(limits: ArrivalLimits): BodyReader {
  const budget = new ArrivalBudget(limits)
  return (req, res, caller, limitBytes) => {
    const arrival = budget.open(caller, limitBytes)
    res.once('close', () => arrival.release())
    return readBody(req, limitBytes, undefined, arrival)
  }
}

interface Held {
  readonly caller: Caller
  readonly controller: AbortController
  bytes: number
  /** Bytes at the beginning of the current window. Null in the window in which the body began. */
  before: number | null
  isComplete: boolean
  isPinned: boolean
}

interface Caller {
  readonly name: string
  bytes: number
  /** The oldest first. */
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

  /** Throws `rate_limited` if the caller already sends as many bodies as it may. */
  open(name: string, mostBytes: number): Arrival {
    const caller = this.#callers.get(name) ?? { name, bytes: 0, bodies: new Set() }
    if (caller.bodies.size >= this.#limits.callerBodies) throw new AppError('rate_limited')
    const controller = new AbortController()
    const held: Held = { caller, controller, bytes: 0, before: null, isComplete: false, isPinned: false }
    caller.bodies.add(held)
    this.#callers.set(name, caller)
    this.#timer ??= setInterval(() => this.#endSlow(), this.#limits.windowMs).unref()
    const note = (receivedBytes: number): void => {
      if (!caller.bodies.has(held)) return
      const bytes = receivedBytes - held.bytes
      held.bytes += bytes
      caller.bytes += bytes
      this.#bytes += bytes
      if (held.bytes > mostBytes) {
        this.#end(held, new AppError('upload_too_large', { limitBytes: mostBytes }))
      } else if (caller.bytes > this.#limits.callerBytes) this.#end(held, new AppError('rate_limited'))
      else if (this.#bytes > this.#limits.totalBytes) this.#makeRoom(held)
    }
    const stop = (): void => {
      held.isComplete = true
    }
    return {
      signal: controller.signal,
      // Bytes count when they are there: a caller must not hold memory by what a header says.
      claim: () => controller.signal.throwIfAborted(),
      watchArrival: () => ({ signal: controller.signal, note, stop }),
      pin: () => {
        held.isPinned = true
      },
      abort: (error) => this.#end(held, error),
      release: () => this.#remove(held),
    }
  }

  /** Ends the newest body of the caller that holds most, because its older bodies are nearer to their end. */
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
