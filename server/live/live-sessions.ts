/**
 * The running portrait sessions, by the id of their capture session. They are never stored on disk: a restart
 * ends them (`failInterruptedSessions`). Code that ends a session must remove it here.
 */
import type { LiveSession } from './live-session.ts'

/**
 * Each may hold 24 MB of pictures (`MAX_KEPT_BYTES`); a machine with two cores handles about four at a time.
 */
const MAX_SESSIONS = 16
/** Pictures in parallel; the worker processes them one after the other, each in 20 to 50 ms. */
const MAX_IN_FLIGHT = 4

export interface LiveSessions {
  find(sessionId: string): LiveSession | null
  hasRoom(): boolean
  /** True while a picture of this session, or too many others, are being processed. */
  isBusy(session: LiveSession): boolean
  add(session: LiveSession): void
  forget(sessionId: string): void
  forgetIdentity(identityId: string): void
  clear(): void
}

export function createLiveSessions(): LiveSessions {
  const sessions = new Map<string, LiveSession>()
  const forget = (sessionId: string): void => {
    sessions.get(sessionId)?.wipe()
    sessions.delete(sessionId)
  }
  return {
    find: (sessionId) => sessions.get(sessionId) ?? null,
    hasRoom: () => sessions.size < MAX_SESSIONS,
    isBusy: (session) =>
      session.isBusy || [...sessions.values()].filter(({ isBusy }) => isBusy).length >= MAX_IN_FLIGHT,
    add: (session) => void sessions.set(session.sessionId, session),
    forget,
    forgetIdentity: (identityId) => {
      for (const [id, session] of sessions) if (session.identityId === identityId) forget(id)
    },
    clear: () => {
      for (const id of sessions.keys()) forget(id)
    },
  }
}
