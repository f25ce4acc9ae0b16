/**
 * The signed-in officer, the permissions, and the one client that calls the server on the officer's behalf.
 */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AtWork, Permission, SessionView } from '../../server/counter/contract/staff.ts'
import type { Client } from './api/client.ts'

export interface Session {
  readonly view: AtWork
  readonly client: Client
  readonly can: (permission: Permission) => boolean
  /** Stores the session that every call of `session/…` returns. */
  readonly take: (view: SessionView) => void
}

export const SessionContext = createContext<Session | null>(null)

/** Throws if no officer is signed in: pages are drawn only for signed-in officers. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new TypeError('no member of staff here')
  return session
}

export function useClient(): Client {
  return useSession().client
}
