/**
 * What a page in the kiosk window may do: show itself and use the camera. Everything else is refused, to our own page
 * as well: no other address, no new window, no microphone, no device, no download, no file.
 */
import type { Session, WebContents } from 'electron'

/** Our origin at this moment; null while there is no server, and then nothing is allowed. It changes with a restart. */
export type OurOrigin = () => string | null

export function lockSession(session: Session, ourOrigin: OurOrigin): void {
  const isOurs = (url: string): boolean => isSameOrigin(url, ourOrigin())
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    const wantsCameraOnly =
      'mediaTypes' in details && details.mediaTypes?.length === 1 && details.mediaTypes[0] === 'video'
    callback(permission === 'media' && wantsCameraOnly && isOurs(details.requestingUrl))
  })
  // Asked before each use and by enumerateDevices; the request above comes on top of it.
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin, details) =>
      permission === 'media' && details.mediaType !== 'audio' && isOurs(requestingOrigin),
  )
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler(null)
  session.on('will-download', (event) => event.preventDefault())
}

export function lockContents(contents: WebContents, ourOrigin: OurOrigin): void {
  const stay = (event: { preventDefault(): void; readonly url: string }): void => {
    if (!isSameOrigin(event.url, ourOrigin())) event.preventDefault()
  }
  contents.on('will-navigate', stay)
  contents.on('will-frame-navigate', stay)
  contents.on('will-redirect', stay)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

function isSameOrigin(url: string, origin: string | null): boolean {
  return origin !== null && URL.canParse(url) && new URL(url).origin === origin
}
