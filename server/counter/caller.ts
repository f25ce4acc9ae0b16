/** Returns the caller of the workflows for a signed-in officer: the counter's application and the officer. */
import type { Request } from 'express'
import { clientAddress } from '../http/client-address.ts'
import type { Authority } from '../proofing/adjudication-decision.ts'
import { staffActor } from '../workflows/access/author.ts'
import type { DeskCaller, StaffCaller } from '../workflows/adjudication/desk-review.ts'
import { isAllowed, requireStaff, type SignedIn } from './access.ts'
import type { CounterDeps } from './deps.ts'

/** Throws `unauthorized` if no officer is signed in. */
export function staffCaller(deps: CounterDeps, req: Request): StaffCaller {
  const { staffId } = requireStaff(req)
  return {
    ...deps.caller,
    staffId,
    // An officer who captures evidence of an applicant must not decide about it.
    officer: staffId,
    correlationId: deps.newId(),
    method: req.method === 'GET' || req.method === 'DELETE' || req.method === 'PUT' ? req.method : 'POST',
    // The route, never its parameters.
    uri: `/counter/api${readRoute(req)}`,
    remoteAddress: clientAddress(req) || null,
    startedAt: deps.clock.now(),
  }
}

/** The same at the desk, with the session's authority in a dispute. */
export function deskCaller(deps: CounterDeps, req: Request): DeskCaller {
  return { ...staffCaller(deps, req), authority: getAuthority(requireStaff(req)) }
}

export function getAuthority(staff: SignedIn): Authority {
  return { mayOverrule: isAllowed(staff, 'desk:overrule'), isFresh: staff.isFresh }
}

function readRoute(req: Request): string {
  const route = req.route as { readonly path?: unknown } | undefined
  return typeof route?.path === 'string' ? route.path : ''
}

/** Returns the author of an event. */
export function getEventActor(req: Request): { readonly actor: string } {
  return { actor: staffActor(requireStaff(req).staffId) }
}
