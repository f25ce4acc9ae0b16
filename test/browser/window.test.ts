/**
 * The window as `npm start` opens it: Debian's Chromium on a real X screen, in front of a whole appliance whose kiosk answers
 * this window alone. Skipped where the machine lacks Chromium, Xvfb or libXtst.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findChromium } from '../../server/launch/chromium.ts'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { type FirstScreen, showFirstScreen } from '../../server/launch/screen.ts'
import { requestSecret, openWindowSocket, type WindowSocket } from '../../server/launch/window-socket.ts'
import { silentLog } from '../../server/log.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { hasXScreen, startXScreen, type XScreen } from '../support/x-screen.ts'

const chromium = findChromium(process.env)
const SCREEN = { width: 1080, height: 1920 }
const SOON = { timeout: 100_000, interval: 200 }
const TEST_MS = 240_000

describe.skipIf(chromium === null || !hasXScreen)('the window that the appliance opens', () => {
  let folder: string
  let app: TestApp
  let socket: WindowSocket
  let x: XScreen
  let screen: FirstScreen
  const secrets: string[] = []
  const windows: ChildProcess[] = []

  beforeAll(async () => {
    const screensDir = process.env.KIOSK_SCREENS ?? (await ensureRendererBuilt())
    folder = mkdtempSync(join(tmpdir(), 'window-'))
    app = await startTestApp({ screensDir, vision: scriptedVision(), kioskWindow: 'appliance' })
    const path = join(folder, 'kiosk.sock')
    socket = await openWindowSocket(path, () => app.appliance.newWindowSecret())
    x = await startXScreen(SCREEN, SOON)
    screen = await showFirstScreen(
      { url: app.url, socket: path, log: silentLog },
      {
        env: { DISPLAY: x.display },
        isRoot: process.getuid?.() === 0,
        findElectron: () => null,
        findChromium: () => chromium,
        readScreenSize: () => SCREEN,
        requestSecret: async (at) => {
          const secret = await requestSecret(at)
          secrets.push(secret ?? '')
          return secret
        },
        prepareShell: async () => '',
        spawn: (command, args) => {
          const env = { ...process.env, DISPLAY: x.display }
          const child = spawn(command, args, { stdio: 'ignore', detached: true, env })
          windows.push(child)
          return child
        },
        tell: () => undefined,
      },
    )
  }, TEST_MS)

  afterAll(async () => {
    await screen?.close()
    x?.close()
    await socket?.close()
    await app?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const admitted = () => app.log().split('a kiosk window was admitted').length - 1
  const visits = () =>
    app.appliance.store.visits.list({ since: new Date(0), until: new Date(8.64e15) }).length
  const begin = () => {
    // The first button of the welcome; the touch before it may have hit one already.
    x.press('Tab', 'Return')
  }

  test(
    'is let in by its secret, which is on no command line, and carries a visit',
    { timeout: TEST_MS },
    async () => {
      await vi.waitFor(() => expect(admitted()).toBe(1), SOON)
      expect(secrets).toHaveLength(1)
      const line = readFileSync(`/proc/${windows[0].pid}/cmdline`, 'utf8')
      expect(line).toContain('--kiosk')
      expect(line).not.toContain(secrets[0])
      await vi.waitFor(
        () => {
          begin()
          expect(visits()).toBeGreaterThan(0)
        },
        { ...SOON, interval: 2000 },
      )
    },
  )

  test('is alone: another browser of this machine is refused', async () => {
    const { url } = app
    const headers = { origin: url, 'content-type': 'application/json' }
    const body = JSON.stringify({ secret: secrets[0] })
    const late = await fetch(`${url}/kiosk/api/window`, { method: 'POST', headers, body })
    expect(late.status).toBe(403)
    expect((await fetch(`${url}/kiosk/api/journey`)).status).toBe(403)
  })

  test('comes back after a crash with a secret of its own', { timeout: TEST_MS }, async () => {
    windows[0].kill('SIGKILL')
    await vi.waitFor(() => expect(admitted()).toBe(2), SOON)
    expect(new Set(secrets).size).toBe(2)
  })

  test(
    'closes when the appliance takes it for another one, and comes back as the right one',
    { timeout: TEST_MS },
    async () => {
      // Another window gets in: the present one is refused from now on.
      const { url } = app
      const headers = { origin: url, 'content-type': 'application/json' }
      const body = JSON.stringify({ secret: app.appliance.newWindowSecret() })
      expect((await fetch(`${url}/kiosk/api/window`, { method: 'POST', headers, body })).status).toBe(204)
      await vi.waitFor(() => expect(admitted()).toBe(4), { ...SOON, timeout: 150_000 })
      expect(windows).toHaveLength(3)
    },
  )
})
