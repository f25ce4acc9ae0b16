import { beforeEach, describe, expect, test, vi } from 'vitest'
import { openLockedWindow } from '../../main/locked-window.ts'
import { electron, FakeWindow } from './fake-electron.ts'

vi.mock('electron', async () => (await import('./fake-electron.ts')).electron)

const SERVER = 'http://127.0.0.1:40001'
const open = (devTools = false, onRecovery?: (what: string) => void) => {
  const kiosk = openLockedWindow({
    preload: '/app/preload.cjs',
    version: '0.1.0',
    devTools,
    partition: 'kiosk',
    bounds: null,
    onRecovery,
  })
  return { kiosk, window: FakeWindow.opened.at(-1)! }
}

beforeEach(() => {
  FakeWindow.opened = []
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

describe('the kiosk window', () => {
  test('is full screen, sandboxed, isolated, without Node, tools or a disk', () => {
    const { window } = open()
    expect(window.options).toMatchObject({ kiosk: true })
    expect(window.options.webPreferences).toEqual({
      preload: '/app/preload.cjs',
      additionalArguments: ['--counterproof-version=0.1.0'],
      partition: 'kiosk', // no "persist:"
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: false,
    })
  })

  test('forgets everything of the last visit before it shows a server', async () => {
    const { kiosk, window } = open()
    const { session } = window.webContents
    session.clearStorageData.mockImplementationOnce(async () => {
      expect(window.loaded).not.toContain(`${SERVER}/kiosk/`)
    })
    await kiosk.show(`${SERVER}/kiosk/`)
    expect(session.clearStorageData).toHaveBeenCalledTimes(1)
    expect(session.clearCache).toHaveBeenCalledTimes(1)
    expect(window.loaded.at(-1)).toBe(`${SERVER}/kiosk/`)
  })

  test('gives only its own page the camera, and no page the microphone or another permission', async () => {
    const { kiosk, window } = open()
    const { session } = window.webContents
    expect(session.asks('media', `${SERVER}/kiosk/`, ['video'])).toBe(false) // no server yet
    await kiosk.show(`${SERVER}/kiosk/`)
    expect(session.asks('media', `${SERVER}/kiosk/`, ['video'])).toBe(true)
    expect(session.checks('media', SERVER, 'video')).toBe(true)
    expect(session.asks('media', `${SERVER}/kiosk/`, ['video', 'audio'])).toBe(false)
    expect(session.asks('media', `${SERVER}/kiosk/`, [])).toBe(false)
    expect(session.checks('media', SERVER, 'audio')).toBe(false)
    for (const other of [
      'http://127.0.0.1:40002/',
      'http://localhost:40001/',
      'https://127.0.0.1:40001/',
      'null',
    ]) {
      expect(session.asks('media', other, ['video'])).toBe(false)
      expect(session.checks('media', other, 'video')).toBe(false)
    }
    for (const permission of [
      'geolocation',
      'notifications',
      'clipboard-read',
      'fullscreen',
      'openExternal',
      'hid',
    ]) {
      expect(session.asks(permission, `${SERVER}/kiosk/`)).toBe(false)
      expect(session.checks(permission, SERVER)).toBe(false)
    }
    expect(session.deviceHandler?.()).toBe(false)
    const answers: unknown[] = []
    session.pairingHandler?.({}, (answer) => answers.push(answer))
    for (const chooser of ['select-hid-device', 'select-serial-port', 'select-usb-device'])
      session.events.emit(chooser, { preventDefault: vi.fn() }, [{ id: 'key' }], (id: string) =>
        answers.push(id),
      )
    expect(answers).toEqual([{ confirmed: false }, '', '', ''])
  })

  test('stays on our origin and opens no other window', async () => {
    const { kiosk, window } = open()
    const { webContents: contents } = window
    await kiosk.show(`${SERVER}/kiosk/`)
    for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate'] as const) {
      expect(contents.mayGo(event, `${SERVER}/kiosk/?lang=en`)).toBe(true)
      for (const url of [
        'https://example.org/',
        'file:///etc/passwd',
        'http://127.0.0.1:40002/',
        'javascript:1',
        'x',
      ]) {
        expect(contents.mayGo(event, url)).toBe(false)
      }
    }
    expect(contents.openHandler?.()).toEqual({ action: 'deny' })
    const download = { preventDefault: vi.fn() }
    contents.session.events.emit('will-download', download)
    expect(download.preventDefault).toHaveBeenCalled()
  })

  test('follows the server to a new port, and the old one is a stranger then', async () => {
    const { kiosk, window } = open()
    await kiosk.show(`${SERVER}/kiosk/`)
    await kiosk.show('http://127.0.0.1:40002/kiosk/')
    expect(window.webContents.session.asks('media', 'http://127.0.0.1:40002/kiosk/', ['video'])).toBe(true)
    expect(window.webContents.session.asks('media', `${SERVER}/kiosk/`, ['video'])).toBe(false)
  })

  test('comes back by itself when its page crashes, hangs or does not load', async () => {
    const { kiosk, window } = open()
    await kiosk.show(`${SERVER}/kiosk/`)
    const loads = () => window.loaded.filter((url) => url === `${SERVER}/kiosk/`).length
    window.webContents.emit('render-process-gone')
    await vi.runAllTimersAsync()
    expect(loads()).toBe(2)
    window.webContents.emit('did-fail-load', {}, -102, '', '', true)
    window.webContents.emit('did-fail-load', {}, -3, '', '', false) // a frame, not the page
    await vi.runAllTimersAsync()
    expect(loads()).toBe(3)
    window.emit('unresponsive')
    expect(window.webContents.forcefullyCrashRenderer).toHaveBeenCalled()
  })

  test('counts what it brings back, and leaves a load that a newer one replaced', async () => {
    const recoveries: string[] = []
    const { window } = open(false, (what) => recoveries.push(what))
    window.webContents.emit('render-process-gone')
    window.webContents.emit('did-fail-load', {}, -3, '', '', true)
    window.webContents.emit('did-fail-load', {}, -102, '', '', true)
    window.emit('unresponsive')
    expect(recoveries).toEqual(['crashed', 'not loaded', 'hung'])
  })

  test('shows a page of its own, which the camera is not for, when nothing works', async () => {
    const { kiosk, window } = open()
    await kiosk.show(`${SERVER}/kiosk/`)
    await kiosk.rest('For staff: <b>look</b>')
    const page = decodeURIComponent(window.loaded.at(-1)!)
    expect(page).toContain('Go to the counter')
    expect(page).toContain('For staff: &#60;b&#62;look')
    expect(window.webContents.session.asks('media', `${SERVER}/kiosk/`, ['video'])).toBe(false)
    expect(window.webContents.mayGo('will-navigate', `${SERVER}/kiosk/`)).toBe(false)
    window.webContents.emit('render-process-gone')
    await vi.runAllTimersAsync()
    expect(decodeURIComponent(window.loaded.at(-1)!)).toBe(page)
  })

  test('has no menu, no zoom and no tools, and lets them be for who develops it', () => {
    const { window } = open()
    const event = { preventDefault: vi.fn() }
    window.webContents.emit('context-menu', event)
    window.webContents.emit('will-attach-webview', event)
    expect(event.preventDefault).toHaveBeenCalledTimes(2)
    window.webContents.emit('zoom-changed')
    expect(window.webContents.setZoomFactor).toHaveBeenCalledWith(1)
    expect(window.webContents.setVisualZoomLevelLimits).toHaveBeenCalledWith(1, 1)
    window.webContents.emit('devtools-opened')
    expect(window.webContents.closeDevTools).toHaveBeenCalled()
    const { window: developed } = open(true)
    developed.webContents.emit('devtools-opened')
    expect(developed.webContents.closeDevTools).not.toHaveBeenCalled()
    expect(developed.webContents.getsKey({ key: 'F12' })).toBe(true)
    expect(window.webContents.getsKey({ key: 'F12' })).toBe(false)
    expect(window.webContents.getsKey({ key: 'a' })).toBe(true)
  })

  test('empties its memory when the visit has ended, and not while it continues', async () => {
    const { window } = open()
    const { session } = window.webContents
    const cookie = { name: 'visit', path: '/kiosk' }
    session.cookies.emit('changed', {}, cookie, 'explicit', false)
    session.cookies.emit('changed', {}, cookie, 'overwrite', true)
    session.cookies.emit('changed', {}, { ...cookie, path: '/counter' }, 'explicit', true)
    expect(session.clearStorageData).not.toHaveBeenCalled()
    session.cookies.emit('changed', {}, cookie, 'expired', true)
    expect(session.clearStorageData).toHaveBeenCalledTimes(1)
    // The next visit may have its cookie already.
    expect(JSON.stringify(session.clearStorageData.mock.calls)).not.toContain('cookies')
    expect(session.clearCache).toHaveBeenCalledTimes(1)
  })

  test('moves with its display, and comes to the front when it is called', () => {
    const { kiosk, window } = open()
    kiosk.place({ x: 1080, y: 0, width: 1920, height: 1080 })
    expect(window.setKiosk.mock.calls).toEqual([[false], [true]])
    expect(window.setBounds).toHaveBeenCalledWith({ x: 1080, y: 0, width: 1920, height: 1080 })
    kiosk.focus()
    expect(window.focus).toHaveBeenCalled()
    kiosk.close()
    kiosk.place({ x: 0, y: 0, width: 1, height: 1 })
    expect(window.setBounds).toHaveBeenCalledTimes(1)
  })

  test('cannot be closed by the person before it, only by the shell', () => {
    const { kiosk, window } = open()
    const event = { preventDefault: vi.fn() }
    window.emit('close', event)
    expect(event.preventDefault).toHaveBeenCalled()
    kiosk.close()
    expect(window.destroyed).toBe(true)
  })
})

test('the preload tells the page which shell it runs in, and gives it printing without a dialog, nothing else', async () => {
  const listeners: string[] = []
  vi.stubGlobal('window', { addEventListener: (name: string) => listeners.push(name) })
  process.argv.push('--counterproof-version=0.1.0')
  await import('../../main/preload.ts')
  process.argv.pop()
  vi.unstubAllGlobals()
  expect(electron.contextBridge.exposeInMainWorld.mock.calls).toEqual([
    ['counterproof', { shell: 'electron', version: '0.1.0', print: expect.any(Function) as unknown }],
  ])
  expect(electron.contextBridge.executeInMainWorld).toHaveBeenCalledTimes(1)
  expect(listeners).toEqual(['dragenter', 'dragover', 'drop'])
})
