/**
 * Limits how often a caller may call, with the headers that tell callers how to behave
 * (draft-ietf-httpapi-ratelimit-headers).
 */
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import { CallWindow, type CallVerdict } from './call-window.ts'
import { clientNetwork } from './client-address.ts'
import { PROBLEMS } from './problems.ts'

/** The shape of a handler: it parses, calls one workflow and answers; rejections go to the error handler. */
export type Handler = (req: Request, res: Response) => Promise<void>

interface LimitPolicy {
  readonly name: string
  readonly limit: number
}

/** The limits that a response names so far: every policy that counted the call, and the tightest of them. */
interface Shown {
  readonly policies: readonly string[]
  readonly tightest: CallVerdict
}
const shownOn = new WeakMap<Response, Shown>()

/**
 * Limits calls without a key by their failures: each call that the handler refuses counts for its client's address, and
 * beyond the limit a further refusal becomes `rate_limited`. A successful call never counts and is never refused, so
 * junk from a shared address (a proxy, a carrier) blocks no other caller. For handlers whose refusals cost little.
 */
export function limitFailures(windowMs: number, policy: LimitPolicy): (handler: Handler) => Handler {
  const window = new CallWindow(windowMs)
  return (handler) => async (req, res) => {
    try {
      await handler(req, res)
    } catch (error) {
      const isRefusal = error instanceof AppError && PROBLEMS[error.code].status < 500
      if (isRefusal) {
        const verdict = window.hit(clientNetwork(req), policy.limit)
        refuseOver(res, policy, verdict, windowMs)
      }
      throw error
    }
  }
}

/** Throws `rate_limited`, with Retry-After already set. */
export function limitCalls(
  windowMs: number,
  choosePolicy: (res: Response) => LimitPolicy,
  identifyCaller: (req: Request, res: Response) => string,
  window = new CallWindow(windowMs),
): RequestHandler {
  return (req, res, next) => {
    const policy = choosePolicy(res)
    refuseOver(res, policy, window.hit(identifyCaller(req, res), policy.limit), windowMs)
    next()
  }
}

/** Shows the limit. Throws `rate_limited`, with Retry-After already set. */
export function refuseOver(res: Response, policy: LimitPolicy, verdict: CallVerdict, windowMs: number): void {
  show(res, policy, verdict, windowMs)
  if (!verdict.isRefused) return
  res.setHeader('Retry-After', seconds(verdict.resetMs))
  throw new AppError('rate_limited')
}

function show(res: Response, { name, limit }: LimitPolicy, verdict: CallVerdict, windowMs: number): void {
  const before = shownOn.get(res)
  const policies = [...(before?.policies ?? []), `"${name}"; q=${limit}; w=${seconds(windowMs)}`]
  const isTightest = !before || verdict.isRefused || verdict.remaining < before.tightest.remaining
  const tightest = isTightest ? verdict : before.tightest
  shownOn.set(res, { policies, tightest })
  res.setHeader('RateLimit-Policy', policies.join(', '))
  if (isTightest)
    res.setHeader('RateLimit', `"${name}"; r=${verdict.remaining}; t=${seconds(verdict.resetMs)}`)
}

/** Rounds up, so that a call after this time is accepted. */
function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
