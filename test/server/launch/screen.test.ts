import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type LaunchTools, showFirstScreen } from '../../../server/launch/screen.ts'
import { silentLog } from '../../../server/log.ts'

const URL_OF_SERVER = 'http://127.0.0.1:8717'
const ADDRESS = `${URL_OF_SERVER}/kiosk/`

/** A machine with what is given on it; records what is started and said. */
function aMachine(has: Partial<LaunchTools> = {}) {
  const started: { command: string; args: readonly string[]; child: FakeChild }[] = []
  const said: string[] = []
  const tools: LaunchTools = {
    env: { DISPLAY: ':0' },
    isRoot: false,
    findElectron: () => null,
    findChromium: () => null,
    readScreenSize: () => ({ width: 1280, height: 800 }),
    prepareShell: async () => '/app/out/main/index.js',
    spawn: (command, args) => {
      const child = new FakeChild()
      started.push({ command, args, child })
      return child as unknown as ChildProcess
    },
    tell: (line) => said.push(line),
    ...has,
  }
  const show = (noWindow = false) => showFirstScreen({ url: URL_OF_SERVER, noWindow, log: silentLog }, tools)
  return { started, said, show }
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
      args: ['/app/out/main/index.js', `--attach=${ADDRESS}`, expect.stringMatching(/^--user-data-dir=/)],
    })
    await screen.close()
  })

  test('is Chromium in kiosk mode where there is no Electron', async () => {
    const { started, show } = aMachine(chromium)
    const screen = await show()
    expect(screen.how).toBe('chromium')
    const args = started[0].args
    expect(args[0]).toBe('--kiosk')
    expect(args.at(-1)).toBe(ADDRESS)
    expect(args).toEqual(
      expect.arrayContaining([
        '--window-size=1280,800',
        '--window-position=0,0',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
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
      profile: { content_settings: { exceptions: unknown } }
    }
    expect(preferences.profile.content_settings.exceptions).toEqual({
      media_stream_camera: { 'http://127.0.0.1:8717,*': { setting: 1 } },
    })
    await screen.close()
    await screen.close()
    expect(existsSync(profile)).toBe(false)
    expect(started[0].child.signals[0]).toBe('SIGTERM')
  })

  test('is an address and the package to install where there is no browser', async () => {
    const { said, started, show } = aMachine()
    expect((await show()).how).toBe('url')
    expect(started).toEqual([])
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(ADDRESS)
    expect(said[0]).toContain('apt install chromium')
  })

  test('is an address where there is no display', async () => {
    const { said, started, show } = aMachine({ ...chromium, env: {} })
    expect((await show()).how).toBe('url')
    expect(started).toEqual([])
    expect(said[0]).toMatch(/no display/)
  })

  test('opens on Wayland too', async () => {
    const { show } = aMachine({ ...chromium, env: { WAYLAND_DISPLAY: 'wayland-0' } })
    const screen = await show()
    expect(screen.how).toBe('chromium')
    await screen.close()
  })

  test('opens nothing and says nothing with --no-window', async () => {
    const { said, started, show } = aMachine({ ...electron, ...chromium })
    expect((await show(true)).how).toBe('url')
    expect({ said, started }).toEqual({ said: [], started: [] })
  })

  test('that cannot be prepared leaves the server with its address', async () => {
    const prepareShell = async () => {
      throw new Error('no disk space')
    }
    const { said, show } = aMachine({ ...electron, prepareShell })
    expect((await show()).how).toBe('url')
    expect(said[0]).toContain(ADDRESS)
  })

  test('that is closed by hand, or does not open, leaves the server with its address', async () => {
    const { said, started, show } = aMachine(chromium)
    const screen = await show()
    started[0].child.emit('exit', 0)
    await screen.close()
    const another = await show()
    started[1].child.emit('error', new Error('ENOENT'))
    await another.close()
    expect(said).toHaveLength(2)
    expect(said.every((line) => line.includes(ADDRESS))).toBe(true)
  })
})
