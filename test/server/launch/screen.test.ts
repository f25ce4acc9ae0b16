import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { findObstacle, type LaunchTools, showFirstScreen } from '../../../server/launch/screen.ts'
import { silentLog } from '../../../server/log.ts'
import { SOON } from '../../support/soon.ts'

const URL_OF_SERVER = 'http://127.0.0.1:8717'
const ADDRESS = `${URL_OF_SERVER}/kiosk/`
const SOCKET = '/run/user/1000/counterproof-window-1/kiosk.sock'

/** A machine with what is given on it; records what is started and said. */
function aMachine(has: Partial<LaunchTools> = {}) {
  const started: { command: string; args: readonly string[]; child: FakeChild }[] = []
  const said: string[] = []
  let asked = 0
  const tools: LaunchTools = {
    env: { DISPLAY: ':0' },
    isRoot: false,
    findElectron: () => null,
    findChromium: () => null,
    readScreenSize: () => ({ width: 1280, height: 800 }),
    prepareShell: async () => '/app/out/main/index.js',
    requestSecret: async () => `secret-${(asked += 1)}`,
    spawn: (command, args) => {
      const child = new FakeChild()
      started.push({ command, args, child })
      return child as unknown as ChildProcess
    },
    tell: (line) => said.push(line),
    ...has,
  }
  const show = (socket: string | null = SOCKET) =>
    showFirstScreen({ url: URL_OF_SERVER, socket, log: silentLog }, tools)
  return { started, said, show, tools }
}

/** Ends when it is asked to. */
class FakeChild extends EventEmitter {
  readonly signals: string[] = []
  kill(signal: string): boolean {
    this.signals.push(signal)
    queueMicrotask(() => this.emit('exit', 0))
    return true
  }
}

const chromium = { findChromium: () => '/usr/bin/chromium' }
const electron = { findElectron: () => '/opt/electron/electron' }

