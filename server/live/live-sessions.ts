/**
 * The portrait sessions that run now, by the id of their capture session. Nothing of them is ever on a disk: a restart
 * ends them (`failInterruptedSessions`). Whoever ends a session has it forgotten here.
 */
import type { LiveSession } from './live-session.ts'

/** Each may hold 24 MB of pictures (`MAX_KEPT_BYTES`); a machine of two cores follows about four at a time. */
const MAX_SESSIONS = 16
/** Pictures that are looked at at the same time; the worker takes one after the other, each 20 to 50 ms. */
const MAX_IN_FLIGHT = 4

export interface LiveSessions {
  find(sessionId: string): LiveSession | null
  hasRoom(): boolean
  /** True while this session's picture, or too many others, are being looked at. */
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
