/** How often one key may call: a sliding window per key, with the headers that tell callers how to behave. */
import { rateLimit } from 'express-rate-limit'
import type { ClientRateLimitInfo, Store } from 'express-rate-limit'
import type { RequestHandler } from 'express'
import { AppError } from '../errors.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { RateLimits } from './deps.ts'
import { holderOf } from './request-context.ts'

/** Name of the policy in `RateLimit` and `RateLimit-Policy`. */
const POLICY_NAMES: Readonly<Record<CallerRole, string>> = {
  RELYING_SERVICE: 'relying-service',
  USER_AGENT: 'user-agent',
}

/**
 * The moments of each key's calls within the last window. A refused call is not counted, so a caller who keeps
 * hammering is let in again as soon as his oldest accepted call is a window old.
 */
export class SlidingWindowStore implements Store {
  readonly localKeys = true
  readonly #calls = new Map<string, number[]>()
  readonly #windowMs: number
  readonly #limitOf: (key: string) => number
  readonly #nowMs: () => number

  constructor(windowMs: number, limitOf: (key: string) => number, nowMs: () => number = Date.now) {
    this.#windowMs = windowMs
    this.#limitOf = limitOf
    this.#nowMs = nowMs
  }

  increment(key: string): ClientRateLimitInfo {
    const now = this.#nowMs()
    const limit = this.#limitOf(key)
    const calls = (this.#calls.get(key) ?? []).filter((at) => at > now - this.#windowMs)
    const refused = calls.length >= limit
    if (!refused) calls.push(now)
    this.#calls.set(key, calls)
    const oldest = calls[0] ?? now
    return { totalHits: refused ? limit + 1 : calls.length, resetTime: new Date(oldest + this.#windowMs) }
  }

  decrement(key: string): void {
    this.#calls.get(key)?.pop()
  }

  resetKey(key: string): void {
    this.#calls.delete(key)
  }
}

/** Needs the guard before it. Passes `rate_limited` on, with Retry-After already set. */
export function limitRate(limits: RateLimits): RequestHandler {
  const limitOf = (key: string) => limits.perRole[roleOfKey(key)]
  return rateLimit({
    windowMs: limits.windowMs,
    limit: (_req, res) => limits.perRole[holderOf(res).role],
    identifier: (_req, res) => POLICY_NAMES[holderOf(res).role],
    keyGenerator: (_req, res) => `${holderOf(res).role} ${holderOf(res).keyId}`,
    store: new SlidingWindowStore(limits.windowMs, limitOf),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // Its checks are about proxies and addresses: we count by key.
    validate: false,
    handler: (_req, _res, next) => next(new AppError('rate_limited')),
  })
}

function roleOfKey(key: string): CallerRole {
  return key.startsWith('USER_AGENT ') ? 'USER_AGENT' : 'RELYING_SERVICE'
}
