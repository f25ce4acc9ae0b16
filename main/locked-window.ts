/**
 * One locked window: full screen on its display, no menu, no tools, limited to the server's origin, without
 * persistent data. Electron's kiosk mode is only full screen on Linux and Windows: the operating system has
 * to lock the session (resources/kiosk). Owns: the window and its recovery. Never: its content, or when a
 * visit ends.
 */
import { BrowserWindow, type Rectangle, type Session } from 'electron'
import type { KeyInput } from './keys.ts'
import { lockContents, lockSession, type OurOrigin } from './lock-down.ts'
import { restingPage, STARTING_PAGE } from './pages.ts'
import { watchVisits } from './visits.ts'

export interface LockedWindow {
  /** Shows a page of the server, without any data of the previous applicant. */
  show(url: string): Promise<void>
  /** The server is down: shows a built-in page with a sentence for staff. */
  rest(advice: string): Promise<void>
  /** Reloads the page and deletes the data of the visit. */
  reload(): Promise<void>
  /** Moves the window to a display, which may have moved, turned or changed its size. */
  place(bounds: Rectangle): void
  /** Brings it to the front, with the keyboard. */
  focus(): void
  close(): void
  /** For printing and for the officers' prompt. */
  readonly window: BrowserWindow
  readonly isOurs: (url: string) => boolean
}

interface LockedWindowOptions {
  readonly preload: string
  readonly version: string
  /** Developer tools; never in a shipped kiosk. */
  readonly devTools: boolean
  /** Keeps the session in memory (no `persist:`), so that no data of a visit reaches the disk. */
  readonly partition: 'kiosk' | 'counter'
  /** Null: placed by the system. */
  readonly bounds: Rectangle | null
  /** Returns the address to load, for every load. */
  readonly admit?: (url: string) => Promise<string>
  readonly onKey?: (input: KeyInput) => void
  /** The page crashed, hung or did not load. */
  readonly onRecovery?: (what: 'crashed' | 'hung' | 'not loaded') => void
}

const RELOAD_MS = 1000 // a page that crashes immediately must not loop

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
      spellcheck: false, // it would send words to a dictionary server
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
    // Another page was requested meanwhile.
    if (asked !== page || window.isDestroyed()) return
    // A page that does not load is tried again below; the event reports it, and so does the promise.
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
    // -3 (net::ERR_ABORTED): replaced by a newer load, which has its own result.
    if (isMainFrame && code !== -3) reloadSoon('not loaded')
  })
  window.on('close', (event) => event.preventDefault()) // Alt+F4; only `close()` below ends it
  window.on('unresponsive', () => {
    options.onRecovery?.('hung')
    contents.forcefullyCrashRenderer() // its end triggers the reload
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
