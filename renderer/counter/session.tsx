/** Who works here, what they may do, and the one client that calls the server on their behalf. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AtWork, Permission, SessionView } from '../../server/counter/contract/staff.ts'
import type { Client } from './api/client.ts'

export interface Session {
  readonly view: AtWork
  readonly client: Client
  readonly can: (permission: Permission) => boolean
  /** Every call of `session/…` answers the session as it stands now. */
  readonly take: (view: SessionView) => void
}

export const SessionContext = createContext<Session | null>(null)

/** Throws where nobody is signed in: pages are drawn for members of staff alone. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new TypeError('no member of staff here')
  return session
}

export function useClient(): Client {
  return useSession().client
}
