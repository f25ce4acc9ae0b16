/** Props of the pages before and after the work: sign-in, set-up, lock. */
import type { SessionView } from '../../../server/counter/contract/staff.ts'
import type { Client } from '../api/client.ts'

export interface SignInStep<V extends SessionView> {
  readonly view: V
  readonly client: Client
  readonly onView: (view: SessionView) => void
}
