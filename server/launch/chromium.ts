/** Debian's Chromium as a kiosk: which binary, which profile, which switches. Starts nothing itself. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { profileParent } from './profile-folder.ts'

const BINARIES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A window size for screens that no window manager fills: Full HD, the usual kiosk panel. */
const USUAL_SCREEN = { width: 1920, height: 1080 } as const

// Of Chromium's content settings: CONTENT_SETTING_ALLOW, CONTENT_SETTING_BLOCK.
const ALLOW = 1
const BLOCK = 2
/** Asked by pages, and never granted: neither to our own page nor to another one. */
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
/** Of Chromium's preference `devtools.availability`: nowhere. Managed policies say the same for good. */
const NO_TOOLS = 2

/** Of Chromium's preference `session.restore_on_startup`: the pages of `startup_urls`. */
const NAMED_PAGES = 4

/** The profile lies in memory: our screens are small. Starting value. */
const CACHE_BYTES = 32 * 1024 * 1024

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
 * A new, empty profile folder (0700), in memory where there is such a place, in which the camera is allowed for this
 * origin and nothing is allowed to anyone else: no question on the screen, no policy file, no switch that would allow
 * every page everything. The first page is named here because its address carries the secret of the window, and every user
 * of the machine can read a command line.
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
    download_restrictions: 3, // all of them
    signin: { allowed: false },
    search: { suggest_enabled: false },
    bookmark_bar: { show_on_all_tabs: false },
    credentials_enable_service: false,
    autofill: { enabled: false, profile_enabled: false, credit_card_enabled: false },
    translate: { enabled: false },
  }
  await mkdir(join(folder, 'Default'))
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences))
  // Ctrl+O and Ctrl+S would show the machine's files to whoever stands before it.
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
    // Without it Ctrl+T, Ctrl+N, Ctrl+H and F1 open windows of their own in kiosk mode (seen on Chromium 156).
    '--force-app-mode',
    `--user-data-dir=${profile}`,
    '--window-position=0,0', // without a window manager, --kiosk alone leaves a small window
    `--window-size=${screen.width},${screen.height}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--noerrdialogs',
    '--hide-crash-restore-bubble',
    '--deny-permission-prompts', // what was not granted beforehand is refused without a question
    '--block-new-web-contents', // no window but this one
    // No name but this machine's means anything: a link to elsewhere leads nowhere.
    `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${new URL(url).hostname}`,
    // Nothing leaves the machine but what the page asks of our own server.
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
    '--enable-speech-dispatcher', // without it Chromium on Linux asks for no voice at all
    '--kiosk-printing', // a receipt goes to the one printer, without a dialog
    '--autoplay-policy=no-user-gesture-required', // tones and speech guide who does not touch anything
    `--disk-cache-size=${CACHE_BYTES}`,
    '--password-store=basic', // the profile lives as long as the window: no keyring to ask for
    // A finger on the glass must not zoom or leave the page.
    '--disable-pinch',
    '--overscroll-history-navigation=0',
    // Chromium refuses to run as root with its sandbox; nobody else goes without.
    ...(isRoot ? ['--no-sandbox'] : []),
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
