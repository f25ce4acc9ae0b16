/**
 * How often somebody may call: sliding windows, per key under /v1 and per address where no key is asked for, with the
 * headers that tell callers how to behave (draft-ietf-httpapi-ratelimit-headers).
 */
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import type { CallerRole } from '../proofing/types.ts'
import { clientNetwork } from './client-address.ts'
import type { RateLimits } from './deps.ts'
import type { Handler } from './handlers.ts'
import { PROBLEMS } from './problems.ts'
import { holderOf } from './request-context.ts'
import type { Route } from './routes.ts'

/** What one call did to its window. */
export interface Standing {
  readonly refused: boolean
  readonly remaining: number
  /** When the oldest counted call leaves the window, so that one more is let in. */
  readonly resetMs: number
}

/**
 * The moments of each caller's calls within the last window. A refused call is not counted, so a caller who keeps
 * hammering is let in again as soon as his oldest accepted call is a window old.
 */
export class SlidingWindow {
  readonly #calls = new Map<string, number[]>()
  readonly #windowMs: number
  readonly #nowMs: () => number
  #purgedAtMs: number

  constructor(windowMs: number, nowMs: () => number = Date.now) {
    this.#windowMs = windowMs
    this.#nowMs = nowMs
    this.#purgedAtMs = nowMs()
  }

