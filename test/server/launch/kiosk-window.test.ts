/**
 * Device test: the real Chromium on a real X screen (Xvfb), kept open as `npm start` keeps it. Keys are pressed as a
 * keyboard presses them, through libXtst; skipped where one of the three is not installed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { chromiumArguments, createProfile, findChromium } from '../../../server/launch/chromium.ts'
import { type KeptWindow, keepWindow, type Launch } from '../../../server/launch/keep-window.ts'
import { silentLog } from '../../../server/log.ts'
import { hasXScreen, startXScreen, type XScreen } from '../../support/x-screen.ts'

const chromium = findChromium(process.env)
const isInstalled = chromium !== null && hasXScreen
const SCREEN = { width: 1080, height: 1920 }
const TITLE = 'Kiosk under test'
/** Tells which keys reach the page and how large it is. */
const PAGE = `<!doctype html><title>${TITLE}</title><body><script>
  const say = (what) => fetch('/say?' + new URLSearchParams(what))
  for (const name of ['load', 'resize']) addEventListener(name, () => say({ name, width: innerWidth, height: innerHeight }))
  addEventListener('keydown', (event) => say({ key: event.key }))
</script>`

let server: Server
let address: string
let x: XScreen
let kept: KeptWindow | undefined
const said: Record<string, string>[] = []
const requested: string[] = []
const browsers: ChildProcess[] = []
const profiles: string[] = []

async function prepare(): Promise<Launch> {
  const profile = await createProfile(address, address)
  profiles.push(profile)
  const args = chromiumArguments(address, profile, SCREEN, process.getuid?.() === 0)
  return { how: 'chromium', command: chromium!, args, profile }
}

/** Titles of all windows that a person could see. */
function windows(): string[] {
  const tree = execFileSync('xwininfo', ['-display', x.display, '-root', '-tree'], { encoding: 'utf8' })
  return tree
    .split('\n')
    .flatMap((line) => /^\s+0x\S+ "(.*)": .*?(\d+)x(\d+)\+/.exec(line)?.slice(1) ?? [])
    .flatMap((_, index, all) => (index % 3 === 0 && Number(all[index + 1]) > 250 ? [all[index] ?? ''] : []))
}

const press = (...keys: string[]) => x.press(...keys)
const loads = () => said.filter(({ name }) => name === 'load')
const soon = { timeout: 100_000, interval: 200 }

describe.skipIf(!isInstalled)('the kiosk in a real window', () => {
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
      requested.push(pathname)
      if (pathname === '/say') said.push(Object.fromEntries(searchParams))
      response.setHeader('content-type', 'text/html').end(pathname === '/kiosk/' ? PAGE : '')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kiosk/`
    x = await startXScreen(SCREEN, soon)
    kept = keepWindow(await prepare(), {
      prepare,
      spawn: (command, args) => {
        const env = { ...process.env, DISPLAY: x.display }
        const child = spawn(command, args, { stdio: 'ignore', detached: true, env })
        browsers.push(child)
        return child
      },
      tell: () => undefined,
      log: silentLog,
    })
    await vi.waitFor(() => expect(loads()).toHaveLength(1), soon)
  })

  afterAll(async () => {
    await kept?.close()
    x?.close()
    server?.closeAllConnections()
    server?.close()
  })

  test('fills the screen', { timeout: 180_000 }, async () => {
    await vi.waitFor(() => {
      const last = said.findLast(({ height }) => height !== undefined)
      // Chromium leaves a line of one pixel under bare X; a bar of tabs or an address would take 80.
      expect(Number(last?.width)).toBeGreaterThanOrEqual(SCREEN.width - 2)
      expect(Number(last?.height)).toBeGreaterThanOrEqual(SCREEN.height - 2)
    }, soon)
  })

  test(
    'is left by no key: no tab, no window, no tools, no files, no other page',
    { timeout: 180_000 },
    async () => {
      press('a')
      await vi.waitFor(() => expect(said).toContainEqual({ key: 'a' }), soon)
      const before = windows()
      press(
        ...[
          'F12',
          'Control_L+t',
          'Control_L+n',
          'Control_L+Shift_L+n',
          'Control_L+h',
          'Control_L+j',
          'F1',
          'F11',
        ],
        ...[
          'Control_L+o',
          'Control_L+s',
          'Control_L+p',
          'Control_L+u',
          'Control_L+l',
          'Alt_L+Home',
          'Control_L+plus',
        ],
      )
      expect(windows()).toEqual(before)
      expect(before.filter((title) => title.includes(TITLE))).toHaveLength(1)
      // And it is still the page that is seen and that gets the keys.
      press('b')
      await vi.waitFor(() => expect(said).toContainEqual({ key: 'b' }), soon)
      const others = requested.filter((path) => !['/kiosk/', '/say', '/favicon.ico'].includes(path))
      expect(others).toEqual([])
    },
  )

  test('is there again, with an empty profile, after it was killed', { timeout: 180_000 }, async () => {
    const before = loads().length
    browsers.at(-1)!.kill('SIGKILL')
    await vi.waitFor(() => expect(loads().length).toBeGreaterThan(before), soon)
    expect(browsers).toHaveLength(2)
  })

  test('is gone with the server, with every process of it', { timeout: 180_000 }, async () => {
    await kept?.close()
    const left = (): string[] => {
      const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
      return pids.filter((pid) => profiles.some((profile) => commandOf(pid).includes(profile)))
    }
    expect(profiles).toHaveLength(2)
    // The browser's helpers end themselves once it has gone, on a busy machine a moment later.
    await expect.poll(left).toEqual([])
  })
})

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
