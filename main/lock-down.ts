/**
 * Limits what a page in our windows may do: show itself and use the camera. Everything else is refused, also
 * to our own page: other addresses, new windows, microphone, devices, downloads, files, menus, tools, zoom.
 */
import type { Session, WebContents } from 'electron'
import { isAllowedKey } from './keys.ts'

/**
 * Our present origin; null while there is no server, and then nothing is allowed. It changes with a restart.
 */
export type OurOrigin = () => string | null

export function lockSession(session: Session, ourOrigin: OurOrigin): void {
  const isOurs = (url: string): boolean => isSameOrigin(url, ourOrigin())
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    const wantsCameraOnly =
      'mediaTypes' in details && details.mediaTypes?.length === 1 && details.mediaTypes[0] === 'video'
    callback(permission === 'media' && wantsCameraOnly && isOurs(details.requestingUrl))
  })
  // Asked before each use and by enumerateDevices, in addition to the request handler above.
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin, details) =>
      permission === 'media' && details.mediaType !== 'audio' && isOurs(requestingOrigin),
  )
  // USB, HID and serial ports: always refused.
  session.setDevicePermissionHandler(() => false)
  session.setBluetoothPairingHandler((_details, answer) => answer({ confirmed: false }))
  session.setDisplayMediaRequestHandler(null)
  for (const chooser of ['select-hid-device', 'select-serial-port', 'select-usb-device'] as const)
    (session as NodeJS.EventEmitter).on(chooser, refuseChoice)
  session.on('will-download', (event) => event.preventDefault())
  // The spell checker would send words of a form to a dictionary server.
  session.setSpellCheckerEnabled(false)
}

export function lockContents(contents: WebContents, ourOrigin: OurOrigin, devTools: boolean): void {
  const stay = (event: { preventDefault(): void; readonly url: string }): void => {
    if (!isSameOrigin(event.url, ourOrigin())) event.preventDefault()
  }
  contents.on('will-navigate', stay)
  contents.on('will-frame-navigate', stay)
  contents.on('will-redirect', stay)
  contents.on('will-attach-webview', refuse)
  contents.on('context-menu', refuse)
  contents.on('before-input-event', (event, input) => {
    if (!devTools && !isAllowedKey(input)) event.preventDefault()
  })
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  // Neither touch gestures nor Ctrl and the wheel may zoom the page.
  const keepSize = (): void => {
    contents.setZoomFactor(1)
    void contents.setVisualZoomLevelLimits(1, 1).catch(() => undefined)
  }
  contents.on('did-finish-load', keepSize)
  contents.on('zoom-changed', keepSize)
  // A tool that was opened anyway is closed immediately.
  contents.on('devtools-opened', () => {
    if (!devTools) contents.closeDevTools()
  })
}

function isSameOrigin(url: string, origin: string | null): boolean {
  return origin !== null && URL.canParse(url) && new URL(url).origin === origin
}

function refuse(event: { preventDefault(): void }): void {
  event.preventDefault()
}

/**
 * Device choosers: an empty answer selects none. Their arguments differ, and the callback is the last one.
 */
function refuseChoice(event: { preventDefault(): void }, ...more: unknown[]): void {
  event.preventDefault()
  const answer = more.at(-1)
  if (typeof answer === 'function') (answer as (id: string) => void)('')
}
