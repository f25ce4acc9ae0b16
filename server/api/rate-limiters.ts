/** The limits of the API: per key under /v1, and per address where no key is asked for. */
import type { Request, RequestHandler, Response } from 'express'
import { CallWindow } from '../http/call-window.ts'
import { clientNetwork } from '../http/client-address.ts'
import { limitCalls, limitFailures, type Handler } from '../http/limits.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { RateLimits } from './deps.ts'
import { getKeyHolder } from './request-context.ts'
import type { Route } from './routes.ts'

const ROLE_POLICIES: Readonly<Record<CallerRole, string>> = {
  RELYING_SERVICE: 'relying-service',
  USER_AGENT: 'user-agent',
}

interface RateLimiters {
  /** Every call with a key. Needs the guard before it. */
  readonly keys: RequestHandler
  /** Calls that need no key. */
  readonly addresses: RequestHandler
  /** The limits of a route besides that of its key, or in place of it. */
  ofRoute(route: Route): readonly RequestHandler[]
  /** The handler of a route, its failures limited by address where the route says so. */
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
  // Per identity: all people who use one app share its key, and one of them must not use up the others' tries.
  const otp = limitCalls(
    windowMs,
    () => ({ name: 'otp-submission', limit: limits.otp }),
    (req, res) => `${readKeyId(req, res)} ${String(req.params.id)}`,
  )
  // All people who use one app share its key, and each polls: by identity none takes another's share.
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

/** A poll that is answered costs little: the limit of the key counts it no more. */
function forgiving(handler: Handler, forgive: (req: Request, res: Response) => void): Handler {
  return async (req, res) => {
    await handler(req, res)
    forgive(req, res)
  }
}
