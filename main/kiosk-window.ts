/**
 * The one window: full screen, no menu, no tools, locked to the server's origin, remembering nothing.
 * Electron's kiosk mode is only full screen on Linux and Windows: the operating system has to lock the session.
 */
import { BrowserWindow, type Session } from 'electron'
import { lockContents, lockSession, type OurOrigin } from './lock-down.ts'

export interface KioskWindow {
  /** Shows the first screen of a server, with nothing left of whoever stood here before. */
  show(url: string): Promise<void>
  close(): void
}

export interface KioskWindowOptions {
  readonly preload: string
  readonly version: string
  /** Developer tools; never in a shipped kiosk. */
  readonly devTools: boolean
}

/** In memory alone (no `persist:`): nothing of a visit reaches the disk. */
const PARTITION = 'kiosk'
const RELOAD_MS = 1000 // a page that crashes at once must not spin
const STARTING = `data:text/html;charset=utf-8,${encodeURIComponent(
  '<!doctype html><title>Counterproof</title><body style="margin:0;display:grid;place-items:center;height:100vh;' +
    'background:#fff;color:#222;font:24px sans-serif">This machine is starting.',
)}`

export function openKioskWindow(options: KioskWindowOptions): KioskWindow {
  let address: string | null = null
  const ourOrigin: OurOrigin = () => (address === null ? null : new URL(address).origin)
  const window = new BrowserWindow({
    kiosk: true,
    fullscreen: true,
    autoHideMenuBar: true,
    backgroundColor: '#ffffff',
    webPreferences: {
      preload: options.preload,
      additionalArguments: [`--counterproof-version=${options.version}`],
      partition: PARTITION,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false, // would send words to a dictionary server
      devTools: options.devTools,
    },
  })
  const { webContents: contents } = window
  lockSession(contents.session, ourOrigin)
  lockContents(contents, ourOrigin)

  const load = async (): Promise<void> => {
    // A page that does not load is tried again below; the event says so, the promise too.
    await window.loadURL(address ?? STARTING).catch(() => undefined)
  }
  const reload = (): void => {
    setTimeout(() => {
      if (!window.isDestroyed()) void load()
    }, RELOAD_MS)
  }
  contents.on('render-process-gone', reload)
  contents.on('did-fail-load', (_event, _code, _description, _url, isMainFrame) => {
    if (isMainFrame) reload()
  })
  window.on('close', (event) => event.preventDefault()) // Alt+F4; only `close()` below ends it
  window.on('unresponsive', () => contents.forcefullyCrashRenderer()) // which is then gone, and reloaded
  void load()

  return {
    async show(url) {
      address = url
      await forget(contents.session)
      await load()
    },
    close() {
      if (!window.isDestroyed()) window.destroy()
    },
  }
}

async function forget(session: Session): Promise<void> {
  await Promise.all([session.clearStorageData(), session.clearCache(), session.clearAuthCache()])
}
