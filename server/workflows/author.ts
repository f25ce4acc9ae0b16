/** Who an event of the audit log is put down to. What no caller asked for (jobs, deadlines) is the appliance's own. */
import type { Caller } from '../proofing/types.ts'

/** The key's role and the application it was made for: `RELYING_SERVICE:<applicationId>`. No name of a person. */
export function actorOf(caller: Pick<Caller, 'role' | 'applicationId'>): string {
  return `${caller.role}:${caller.applicationId}`
}

/** As the last argument of `events.append`. */
export function byCaller(caller: Pick<Caller, 'role' | 'applicationId'>): { readonly actor: string } {
  return { actor: actorOf(caller) }
}
