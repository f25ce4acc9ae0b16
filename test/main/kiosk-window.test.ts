import { beforeEach, describe, expect, test, vi } from 'vitest'
import { openKioskWindow } from '../../main/kiosk-window.ts'
import { electron, FakeWindow } from './fake-electron.ts'

vi.mock('electron', async () => (await import('./fake-electron.ts')).electron)

const SERVER = 'http://127.0.0.1:40001'
const open = (devTools = false) => {
  const kiosk = openKioskWindow({ preload: '/app/preload.cjs', version: '0.1.0', devTools })
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
      webviewTag: false,
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

  test('lets our page alone have the camera, and nobody the microphone or anything else', async () => {
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

  test('cannot be closed by the person before it, only by the shell', () => {
    const { kiosk, window } = open()
    const event = { preventDefault: vi.fn() }
    window.emit('close', event)
    expect(event.preventDefault).toHaveBeenCalled()
    kiosk.close()
    expect(window.destroyed).toBe(true)
  })
})

test('the preload tells the page which shell it runs in, and gives it nothing to call', async () => {
  process.argv.push('--counterproof-version=0.1.0')
  await import('../../main/preload.ts')
  process.argv.pop()
  expect(electron.contextBridge.exposeInMainWorld.mock.calls).toEqual([
    ['counterproof', { shell: 'electron', version: '0.1.0' }],
  ])
})
