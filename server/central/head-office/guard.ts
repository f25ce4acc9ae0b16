/** Who calls, whether he may, and how often: keys of consumers, their scopes, sliding windows per key and address. */
import { AppError } from '../../errors.ts'
import type { Scope } from './contract.ts'

export interface Holder {
  readonly keyId: string
  readonly consumerId: string
  readonly tenantId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly keyExpiresAt: Date | null
}

const LONGEST_KEY = 200

/** The key of `Authorization: Bearer`; null when there is none. */
export function bearerOf(authorization: string | undefined): string | null {
  const key = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization ?? '')?.[1]
  return key !== undefined && key.length <= LONGEST_KEY ? key : null
}

/** Throws `forbidden`. */
export function requireScope(holder: Holder, scope: Scope | null): void {
  if (scope !== null && !holder.scopes.includes(scope)) throw new AppError('forbidden')
}

export interface Standing {
  readonly isRefused: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

const WINDOW_MS = 60_000

/** Calls within the last minute by caller. Kept in this process: several instances count each for itself. */
export class CallWindow {
  readonly #calls = new Map<string, number[]>()
  readonly #limit: number
  #purgedAt = Date.now()

  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** A refused call is not counted: who waits is let in again. */
  hit(caller: string, now = Date.now()): Standing {
    this.#purge(now)
    const calls = (this.#calls.get(caller) ?? []).filter((at) => at > now - WINDOW_MS)
    const isRefused = calls.length >= this.#limit
    if (!isRefused) calls.push(now)
    this.#calls.set(caller, calls)
    return {
      isRefused,
      remaining: this.#limit - calls.length,
      resetSeconds: Math.ceil(((calls[0] ?? now) + WINDOW_MS - now) / 1000),
    }
  }

  #purge(now: number): void {
    if (now - this.#purgedAt < WINDOW_MS) return
    this.#purgedAt = now
    for (const [caller, calls] of this.#calls) {
      if ((calls.at(-1) ?? 0) <= now - WINDOW_MS) this.#calls.delete(caller)
    }
  }
}
