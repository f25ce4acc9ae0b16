/** The shell's life: one window, one server, in that order; both gone at the end. No business rule lives here. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type App, dialog, Menu, safeStorage } from 'electron'
import { createKeyCustody } from './key-custody.ts'
import { type KioskWindow, openKioskWindow } from './kiosk-window.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { findPinnedNode, pinsShellCustody, type ShellSettings } from './settings.ts'
import { StartRefusal } from './start-refusal.ts'

export interface ShellFiles {
  /** Installation root: holds server/ and node_modules/. */
  readonly root: string
  readonly preload: string
}

const FIRST_PAGE = '/kiosk/'
const START = ['start', '--no-window', '--port', '0'] as const

export async function runShell(app: App, settings: ShellSettings, files: ShellFiles): Promise<void> {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  await app.whenReady()
  Menu.setApplicationMenu(null) // with it go the shortcuts for tools, zoom and reload
  const window = openKioskWindow({
    preload: files.preload,
    version: app.getVersion(),
    devTools: settings.devTools,
  })
  if (settings.attach !== null) {
    app.on('before-quit', () => window.close())
    show(window, settings.attach)
    return
  }
  const server = startServer(app, settings, files, window)
  if (server) stopTogether(app, server, window)
}

/** A window that cannot forget the last visit is not shown to the next. */
function show(window: KioskWindow, url: string): void {
  window
    .show(url)
    .catch(() => tell('the last visit could not be cleared away; the first screen stays closed'))
}

function tell(message: string): void {
  process.stderr.write(`shell: ${message}\n`)
}

/** Null, after telling why and quitting, when the server cannot be started at all. */
function startServer(app: App, { dataDir }: ShellSettings, { root }: ShellFiles, window: KioskWindow) {
  try {
    const node = findPinnedNode(root, process.env, process.arch)
    if (node === null) throw new StartRefusal('The pinned Node is missing: run npm ci, or set NODE_BINARY.')
    return startServerProcess({
      node,
      script: join(root, 'server', 'run.mjs'),
      args: [...START, '--data', dataDir],
      masterKey: pinsShellCustody(dataDir) ? openCustody(dataDir) : null,
      spawn,
      onReady: (url) => show(window, new URL(FIRST_PAGE, url).href),
      onTrouble: tell,
    })
  } catch (error) {
    if (!(error instanceof StartRefusal)) throw error
    dialog.showErrorBox('Counterproof cannot start', error.message)
    app.exit(1)
    return null
  }
}

/** Unwraps once now, so that a key that cannot be had stops the start; and again for every restart. */
function openCustody(dataDir: string): () => string {
  const custody = createKeyCustody(safeStorage, process.platform, {
    wrappedKey: join(dataDir, 'keys', 'kek.wrapped'),
    database: join(dataDir, 'appliance.sqlite'),
  })
  custody.unwrap()
  return () => custody.unwrap()
}

/** Quitting waits until the server has finished its work. */
function stopTogether(app: App, server: ServerProcess, window: KioskWindow): void {
  let stopped = false
  app.on('before-quit', (event) => {
    if (stopped) return
    event.preventDefault()
    window.close()
    void server.stop().then(() => {
      stopped = true
      app.quit()
    })
  })
}
