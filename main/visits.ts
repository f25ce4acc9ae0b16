/**
 * Clears the kiosk's memory at the end of a visit: the server removes the visit's cookie, and that is the
 * signal. Owns: the clearing. Never: the cookies themselves, because the next visit may already have one.
 */
import type { Session } from 'electron'

/** The server sets its cookie for the kiosk's own addresses (server/kiosk). */
const COOKIE_PATH = '/kiosk'

export function watchVisits(session: Session): void {
  session.cookies.on('changed', (_event, cookie, cause, removed) => {
    // Replaced by another one: the visit continues.
    const hasEnded = removed && cause !== 'overwrite' && cookie.path?.startsWith(COOKIE_PATH) === true
    if (hasEnded) void clearVisit(session)
  })
}

/** Never rejects: remaining data is cleared with the next page (locked-window.ts). */
async function clearVisit(session: Session): Promise<void> {
  await Promise.allSettled([
    session.clearStorageData({
      storages: ['cachestorage', 'filesystem', 'indexdb', 'localstorage', 'serviceworkers', 'shadercache'],
    }),
    session.clearCache(),
  ])
}
