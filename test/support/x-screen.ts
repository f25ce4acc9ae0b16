/** A real X screen (Xvfb) with a keyboard and touch input (libXtst), for tests of the real window. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { vi } from 'vitest'

/**
 * Keys such as `Control_L+t`, after a touch that gives the window the keyboard, because there is no window
 * manager.
 */
const KEYS = `
import ctypes, sys, time
x, t = ctypes.CDLL('libX11.so.6'), ctypes.CDLL('libXtst.so.6')
x.XOpenDisplay.restype, x.XStringToKeysym.restype = ctypes.c_void_p, ctypes.c_ulong
d = ctypes.c_void_p(x.XOpenDisplay(sys.argv[1].encode()))
t.XTestFakeMotionEvent(d, -1, 540, 900, 0)
for down in (1, 0): t.XTestFakeButtonEvent(d, 1, down, 0)
x.XSync(d, 0)
time.sleep(0.5)
for combination in sys.argv[2:]:
    codes = [x.XKeysymToKeycode(d, ctypes.c_ulong(x.XStringToKeysym(name.encode()))) for name in combination.split('+')]
    for code in codes: t.XTestFakeKeyEvent(d, code, 1, 0)
    for code in reversed(codes): t.XTestFakeKeyEvent(d, code, 0, 0)
    x.XSync(d, 0)
    time.sleep(0.7)
`
export const hasXScreen =
  spawnSync('Xvfb', ['-help']).error === undefined &&
  spawnSync('xwininfo', ['-version']).error === undefined &&
  spawnSync('python3', ['-c', "import ctypes; ctypes.CDLL('libXtst.so.6'); ctypes.CDLL('libX11.so.6')"])
    .status === 0

export interface XScreen {
  /** For the environment: `:217` */
  readonly display: string
  press(...keys: string[]): void
  close(): void
}

export async function startXScreen(
  size: { readonly width: number; readonly height: number },
  soon: { readonly timeout: number; readonly interval: number },
): Promise<XScreen> {
  const display = `:${200 + (process.pid % 300)}`
  const xvfb: ChildProcess = spawn('Xvfb', [display, '-screen', '0', `${size.width}x${size.height}x24`], {
    stdio: 'ignore',
  })
  await vi.waitFor(() => {
    if (spawnSync('xwininfo', ['-display', display, '-root']).status !== 0) throw new Error('no screen yet')
  }, soon)
  return {
    display,
    press: (...keys) => void execFileSync('python3', ['-c', KEYS, display, ...keys]),
    close: () => void xvfb.kill(),
  }
}
