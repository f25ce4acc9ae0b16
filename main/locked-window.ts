/**
 * One locked window: full screen on its display, no menu, no tools, tied to the server's origin, remembering nothing.
 * Electron's kiosk mode is only full screen on Linux and Windows: the operating system has to lock the session
 * (resources/kiosk). Owns: the window and its recovery. Never: what is shown in it, or when a visit ends.
 */
import { BrowserWindow, type Rectangle, type Session } from 'electron'
import type { KeyInput } from './keys.ts'
import { lockContents, lockSession, type OurOrigin } from './lock-down.ts'
import { restingPage, STARTING_PAGE } from './pages.ts'
import { watchVisits } from './visits.ts'

export interface LockedWindow {
  /** Shows a page of the server, with nothing left of whoever stood here before. */
  show(url: string): Promise<void>
  /** Nothing works: a page of our own, with a sentence for the staff. */
  rest(advice: string): Promise<void>
  /** The page again, and nothing left of the visit. */
  reload(): Promise<void>
  /** Onto a display; it may have moved, turned or changed its size. */
  place(bounds: Rectangle): void
  /** To the front, with the keyboard. */
  focus(): void
  close(): void
  /** For printing and for the prompt of staff. */
  readonly window: BrowserWindow
  readonly isOurs: (url: string) => boolean
}

export interface LockedWindowOptions {
  readonly preload: string
  readonly version: string
  /** Developer tools; never in a shipped kiosk. */
  readonly devTools: boolean
  /** In memory alone (no `persist:`): nothing of a visit reaches the disk. */
  readonly partition: 'kiosk' | 'counter'
  /** Null: wherever the system opens it. */
  readonly bounds: Rectangle | null
  /** What a page of the server is loaded with, asked for at every load. */
  readonly admit?: (url: string) => Promise<string>
  readonly onKey?: (input: KeyInput) => void
  /** The page crashed, hung or did not load. */
  readonly onRecovery?: (what: 'crashed' | 'hung' | 'not loaded') => void
}

const RELOAD_MS = 1000 // a page that crashes at once must not spin

export function openLockedWindow(options: LockedWindowOptions): LockedWindow {
  let address: string | null = null
  let page = STARTING_PAGE
  const ourOrigin: OurOrigin = () => (address === null ? null : new URL(address).origin)
  const window = new BrowserWindow({
    kiosk: true,
    fullscreen: true,
    autoHideMenuBar: true,
    backgroundColor: '#fbfaf6',
    ...options.bounds,
    webPreferences: {
      preload: options.preload,
      additionalArguments: [`--counterproof-version=${options.version}`],
      partition: options.partition,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false, // would send words to a dictionary server
      devTools: options.devTools,
    },
  })
  const { webContents: contents } = window
  lockSession(contents.session, ourOrigin)
  lockContents(contents, ourOrigin, options.devTools)
  if (options.partition === 'kiosk') watchVisits(contents.session)
  contents.on('before-input-event', (_event, input) => options.onKey?.(input))

  const load = async (): Promise<void> => {
    const asked = page
    const admitted = asked === address && options.admit ? await options.admit(asked) : asked
    // Another page was asked for meanwhile.
    if (asked !== page || window.isDestroyed()) return
    // A page that does not load is tried again below; the event says so, the promise too.
    await window.loadURL(admitted).catch(() => undefined)
  }
  const reloadSoon = (what: Parameters<NonNullable<LockedWindowOptions['onRecovery']>>[0]): void => {
    options.onRecovery?.(what)
    setTimeout(() => {
      if (!window.isDestroyed()) void load()
    }, RELOAD_MS)
  }
  contents.on('render-process-gone', () => reloadSoon('crashed'))
  contents.on('did-fail-load', (_event, code, _description, _url, isMainFrame) => {
    // -3: given up for a newer load (net::ERR_ABORTED), which has its own end.
    if (isMainFrame && code !== -3) reloadSoon('not loaded')
  })
  window.on('close', (event) => event.preventDefault()) // Alt+F4; only `close()` below ends it
  window.on('unresponsive', () => {
    options.onRecovery?.('hung')
    contents.forcefullyCrashRenderer() // which is then gone, and reloaded
  })
  void load()

  return {
    window,
    isOurs: (url) => ourOrigin() !== null && URL.canParse(url) && new URL(url).origin === ourOrigin(),
    async show(url) {
      address = url
      page = url
      await forget(contents.session)
      await load()
    },
    async rest(advice) {
      address = null
      page = restingPage(advice)
      await load()
      await forget(contents.session)
    },
    async reload() {
      await forget(contents.session)
      await load()
    },
    place(bounds) {
      if (window.isDestroyed()) return
      // A window in kiosk mode does not move.
      window.setKiosk(false)
      window.setBounds(bounds)
      window.setKiosk(true)
    },
    focus() {
      if (window.isDestroyed()) return
      window.show()
      window.focus()
    },
    close() {
      if (!window.isDestroyed()) window.destroy()
    },
  }
}

async function forget(session: Session): Promise<void> {
  await Promise.all([
    session.clearStorageData(),
    session.clearCache(),
    session.clearAuthCache(),
    session.clearCodeCaches({}),
    session.clearHostResolverCache(),
  ])
}