describe('the first screen', () => {
  test('is Electron where its binary is, pointed at the running server', async () => {
    const { started, show } = aMachine({ ...electron, ...chromium })
    const screen = await show()
    expect(screen.how).toBe('electron')
    expect(started).toHaveLength(1)
    expect(started[0]).toMatchObject({
      command: '/opt/electron/electron',
      args: [
        '/app/out/main/index.js',
        `--attach=${ADDRESS}`,
        `--window-socket=${SOCKET}`,
        expect.stringMatching(/^--user-data-dir=/),
      ],
    })
    await screen.close()
  })

  test('is Chromium in kiosk mode where there is no Electron', async () => {
    const { started, show } = aMachine(chromium)
    const screen = await show()
    expect(screen.how).toBe('chromium')
    const args = started[0].args
    expect(args.slice(0, 2)).toEqual(['--kiosk', '--force-app-mode'])
    // Every user of the machine can read a command line.
    expect(args.join(' ')).not.toMatch(/secret-1|\/kiosk\//)
    expect(args).toEqual(
      expect.arrayContaining([
        '--window-size=1280,800',
        '--window-position=0,0',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--kiosk-printing',
        '--block-new-web-contents',
        '--deny-permission-prompts',
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
        '--autoplay-policy=no-user-gesture-required',
      ]),
    )
    await screen.close()
  })

  test('keeps its sandbox and asks for no camera switch that would hold for every page', async () => {
    const { started, show } = aMachine(chromium)
    await (await show()).close()
    expect(
      started[0].args.filter((arg) => /no-sandbox|fake-ui|auto-accept|remote-debugging/.test(arg)),
    ).toEqual([])
  })

  test.each([
    ['Chromium', chromium],
    ['Electron', electron],
  ])('goes without the sandbox only as root (%s)', async (_, has) => {
    const { started, show } = aMachine({ ...has, isRoot: true })
    await (await show()).close()
    expect(started[0].args).toContain('--no-sandbox')
  })

  test('allows the camera to our origin alone, in a new profile that is gone with the window', async () => {
    const { started, show } = aMachine(chromium)
    const screen = await show()
    const profile = started[0].args.find((arg) => arg.startsWith('--user-data-dir='))!.split('=')[1]
    const preferences = JSON.parse(readFileSync(join(profile, 'Default', 'Preferences'), 'utf8')) as {
      profile: { content_settings: { exceptions: unknown }; default_content_setting_values: object }
      devtools: unknown
      session: unknown
      download_restrictions: number
    }
    expect(preferences.profile.content_settings.exceptions).toEqual({
      media_stream_camera: { 'http://127.0.0.1:8717,*': { setting: 1 } },
    })
    expect(preferences.profile.default_content_setting_values).toMatchObject({
      media_stream_mic: 2,
      notifications: 2,
      hid_guard: 2,
      serial_guard: 2,
    })
    expect(preferences).toMatchObject({ devtools: { availability: 2 }, download_restrictions: 3 })
    expect(preferences.session).toEqual({
      restore_on_startup: 4,
      startup_urls: [`${ADDRESS}#window=secret-1`],
    })
    const machine = JSON.parse(readFileSync(join(profile, 'Local State'), 'utf8')) as unknown
    expect(machine).toMatchObject({ select_file_dialogs: { allowed: false } })
    await screen.close()
    await screen.close()
    expect(existsSync(profile)).toBe(false)
    expect(started[0].child.signals[0]).toBe('SIGTERM')
  })

  test('is an address and the package to install where there is no browser', async () => {
    expect(findObstacle(aMachine().tools)).toContain('apt install chromium')
  })

  test('is an address where there is no display', async () => {
    expect(findObstacle(aMachine({ ...chromium, env: {} }).tools)).toMatch(/no display/)
    expect(findObstacle(aMachine(chromium).tools)).toBeNull()
  })

  test('opens on Wayland too', async () => {
    const { show } = aMachine({ ...chromium, env: { WAYLAND_DISPLAY: 'wayland-0' } })
    const screen = await show()
    expect(screen.how).toBe('chromium')
    await screen.close()
  })

  test('opens nothing with --no-window, and says where both pages are', async () => {
    const { said, started, show } = aMachine({ ...electron, ...chromium })
    expect((await show(null)).how).toBe('url')
    expect(started).toEqual([])
    expect(said).toHaveLength(1)
    // Both under one name: browsers offer no passkey to an IP address.
    const named = URL_OF_SERVER.replace('127.0.0.1', 'localhost')
    expect(said[0]).toContain(`Kiosk:   ${named}/kiosk/`)
    expect(said[0]).toContain(`Counter: ${named}/counter/`)
  })

  test('that cannot be prepared leaves the server with its address', async () => {
    const prepareShell = async () => {
      throw new Error('no disk space')
    }
    const { said, show } = aMachine({ ...electron, prepareShell })
    expect((await show()).how).toBe('url')
    expect(said[1]).toContain('--no-window')
  })

  test('that gets no secret is not opened', async () => {
    const requestSecret = async () => {
      throw new Error('ECONNREFUSED')
    }
    const { started, show } = aMachine({ ...chromium, requestSecret })
    expect((await show()).how).toBe('url')
    expect(started).toEqual([])
  })

  test('that does not open leaves the server with its address', async () => {
    const { said, started, show } = aMachine(chromium)
    const another = await show()
    started[0].child.emit('error', new Error('ENOENT'))
    await another.close()
    expect(said).toHaveLength(2)
    expect(said[1]).toContain('--no-window')
  })
})

describe('a first screen that ends', () => {
  const fakeTimers = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    return () => vi.useRealTimers()
  }
  const profileOf = (args: readonly string[]) =>
    args.find((arg) => arg.startsWith('--user-data-dir='))!.split('=')[1]

  test('is there again a second later, in a new profile, and the old one is gone', async () => {
    const restore = fakeTimers()
    const { said, started, show } = aMachine(chromium)
    const screen = await show()
    started[0].child.emit('exit', null, 'SIGKILL')
    await vi.advanceTimersByTimeAsync(999)
    expect(started).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    restore()
    await vi.waitFor(() => expect(started).toHaveLength(2), SOON)
    const [before, after] = started.map(({ args }) => profileOf(args))
    expect(after).not.toBe(before)
    await vi.waitFor(() => expect(existsSync(before)).toBe(false), SOON)
    expect(said[1]).toContain('opens again in 1 s')
    await screen.close()
    expect(existsSync(after)).toBe(false)
  })

  test('over and over is left at that, with its address', async () => {
    const restore = fakeTimers()
    const { said, started, show } = aMachine(chromium)
    const screen = await show()
    for (const pause of [1, 2, 4, 8]) {
      started.at(-1)!.child.emit('exit', 1)
      expect(said.at(-1)).toContain(`opens again in ${pause} s`)
      const count = started.length
      await vi.advanceTimersByTimeAsync(pause * 1000)
      await vi.waitUntil(() => started.length === count + 1, SOON)
    }
    started.at(-1)!.child.emit('exit', 1)
    await vi.advanceTimersByTimeAsync(600_000)
    restore()
    expect(started).toHaveLength(5)
    expect(said.at(-1)).toContain('--no-window')
    await screen.close()
  })

  test('because it was closed with the server does not come back', async () => {
    const restore = fakeTimers()
    const { started, show } = aMachine(chromium)
    const screen = await show()
    await screen.close()
    await vi.advanceTimersByTimeAsync(600_000)
    restore()
    expect(started).toHaveLength(1)
  })
})
