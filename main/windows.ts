/**
 * The kiosk's window, and the counter's on another display if configured. Owns: the page of each display, and
 * the count of recoveries. Never: the server.
 */
import { type App, screen } from 'electron'
import { placeWindows } from './displays.ts'
import { createChord } from './keys.ts'
import { type LockedWindow, openLockedWindow } from './locked-window.ts'
import type { ShellConfig } from './settings.ts'
import type { ShellLog } from './shell-log.ts'
import { withSecret } from './window-secret.ts'

export interface Windows {
  /** Both windows show their page of this server. */
  show(url: string): void
  rest(advice: string): void
  /** The first screen without any data of a visit: after a pause of the machine, or by an officer. */
  reload(): void
  focus(): void
  close(): void
  all(): readonly LockedWindow[]
  recoveries(): number
}

interface WindowsOptions {
  readonly preload: string
  readonly devTools: boolean
  readonly config: ShellConfig
  /** The socket where the server issues window secrets; null: the kiosk's page is loaded without a secret. */
  readonly windowSocket: string | null
  readonly log: ShellLog
  readonly onChord: () => void
  /** So many recoveries in a short time that only a restart may help. */
  readonly onHopeless: () => void
}

const PAGES = { kiosk: '/kiosk/', counter: '/counter/' } as const
const RECOVERIES = 6
const WITHIN_MS = 600_000

export function openWindows(app: App, options: WindowsOptions): Windows {
  const { log, config, windowSocket } = options
  const wish = { kiosk: config.kioskDisplay, counter: config.counterDisplay }
  const isChord = createChord()
  let address: string | null = null
  let recovered: readonly number[] = []
  let count = 0

  const onRecovery = (window: string, what: string): void => {
    count++
    log.warn({ window, what, count }, 'a page is brought back')
    const now = performance.now()
    recovered = [...recovered.filter((at) => now - at < WITHIN_MS), now]
    if (recovered.length >= RECOVERIES) options.onHopeless()
  }
  const open = (partition: keyof typeof PAGES, bounds: Electron.Rectangle | null): LockedWindow =>
    openLockedWindow({
      preload: options.preload,
      version: app.getVersion(),
      devTools: options.devTools,
      partition,
      bounds,
      ...(partition === 'kiosk' && windowSocket !== null
        ? { admit: (page: string) => withSecret(page, windowSocket) }
        : {}),
      onKey: (input) => {
        if (isChord(input)) options.onChord()
      },
      onRecovery: (what) => onRecovery(partition, what),
    })

  const first = placeWindows(screen.getAllDisplays(), wish)
  const kiosk = open('kiosk', first.kiosk)
  let counter = first.counter ? open('counter', first.counter) : null

  /** If the window cannot delete the data of the last visit, the next page is not shown. */
  const showIn = (window: LockedWindow, page: string): void => {
    if (address === null) return
    window
      .show(new URL(page, address).href)
      .catch(() => log.warn({}, 'the last visit could not be cleared away; the first screen stays closed'))
  }
  const arrange = (): void => {
    const place = placeWindows(screen.getAllDisplays(), wish)
    if (place.kiosk) kiosk.place(place.kiosk)
    if (place.counter && counter) counter.place(place.counter)
    if (place.counter && !counter) {
      counter = open('counter', place.counter)
      showIn(counter, PAGES.counter)
    }
    if (!place.counter && counter) {
      counter.close()
      counter = null
    }
    log.info(
      { displays: screen.getAllDisplays().length, counter: counter !== null },
      'displays were arranged',
    )
  }
  screen.on('display-added', arrange)
  screen.on('display-removed', arrange)
  screen.on('display-metrics-changed', arrange)

  const all = (): readonly LockedWindow[] => (counter ? [kiosk, counter] : [kiosk])
  return {
    show(url) {
      address = url
      showIn(kiosk, PAGES.kiosk)
      if (counter) showIn(counter, PAGES.counter)
    },
    rest: (advice) => {
      address = null
      for (const window of all()) void window.rest(advice)
    },
    reload: () => {
      if (address !== null) showIn(kiosk, PAGES.kiosk)
    },
    focus: () => kiosk.focus(),
    close: () => {
      for (const window of all()) window.close()
    },
    all,
    recoveries: () => count,
  }
}
