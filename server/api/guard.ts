/**
 * Decides who may call: resolves the key to tenant and role, compares the role with the route table, and checks the headers
 * that the spec requires. Reads no body. The workflow decides what the caller may see.
 */
import type { RequestHandler } from 'express'
import { AppError } from '../errors.ts'
import type { ApiDeps } from './deps.ts'
import { getKeyHolder, rememberHolder } from './request-context.ts'
import type { Access } from './route.ts'

/** Longer texts are no key, so they are not hashed. */
const MAX_KEY_LENGTH = 512

/** RFC 9110 section 4.1 recommends at least 8000 octets. */
const MAX_ADDRESS_LENGTH = 8000
/** Browsers and proxies send about 30. */
const MAX_HEADERS = 100

/** Throws `address_too_long` or `headers_too_large`. The HTTP server limits the total bytes of the head. */
export function refuseOversizedHead(): RequestHandler {
  return (req, _res, next) => {
    if (req.originalUrl.length > MAX_ADDRESS_LENGTH) throw new AppError('address_too_long')
    // rawHeaders contains names and values alternately.
    if (req.rawHeaders.length / 2 > MAX_HEADERS) throw new AppError('headers_too_large')
    next()
  }
}

/** Refuses new requests while the appliance stops; running ones may end. The health report still answers. */
export function refuseWhileDraining(deps: Pick<ApiDeps, 'isDraining'>): RequestHandler {
  return (req, res, next) => {
    if (deps.isDraining() && req.path !== '/healthcheck') {
      res.setHeader('Connection', 'close')
      throw new AppError('shutting_down')
    }
    next()
  }
}

/**
 * Throws `key_missing`, `key_unknown` (403, because the spec has no 401), `user_agent_missing`, `user_agent_keys_refused` if
 * the tenant accepts only tokens, and `forbidden` if Tenant-Role differs from the role of the key.
 */
export function requireKey(deps: Pick<ApiDeps, 'authenticate' | 'config'>): RequestHandler {
  return (req, res, next) => {
    const key = req.get('apikey')
    if (!key) throw new AppError('key_missing')
    const holder = key.length <= MAX_KEY_LENGTH ? deps.authenticate(key) : null
    if (!holder) throw new AppError('key_unknown')
    rememberHolder(res, holder)
    if (!req.get('user-agent')?.trim()) throw new AppError('user_agent_missing')
    const isPlainKey = holder.role === 'USER_AGENT' && holder.identityId === null
    if (isPlainKey && deps.config.userAgentKeys === 'refused') throw new AppError('user_agent_keys_refused')
    const claimedRole = req.get('tenant-role')
    if (claimedRole && claimedRole !== holder.role) {
      throw new AppError('forbidden', { header: 'Tenant-Role' })
    }
    // Answers contain personal data, so no cache may store them.
    res.setHeader('Cache-Control', 'no-store')
    next()
  }
}

/** Throws `forbidden` for a role that the route's table entry does not list. */
export function requireRole(access: Access): RequestHandler {
  return (_req, res, next) => {
    if (access !== 'public' && !access.includes(getKeyHolder(res).role)) {
      throw new AppError('forbidden', { allowed: access.join(',') })
    }
    next()
  }
}
