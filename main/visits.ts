/**
 * When a visit ends, the kiosk's memory is emptied: the server takes the visit's cookie away, and that is the sign. Owns:
 * the clearing. Never: the cookies themselves, of which the next visit may have one already.
 */
import type { Session } from 'electron'

/** The server sets its cookie for the kiosk's own addresses (server/kiosk). */
const COOKIE_PATH = '/kiosk'

export function watchVisits(session: Session): void {
  session.cookies.on('changed', (_event, cookie, cause, removed) => {
    // Put in another's place: the visit continues.
    const hasEnded = removed && cause !== 'overwrite' && cookie.path?.startsWith(COOKIE_PATH) === true
    if (hasEnded) void clearVisit(session)
  })
}

/** Never rejects: what could not be cleared is cleared with the next page (locked-window.ts). */
async function clearVisit(session: Session): Promise<void> {
  await Promise.allSettled([
    session.clearStorageData({
      storages: ['cachestorage', 'filesystem', 'indexdb', 'localstorage', 'serviceworkers', 'shadercache'],
    }),
    session.clearCache(),
  ])
}
