/** Limits of the API: per key under /v1, per address for calls without a key. */
import type { Request, RequestHandler, Response } from 'express'
import { CallWindow } from '../http/call-window.ts'
import { clientNetwork } from '../http/client-address.ts'
import { limitCalls, limitFailures, type Handler } from '../http/limits.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { RateLimits } from './deps.ts'
import { getKeyHolder } from './request-context.ts'
import type { Route } from './route.ts'

const ROLE_POLICIES: Readonly<Record<CallerRole, string>> = {
  RELYING_SERVICE: 'relying-service',
  USER_AGENT: 'user-agent',
}

interface RateLimiters {
  /** Counts every call with a key. Mount it after the guard. */
  readonly keys: RequestHandler
  /** Counts calls that need no key. */
  readonly addresses: RequestHandler
  /** Returns the limits of a route, beside the limit of the key or in place of it. */
  ofRoute(route: Route): readonly RequestHandler[]
  /** Wraps a handler; limits its failures by address if the route requires it. */
  around(route: Route, handler: Handler): Handler
}

export function createRateLimiters(limits: RateLimits): RateLimiters {
  const { windowMs, perRole } = limits
  const ofKeys = new CallWindow(windowMs)
  const readKeyId = (_req: Request, res: Response) => getKeyHolder(res).keyId
  const rolePolicy = (res: Response) => {
    const { role } = getKeyHolder(res)
    return { name: ROLE_POLICIES[role], limit: perRole[role] }
  }
  const addresses = limitCalls(windowMs, () => ({ name: 'address', limit: limits.perAddress }), clientNetwork)
  // Limited per identity, because all applicants of one app share its key.
  const otp = limitCalls(
    windowMs,
    () => ({ name: 'otp-submission', limit: limits.otp }),
    (req, res) => `${readKeyId(req, res)} ${String(req.params.id)}`,
  )
  // Limited per identity for the same reason.
  const poll = limitCalls(
    windowMs,
    () => ({ name: 'status-poll', limit: limits.poll }),
    (req, res) => `${readKeyId(req, res)} ${String(req.params.id)}`,
  )
  const callback = limitFailures(windowMs, { name: 'oidc-callback', limit: limits.callback })
  return {
    keys: limitCalls(windowMs, rolePolicy, readKeyId, ofKeys),
    addresses,
    ofRoute: ({ rate, access }) => {
      if (rate === 'otp') return [otp]
      if (rate === 'poll') return [poll]
      return access === 'public' && rate === undefined ? [addresses] : []
    },
    around: ({ rate }, handler) => {
      if (rate === 'callback') return callback(handler)
      return rate === 'poll' ? forgiving(handler, (req, res) => ofKeys.forgive(readKeyId(req, res))) : handler
    },
  }
}

/** Removes an answered poll from the limit of the key, because it costs little. */
function forgiving(handler: Handler, forgive: (req: Request, res: Response) => void): Handler {
  return async (req, res) => {
    await handler(req, res)
    forgive(req, res)
  }
}
