/** Debian's Chromium as a kiosk: the binary, its profile and its switches. Starts nothing itself. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { profileParent } from './profile-folder.ts'

const BINARIES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The window size for screens without a window manager: Full HD, the usual kiosk panel. */
const USUAL_SCREEN = { width: 1920, height: 1080 } as const

// Chromium's content settings: CONTENT_SETTING_ALLOW, CONTENT_SETTING_BLOCK.
const ALLOW = 1
const BLOCK = 2
/** Permissions that no page ever gets, including our own. */
const NEVER = [
  'media_stream_mic',
  'notifications',
  'geolocation',
  'midi_sysex',
  'sensors',
  'hid_guard',
  'serial_guard',
  'usb_guard',
  'bluetooth_guard',
  'file_system_write_guard',
  'clipboard',
  'popups',
  'window_placement',
  'local_fonts',
  'idle_detection',
] as const
/** Chromium's preference `devtools.availability`: disabled. Managed policies enforce the same. */
const NO_TOOLS = 2

/** Chromium's preference `session.restore_on_startup`: the pages of `startup_urls`. */
const NAMED_PAGES = 4

/** The profile is in memory, and our screens are small. Starting value. */
const CACHE_BYTES = 32 * 1024 * 1024

export interface ScreenSize {
  readonly width: number
  readonly height: number
}

/** Absolute path of the first Chromium on PATH; null if there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string | null {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = BINARIES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return candidates.find(isExecutable) ?? null
}

/**
 * Creates an empty profile folder (0700), in memory if possible, in which only this origin may use the
 * camera: no question on the screen, no policy file, no switch that would permit everything to every page.
 * The first page is named here because its address has the secret of the window, and every user of the
 * machine can read a command line.
 */
export async function createProfile(url: string, firstPage: string): Promise<string> {
  const folder = await mkdtemp(join(profileParent(), 'counterproof-screen-'))
  const origin = `${new URL(url).origin},*`
  const preferences = {
    profile: {
      content_settings: { exceptions: { media_stream_camera: { [origin]: { setting: ALLOW } } } },
      default_content_setting_values: Object.fromEntries(NEVER.map((name) => [name, BLOCK])),
      password_manager_enabled: false,
    },
    session: { restore_on_startup: NAMED_PAGES, startup_urls: [firstPage] },
    devtools: { availability: NO_TOOLS },
    download: { prompt_for_download: false, default_directory: join(folder, 'downloads') },
    download_restrictions: 3, // all downloads are blocked
    signin: { allowed: false },
    search: { suggest_enabled: false },
    bookmark_bar: { show_on_all_tabs: false },
    credentials_enable_service: false,
    autofill: { enabled: false, profile_enabled: false, credit_card_enabled: false },
    translate: { enabled: false },
  }
  await mkdir(join(folder, 'Default'))
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences))
  // Ctrl+O and Ctrl+S would show the machine's files to the applicant.
  const machine = { select_file_dialogs: { allowed: false }, browser: { enabled_labs_experiments: [] } }
  await writeFile(join(folder, 'Local State'), JSON.stringify(machine))
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
    // Disables Ctrl+T, Ctrl+N, Ctrl+H and F1, which open more windows in kiosk mode (seen on Chromium 156).
    '--force-app-mode',
    `--user-data-dir=${profile}`,
    '--window-position=0,0', // without a window manager, --kiosk alone leaves a small window
    `--window-size=${screen.width},${screen.height}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--noerrdialogs',
    '--hide-crash-restore-bubble',
    '--deny-permission-prompts', // refuses every further permission without a question
    '--block-new-web-contents', // no window but this one
    // No host name except this machine's resolves, so that a link elsewhere does not work.
    `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${new URL(url).hostname}`,
    // Only requests of the page to our own server leave the browser.
    '--disable-background-networking',
    '--disable-breakpad',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-extensions',
    '--disable-component-extensions-with-background-pages',
    '--disable-client-side-phishing-detection',
    '--disable-sync',
    '--disable-features=Translate,MediaRouter,OptimizationHints,InterestFeedContentSuggestions,GlobalMediaControls',
    '--metrics-recording-only',
    '--no-pings',
    '--enable-speech-dispatcher', // without it Chromium on Linux finds no voices
    '--kiosk-printing', // a receipt goes to the one printer, without a dialog
    '--autoplay-policy=no-user-gesture-required', // tones and speech must work without a touch
    `--disk-cache-size=${CACHE_BYTES}`,
    '--password-store=basic', // the profile lives as long as the window: no keyring is needed
    // Touch gestures must not zoom or leave the page.
    '--disable-pinch',
    '--overscroll-history-navigation=0',
    // Chromium refuses to run as root with its sandbox; all other users keep the sandbox.
    ...(isRoot ? ['--no-sandbox'] : []),
  ]
}

/**
 * Reads the size of the X screen with xdpyinfo; Full HD if that fails. Wayland compositors fill the screen by
 * themselves.
 */
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
