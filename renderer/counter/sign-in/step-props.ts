/** What each page before the work is given. */
import type { SessionView } from '../../../server/counter/contract/staff.ts'
import type { Client } from '../api/client.ts'

export interface SignInStep<V extends SessionView> {
  readonly view: V
  readonly client: Client
  readonly onView: (view: SessionView) => void
}
