/** Who calls the workflows when somebody who is signed in does something: the console's application, and the person. */
import type { Request } from 'express'
import { clientAddress } from '../api/client-address.ts'
import { AppError } from '../errors.ts'
import type { StaffCaller } from '../workflows/desk-review.ts'
import { staffOf } from './access.ts'
import type { CounterDeps } from './deps.ts'

/** Throws `unauthorized` when nobody is signed in. */
export function staffCaller(deps: CounterDeps, req: Request): StaffCaller {
  const { staffId } = staffOf(req)
  return {
    ...deps.caller,
    staffId,
    // Who captures evidence of a person decides about none of it.
    officer: staffId,
    correlationId: deps.newId(),
    method: req.method === 'GET' || req.method === 'DELETE' || req.method === 'PUT' ? req.method : 'POST',
    // The route, never what was put into it.
    uri: `/counter/api${routeOf(req)}`,
    remoteAddress: clientAddress(req) || null,
    startedAt: deps.clock.now(),
  }
}

function routeOf(req: Request): string {
  const route = req.route as { readonly path?: unknown } | undefined
  return typeof route?.path === 'string' ? route.path : ''
}

/** As the author of an event. */
export function byStaff(req: Request): { readonly actor: string } {
  return { actor: `STAFF:${staffOf(req).staffId}` }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Throws `not_found` for what is no id: whoever asks so learns nothing. */
export function idOf(req: Request, name: string): string {
  const value = req.params[name]
  if (typeof value !== 'string' || !UUID.test(value)) throw new AppError('not_found')
  return value
}
