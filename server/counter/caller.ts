/** Who calls the workflows when somebody who is signed in does something: the console's application, and the person. */
import type { Request } from 'express'
import { clientAddress } from '../api/client-address.ts'
import type { Authority } from '../proofing/adjudication-decision.ts'
import { staffActor } from '../workflows/access/author.ts'
import type { DeskCaller, StaffCaller } from '../workflows/adjudication/desk-review.ts'
import { isAllowed, staffOf, type SignedIn } from './access.ts'
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

/** The same at the desk, with what the session allows in a dispute. */
export function deskCaller(deps: CounterDeps, req: Request): DeskCaller {
  return { ...staffCaller(deps, req), authority: authorityOf(staffOf(req)) }
}

export function authorityOf(staff: SignedIn): Authority {
  return { mayOverrule: isAllowed(staff, 'desk:overrule'), isFresh: staff.isFresh }
}

function routeOf(req: Request): string {
  const route = req.route as { readonly path?: unknown } | undefined
  return typeof route?.path === 'string' ? route.path : ''
}

/** As the author of an event. */
export function byStaff(req: Request): { readonly actor: string } {
  return { actor: staffActor(staffOf(req).staffId) }
}
