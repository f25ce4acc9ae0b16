/**
 * The part of Electron that the shell uses, recording its calls. The real one cannot be imported in plain
 * Node.
 */
import { EventEmitter } from 'node:events'
import { vi } from 'vitest'

export class FakeSession {
  requestHandler: ((...args: never[]) => void) | null = null
  checkHandler: ((...args: never[]) => boolean) | null = null
  deviceHandler: (() => boolean) | null = null
  readonly events = new EventEmitter()
  readonly clearStorageData = vi.fn(async () => undefined)
  readonly clearCache = vi.fn(async () => undefined)
  readonly clearAuthCache = vi.fn(async () => undefined)
  readonly clearCodeCaches = vi.fn(async () => undefined)
  readonly clearHostResolverCache = vi.fn(async () => undefined)
  readonly setSpellCheckerEnabled = vi.fn()
  readonly cookies = new EventEmitter()
  pairingHandler: ((details: unknown, answer: (response: { confirmed: boolean }) => void) => void) | null =
    null
  setBluetoothPairingHandler(handler: FakeSession['pairingHandler']) {
    this.pairingHandler = handler
  }
  setPermissionRequestHandler(handler: (...args: never[]) => void) {
    this.requestHandler = handler
  }
  setPermissionCheckHandler(handler: (...args: never[]) => boolean) {
    this.checkHandler = handler
  }
  setDevicePermissionHandler(handler: () => boolean) {
    this.deviceHandler = handler
  }
  setDisplayMediaRequestHandler() {}
  on(name: string, listener: (...args: unknown[]) => void) {
    this.events.on(name, listener)
  }

  /** Returns the answer to a page's request. */
  asks(permission: string, requestingUrl: string, mediaTypes?: string[]): boolean {
    let answer: boolean | undefined
    const request = this.requestHandler as unknown as (...args: unknown[]) => void
    request(null, permission, (granted: boolean) => (answer = granted), { requestingUrl, mediaTypes })
    return answer === true
  }
  checks(permission: string, origin: string, mediaType?: string): boolean {
    const check = this.checkHandler as unknown as (...args: unknown[]) => boolean
    return check(null, permission, origin, { mediaType })
  }
}

export class FakeContents extends EventEmitter {
  readonly session = new FakeSession()
  openHandler: (() => { action: string }) | null = null
  readonly forcefullyCrashRenderer = vi.fn()
  readonly setZoomFactor = vi.fn()
  readonly setVisualZoomLevelLimits = vi.fn(async () => undefined)
  readonly closeDevTools = vi.fn()
  readonly mainFrame = { url: '' }
  printAnswer: { success: boolean; reason: string } = { success: true, reason: '' }
  readonly print = vi.fn((_options: unknown, done: (success: boolean, reason: string) => void) =>
    done(this.printAnswer.success, this.printAnswer.reason),
  )
  setWindowOpenHandler(handler: () => { action: string }) {
    this.openHandler = handler
  }

  /** True when the page may go there. */
  mayGo(event: 'will-navigate' | 'will-redirect' | 'will-frame-navigate', url: string): boolean {
    const preventDefault = vi.fn()
    this.emit(event, { url, preventDefault })
    return preventDefault.mock.calls.length === 0
  }

  /** True when the page gets the key. */
  getsKey(input: { key: string } & Record<string, unknown>): boolean {
    const preventDefault = vi.fn()
    this.emit('before-input-event', { preventDefault }, { type: 'keyDown', ...input })
    return preventDefault.mock.calls.length === 0
  }
}

export class FakeWindow extends EventEmitter {
  static opened: FakeWindow[] = []
  readonly webContents = new FakeContents()
  readonly loaded: string[] = []
  readonly options: { webPreferences: Record<string, unknown> } & Record<string, unknown>
  destroyed = false
  constructor(options: FakeWindow['options']) {
    super()
    this.options = options
    FakeWindow.opened.push(this)
  }
  static getAllWindows() {
    return FakeWindow.opened.filter(({ destroyed }) => !destroyed)
  }
  readonly setKiosk = vi.fn()
  readonly setBounds = vi.fn()
  readonly show = vi.fn()
  readonly focus = vi.fn()
  async loadURL(url: string) {
    this.loaded.push(url)
    this.webContents.mainFrame.url = url
  }
  isDestroyed() {
    return this.destroyed
  }
  destroy() {
    this.destroyed = true
  }
}

export class FakeApp extends EventEmitter {
  hasLock = true
  readonly exit = vi.fn()
  readonly relaunch = vi.fn()
  /** True once the application would really end. */
  ended = false
  requestSingleInstanceLock() {
    return this.hasLock
  }
  async whenReady() {}
  getVersion() {
    return '0.1.0'
  }
  quit() {
    let prevented = false
    this.emit('before-quit', { preventDefault: () => (prevented = true) })
    this.ended = !prevented
  }
}

/** Keeps secrets by turning them round: enough to see that what is stored is not the secret. */
export class FakeSafeStorage {
  available = true
  backend = 'gnome_libsecret'
  isEncryptionAvailable() {
    return this.available
  }
  getSelectedStorageBackend() {
    return this.backend
  }
  encryptString(text: string) {
    return Buffer.from(`wrapped:${[...text].reverse().join('')}`)
  }
  decryptString(bytes: Buffer) {
    const text = bytes.toString()
    if (!text.startsWith('wrapped:')) throw new Error('cannot decrypt')
    return [...text.slice('wrapped:'.length)].reverse().join('')
  }
}

/** The calls of a page's preload. */
export class FakeIpcMain {
  readonly handlers = new Map<string, (event: unknown, message: unknown) => unknown>()
  handle(channel: string, handler: (event: unknown, message: unknown) => unknown) {
    this.handlers.set(channel, handler)
  }
  /** Calls as the page in this window, or as another sender. */
  call(channel: string, contents: FakeContents, message?: unknown, frame: unknown = contents.mainFrame) {
    return this.handlers.get(channel)?.({ sender: contents, senderFrame: frame }, message)
  }
}

export class FakeScreen extends EventEmitter {
  displays = [{ bounds: { x: 0, y: 0, width: 1080, height: 1920 } }]
  getAllDisplays() {
    return this.displays
  }
}

export const electron = {
  ipcMain: new FakeIpcMain(),
  ipcRenderer: { invoke: vi.fn() },
  screen: new FakeScreen(),
  powerMonitor: new EventEmitter(),
  powerSaveBlocker: { start: vi.fn() },
  BrowserWindow: FakeWindow,
  Menu: { setApplicationMenu: vi.fn() },
  dialog: { showErrorBox: vi.fn() },
  safeStorage: new FakeSafeStorage(),
  contextBridge: { exposeInMainWorld: vi.fn(), executeInMainWorld: vi.fn() },
}
