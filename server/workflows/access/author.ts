/**
 * Names the author of an audit event. The appliance itself is the author of work that no caller requested (jobs, deadlines).
 */
import type { Caller } from '../../proofing/types.ts'

type Acting = Pick<Caller, 'role' | 'applicationId' | 'staffId'>

/** A member of staff as the audit log names him. */
export const staffActor = (staffId: string): string => `STAFF:${staffId}`

/**
 * The key's role and the application it was made for: `RELYING_SERVICE:<applicationId>`; of who is signed in at the counter
 * `STAFF:<id>`. No name of a person.
 */
export function actorOf({ role, applicationId, staffId }: Acting): string {
  return staffId === undefined ? `${role}:${applicationId}` : staffActor(staffId)
}

/** As the last argument of `events.append`. */
export function byCaller(caller: Acting): { readonly actor: string } {
  return { actor: actorOf(caller) }
}
