/**
 * What a page in our windows may do: show itself and use the camera. Everything else is refused, to our own page as well:
 * no other address, no new window, no microphone, no device, no download, no file, no menu, no tools, no zoom.
 */
import type { Session, WebContents } from 'electron'
import { isAllowedKey } from './keys.ts'

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
  // USB, HID and serial ports: never, whatever was allowed before.
  session.setDevicePermissionHandler(() => false)
  session.setBluetoothPairingHandler((_details, answer) => answer({ confirmed: false }))
  session.setDisplayMediaRequestHandler(null)
  for (const chooser of ['select-hid-device', 'select-serial-port', 'select-usb-device'] as const)
    (session as NodeJS.EventEmitter).on(chooser, refuseChoice)
  session.on('will-download', (event) => event.preventDefault())
  // Words of a form would leave the machine for a dictionary.
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
  // A page's fields are as large as they are: neither fingers nor Ctrl and the wheel change it.
  const keepSize = (): void => {
    contents.setZoomFactor(1)
    void contents.setVisualZoomLevelLimits(1, 1).catch(() => undefined)
  }
  contents.on('did-finish-load', keepSize)
  contents.on('zoom-changed', keepSize)
  // A tool that was opened all the same closes at once.
  contents.on('devtools-opened', () => {
    if (!devTools) contents.closeDevTools()
  })
}

export function isSameOrigin(url: string, origin: string | null): boolean {
  return origin !== null && URL.canParse(url) && new URL(url).origin === origin
}

function refuse(event: { preventDefault(): void }): void {
  event.preventDefault()
}

/** Choosers of devices: an empty answer is none. Their arguments differ, and the answer is the last one. */
function refuseChoice(event: { preventDefault(): void }, ...more: unknown[]): void {
  event.preventDefault()
  const answer = more.at(-1)
  if (typeof answer === 'function') (answer as (id: string) => void)('')
}