  hit(caller: string, limit: number): Standing {
    const now = this.#nowMs()
    this.#purge(now)
    const calls = this.#calls.get(caller) ?? []
    // In place: a copy of a busy caller's window at every call is work for the garbage collector.
    const firstCounted = calls.findIndex((at) => at > now - this.#windowMs)
    calls.splice(0, firstCounted < 0 ? calls.length : firstCounted)
    const refused = calls.length >= limit
    if (!refused) calls.push(now)
    this.#calls.set(caller, calls)
    return {
      refused,
      remaining: limit - calls.length,
      resetMs: (calls[0] ?? now) + this.#windowMs - now,
    }
  }

  /** The last call of this caller counts no more. */
  forgive(caller: string): void {
    this.#calls.get(caller)?.pop()
  }

  /** Callers that are remembered now. */
  get size(): number {
    return this.#calls.size
  }

  /** Once per window: whoever did not call within the last one is forgotten. */
  #purge(now: number): void {
    if (now - this.#purgedAtMs < this.#windowMs) return
    this.#purgedAtMs = now
    for (const [caller, calls] of this.#calls) {
      if ((calls.at(-1) ?? 0) <= now - this.#windowMs) this.#calls.delete(caller)
    }
  }
}

interface Policy {
  readonly name: string
  readonly limit: number
}

/** What a response tells of its limits so far: every policy that counted the call, and the tightest of them. */
interface Shown {
  readonly policies: readonly string[]
  readonly tightest: Standing
}
const shownOn = new WeakMap<Response, Shown>()

const ROLE_POLICIES: Readonly<Record<CallerRole, string>> = {
  RELYING_SERVICE: 'relying-service',
  USER_AGENT: 'user-agent',
}

export interface RateLimiters {
  /** Every call with a key. Needs the guard before it. */
  readonly keys: RequestHandler
  /** Calls that need no key. */
  readonly addresses: RequestHandler
  /** What a route has besides the limit of its key, or in place of one. */
  ofRoute(route: Route): readonly RequestHandler[]
  /** The handler of a route, its failures limited by address where the route says so. */
  around(route: Route, handler: Handler): Handler
}

export function createRateLimiters(limits: RateLimits): RateLimiters {
  const { windowMs, perRole } = limits
  const ofKeys = new SlidingWindow(windowMs)
  const keyOf = (_req: Request, res: Response) => holderOf(res).keyId
  const rolePolicy = (res: Response) => {
    const { role } = holderOf(res)
    return { name: ROLE_POLICIES[role], limit: perRole[role] }
  }
  const addresses = limitCalls(windowMs, () => ({ name: 'address', limit: limits.perAddress }), clientNetwork)
  // Per identity: all people who use one app share its key, and one of them must not use up the others' tries.
  const otp = limitCalls(
    windowMs,
    () => ({ name: 'otp-submission', limit: limits.otp }),
    (req, res) => `${keyOf(req, res)} ${String(req.params.id)}`,
  )
  // All people who use one app share its key, and each polls: by identity none takes another's share.
  const poll = limitCalls(
    windowMs,
    () => ({ name: 'status-poll', limit: limits.poll }),
    (req, res) => `${keyOf(req, res)} ${String(req.params.id)}`,
  )
  const callback = limitFailures(windowMs, { name: 'oidc-callback', limit: limits.callback })
  return {
    keys: limitCalls(windowMs, rolePolicy, keyOf, ofKeys),
    addresses,
    ofRoute: ({ rate, access }) => {
      if (rate === 'otp') return [otp]
      if (rate === 'poll') return [poll]
      return access === 'public' && rate === undefined ? [addresses] : []
    },
    around: ({ rate }, handler) => {
      if (rate === 'callback') return callback(handler)
      return rate === 'poll' ? forgiving(handler, (req, res) => ofKeys.forgive(keyOf(req, res))) : handler
    },
  }
}

/** A poll that is answered costs little: the limit of the key counts it no more. */
function forgiving(handler: Handler, forgive: (req: Request, res: Response) => void): Handler {
  return async (req, res) => {
    await handler(req, res)
    forgive(req, res)
  }
}

/**
 * Limits calls without a key by their failures: each call that the handler refuses counts for its client's address, and
 * beyond the limit a further refusal becomes `rate_limited`. A call that succeeds never counts and is never refused, so
 * junk from an address that many share (a proxy, a carrier) keeps nobody out. For handlers whose refusals cost little.
 */
export function limitFailures(windowMs: number, policy: Policy): (handler: Handler) => Handler {
  const window = new SlidingWindow(windowMs)
  return (handler) => async (req, res) => {
    try {
      await handler(req, res)
    } catch (error) {
      const isRefusal = error instanceof AppError && PROBLEMS[error.code].status < 500
      if (isRefusal) {
        const standing = window.hit(clientNetwork(req), policy.limit)
        refuseOver(res, policy, standing, windowMs)
      }
      throw error
    }
  }
}

/** Throws `rate_limited`, with Retry-After already set. */
export function limitCalls(
  windowMs: number,
  policyOf: (res: Response) => Policy,
  callerOf: (req: Request, res: Response) => string,
  window = new SlidingWindow(windowMs),
): RequestHandler {
  return (req, res, next) => {
    const policy = policyOf(res)
    refuseOver(res, policy, window.hit(callerOf(req, res), policy.limit), windowMs)
    next()
  }
}

/** Shows the limit. Throws `rate_limited`, with Retry-After already set. */
function refuseOver(res: Response, policy: Policy, standing: Standing, windowMs: number): void {
  show(res, policy, standing, windowMs)
  if (!standing.refused) return
  res.setHeader('Retry-After', seconds(standing.resetMs))
  throw new AppError('rate_limited')
}

function show(res: Response, { name, limit }: Policy, standing: Standing, windowMs: number): void {
  const before = shownOn.get(res)
  const policies = [...(before?.policies ?? []), `"${name}"; q=${limit}; w=${seconds(windowMs)}`]
  const isTightest = !before || standing.refused || standing.remaining < before.tightest.remaining
  const tightest = isTightest ? standing : before.tightest
  shownOn.set(res, { policies, tightest })
  res.setHeader('RateLimit-Policy', policies.join(', '))
  if (isTightest)
    res.setHeader('RateLimit', `"${name}"; r=${standing.remaining}; t=${seconds(standing.resetMs)}`)
}

/** Rounded up: who waits that long is let in. */
function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
