/**
 * Names the author of an audit event. The appliance itself is the author of work that no caller requested (jobs, deadlines).
 */
import type { Caller } from '../../proofing/types.ts'

type Acting = Pick<Caller, 'role' | 'applicationId' | 'staffId'>

/** Returns the name of an officer in the audit log. */
export const staffActor = (staffId: string): string => `STAFF:${staffId}`

/**
 * Returns the key's role and application, `RELYING_SERVICE:<applicationId>`, or `STAFF:<id>` for an officer
 * at the counter. It contains no name of a person.
 */
export function nameActor({ role, applicationId, staffId }: Acting): string {
  return staffId === undefined ? `${role}:${applicationId}` : staffActor(staffId)
}

/** For the last argument of `events.append`. */
export function toActor(caller: Acting): { readonly actor: string } {
  return { actor: nameActor(caller) }
}
