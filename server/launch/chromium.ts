/** Debian's Chromium as a kiosk: which binary, which profile, which switches. Starts nothing itself. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const BINARIES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A window size for screens that no window manager fills: Full HD, the usual kiosk panel. */
const USUAL_SCREEN = { width: 1920, height: 1080 } as const

const ALLOW = 1 // CONTENT_SETTING_ALLOW of Chromium's content settings

export interface ScreenSize {
  readonly width: number
  readonly height: number
}

/** Absolute path of the first Chromium on PATH; null when there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string | null {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = BINARIES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return candidates.find(isExecutable) ?? null
}

/**
 * A new, empty profile folder (0700) in which the camera is allowed for this origin and nothing is allowed to anyone
 * else: no question on the screen, no policy file, no switch that would allow every page everything.
 */
export async function createProfile(url: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'counterproof-screen-'))
  const origin = `${new URL(url).origin},*`
  const preferences = {
    profile: { content_settings: { exceptions: { media_stream_camera: { [origin]: { setting: ALLOW } } } } },
    credentials_enable_service: false,
    autofill: { enabled: false, profile_enabled: false, credit_card_enabled: false },
    translate: { enabled: false },
  }
  await mkdir(join(folder, 'Default'))
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences))
  return folder
}

export function chromiumArguments(
  url: string,
  profile: string,
  screen: ScreenSize,
  isRoot: boolean,
): string[] {
  return [
    '--kiosk',
    `--user-data-dir=${profile}`,
    '--window-position=0,0', // without a window manager, --kiosk alone leaves a small window
    `--window-size=${screen.width},${screen.height}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--noerrdialogs',
    '--hide-crash-restore-bubble',
    // Nothing leaves the machine but what the page asks of our own server.
    '--disable-background-networking',
    '--disable-breakpad',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-extensions',
    '--disable-sync',
    '--disable-features=Translate,MediaRouter,OptimizationHints,InterestFeedContentSuggestions',
    '--metrics-recording-only',
    '--no-pings',
    '--password-store=basic', // the profile lives as long as the window: no keyring to ask for
    // A finger on the glass must not zoom or leave the page.
    '--disable-pinch',
    '--overscroll-history-navigation=0',
    // Chromium refuses to run as root with its sandbox; nobody else goes without.
    ...(isRoot ? ['--no-sandbox'] : []),
    url,
  ]
}

/** Size of the X screen as xdpyinfo tells it; Full HD where it cannot be asked. Wayland compositors fill by themselves. */
export function readScreenSize(env: NodeJS.ProcessEnv): ScreenSize {
  if (!env.DISPLAY) return USUAL_SCREEN
  try {
    const told = execFileSync('xdpyinfo', {
      env,
      encoding: 'utf8',
      timeout: 3000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return parseScreenSize(told) ?? USUAL_SCREEN
  } catch {
    return USUAL_SCREEN
  }
}

export function parseScreenSize(xdpyinfo: string): ScreenSize | null {
  const [, width, height] = /dimensions:\s+(\d+)x(\d+) pixels/.exec(xdpyinfo) ?? []
  return width && height ? { width: Number(width), height: Number(height) } : null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
