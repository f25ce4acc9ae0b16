/** The life cycle of the shell: windows, then one server; both end together. It contains no business rule. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type App, BrowserWindow, dialog, Menu, safeStorage, screen } from 'electron'
import { createAdminPrompt } from './admin-prompt.ts'
import type { AdminCommand } from './admin-words.ts'
import { createAdminGate, readCredential } from './credential.ts'
import { createKeyCustody } from './key-custody.ts'
import { watchPower } from './power.ts'
import { letPrint } from './printing.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { findPinnedNode, readShellConfig, type ShellConfig, type ShellSettings } from './settings.ts'
import { createShellLog, type ShellLog } from './shell-log.ts'
import { StartRefusal } from './start-refusal.ts'
import { newSocketPath } from './window-secret.ts'
import { openWindows, type Windows } from './windows.ts'

interface ShellFiles {
  /** Installation root: contains server/ and node_modules/. */
  readonly root: string
  readonly preload: string
  readonly adminPreload: string
}

const START = ['start', '--port', '0'] as const
const ADVICE =
  'For staff: the server of this machine does not stay up. Look at its log (journalctl -u counterproof -u ' +
  'counterproof-kiosk), its disk and its configuration. It is tried again every five minutes.'
/** Time limit for an answer of the server; longer than on a busy machine. */
const PULSE_TIMEOUT_MS = 10_000

export async function runShell(
  app: App,
  settings: ShellSettings,
  files: ShellFiles,
  log: ShellLog = createShellLog(),
): Promise<void> {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  await app.whenReady()
  Menu.setApplicationMenu(null) // also removes the shortcuts for tools, zoom and reload
  const config = readShellConfig(settings.dataDir)
  // An attached server has its own; our own server gets the path.
  const windowSocket = settings.windowSocket ?? (settings.attach === null ? newSocketPath(process.env) : null)
  if (settings.windowSocket === null && windowSocket !== null)
    app.on('will-quit', () => rmSync(dirname(windowSocket), { recursive: true, force: true }))
  const running: { server?: ServerProcess } = {}
  const windows: Windows = openWindows(app, {
    preload: files.preload,
    devTools: settings.devTools,
    config,
    windowSocket,
    log,
    onChord: () => prompt.open(),
    onHopeless: () => startAnew(app, running.server, log),
  })
  const prompt = createAdminPrompt({
    preload: files.adminPreload,
    gate: createAdminGate(() => {
      const { credential, reason } = readCredential(settings.adminFile)
      if (!credential) log.warn({ reason }, "staff's credential cannot be used")
      return credential
    }),
    log,
    parent: () => BrowserWindow.getAllWindows()[0] ?? null,
    carryOut: (command) => carryOut(command, { app, windows, server: running.server }),
  })
  letPrint(() => windows.all(), log)
  watchPower(log, () => windows.reload())
  app.on('second-instance', () => windows.focus())
  // Chromium restarts the graphics process and the network service by itself; the log counts it.
  app.on('child-process-gone', (_event, { type, reason }) => {
    if (reason !== 'clean-exit') log.warn({ process: type, reason }, 'a process of the window has ended')
  })
  app.on('window-all-closed', () => undefined) // only officers or the system end the shell
  if (settings.attach !== null) {
    app.on('before-quit', () => windows.close())
    windows.show(settings.attach)
    return
  }
  const server = startServer(app, settings, windowSocket, config, files, windows, log)
  if (!server) return
  running.server = server
  stopTogether(app, server, windows)
}

/** Returns the text to show afterwards; null: none. */
function carryOut(
  command: AdminCommand,
  { app, windows, server }: { app: App; windows: Windows; server: ServerProcess | undefined },
): string | null {
  const acts: Readonly<Record<AdminCommand, () => string | null>> = {
    exit: () => {
      app.quit()
      return null
    },
    restart: () => {
      server?.restart()
      return server ? null : 'The server runs by itself: sudo systemctl restart counterproof'
    },
    reload: () => {
      windows.reload()
      return null
    },
    info: () =>
      [
        `Counterproof ${app.getVersion()}, Electron ${process.versions.electron ?? '?'}`,
        `server: ${server ? `started ${server.starts()} times` : 'runs by itself'}`,
        `pages brought back: ${windows.recoveries()}`,
        `displays: ${screen.getAllDisplays().length}`,
        `up for ${Math.floor(process.uptime() / 60)} minutes`,
      ].join('\n'),
  }
  return acts[command]()
}

/** Null, after the message and the quit, if the server cannot be started. */
function startServer(
  app: App,
  { dataDir }: ShellSettings,
  windowSocket: string | null,
  { pinsCustody }: ShellConfig,
  { root }: ShellFiles,
  windows: Windows,
  log: ShellLog,
): ServerProcess | null {
  try {
    const node = findPinnedNode(root, process.env, process.arch)
    if (node === null) throw new StartRefusal('The pinned Node is missing: run npm ci, or set NODE_BINARY.')
    return startServerProcess({
      node,
      script: join(root, 'server', 'run.mjs'),
      args: [
        ...START,
        ...(windowSocket === null ? [] : ['--window-socket', windowSocket]),
        '--data',
        dataDir,
      ],
      masterKey: pinsCustody ? openCustody(dataDir) : null,
      spawn,
      onReady: (url) => windows.show(url),
      onTrouble: (message) => log.warn({}, message),
      onGivenUp: () => windows.rest(ADVICE),
      isAlive,
    })
  } catch (error) {
    if (!(error instanceof StartRefusal)) throw error
    dialog.showErrorBox('Counterproof cannot start', error.message)
    app.exit(1)
    return null
  }
}

async function isAlive(url: string): Promise<boolean> {
  try {
    // Any answer shows that requests are still served.
    await fetch(new URL('/kiosk/', url), { method: 'HEAD', signal: AbortSignal.timeout(PULSE_TIMEOUT_MS) })
    return true
  } catch {
    return false
  }
}

/** Unwraps once now, so that an unavailable key stops the start; and again for every restart. */
function openCustody(dataDir: string): () => string {
  const custody = createKeyCustody(safeStorage, process.platform, {
    wrappedKey: join(dataDir, 'keys', 'kek.wrapped'),
    database: join(dataDir, 'appliance.sqlite'),
  })
  custody.unwrap()
  return () => custody.unwrap()
}

/** If a page crashes repeatedly, a reload does not help: restarts the whole shell with its server. */
function startAnew(app: App, server: ServerProcess | undefined, log: ShellLog): void {
  log.warn({}, 'the pages crash repeatedly; the shell restarts')
  void (server?.stop() ?? Promise.resolve()).then(() => {
    app.relaunch()
    app.exit(0)
  })
}

/** Quitting waits until the server has finished its work. */
function stopTogether(app: App, server: ServerProcess, windows: Windows): void {
  let stopped = false
  app.on('before-quit', (event) => {
    if (stopped) return
    event.preventDefault()
    windows.close()
    void server.stop().then(() => {
      stopped = true
      app.quit()
    })
  })
}
