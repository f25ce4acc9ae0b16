/** As much of Electron as the shell uses, recording what it is told. The real one cannot be imported in plain Node. */
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

  /** What the page is told when it asks. */
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
  setWindowOpenHandler(handler: () => { action: string }) {
    this.openHandler = handler
  }

  /** True when the page may go there. */
  mayGo(event: 'will-navigate' | 'will-redirect' | 'will-frame-navigate', url: string): boolean {
    const preventDefault = vi.fn()
    this.emit(event, { url, preventDefault })
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
  async loadURL(url: string) {
    this.loaded.push(url)
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

export const electron = {
  BrowserWindow: FakeWindow,
  Menu: { setApplicationMenu: vi.fn() },
  dialog: { showErrorBox: vi.fn() },
  safeStorage: new FakeSafeStorage(),
  contextBridge: { exposeInMainWorld: vi.fn() },
}
