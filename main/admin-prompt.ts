/**
 * The officers' access to the shell: a small window over the kiosk, opened by a key chord, that asks for the
 * passphrase and then runs one command. Owns: the window and who may talk to it. Never: the comparison
 * (credential.ts) or the commands.
 */
import { BrowserWindow, ipcMain, type IpcMainInvokeEvent } from 'electron'
import { ADMIN_CHANNEL, ADMIN_COMMANDS, type AdminAnswer, type AdminCommand } from './admin-words.ts'
import type { AdminGate } from './credential.ts'
import { ADMIN_PAGE } from './admin-page.ts'
import { lockContents, lockSession } from './lock-down.ts'
import type { ShellLog } from './shell-log.ts'

interface AdminPrompt {
  open(): void
  close(): void
}

interface AdminPromptOptions {
  readonly preload: string
  readonly gate: AdminGate
  readonly log: ShellLog
  readonly parent: () => BrowserWindow | null
  /** The text to show afterwards; null: none, the window closes. */
  readonly carryOut: (command: AdminCommand) => string | null
}

/** Time without input after which the kiosk returns to the applicants. */
const OPEN_MS = 60_000
const [WIDTH, HEIGHT] = [640, 520] as const

export function createAdminPrompt(options: AdminPromptOptions): AdminPrompt {
  const { gate, log, carryOut } = options
  let window: BrowserWindow | null = null
  let timer: NodeJS.Timeout | undefined

  const close = (): void => {
    clearTimeout(timer)
    if (window && !window.isDestroyed()) window.destroy()
    window = null
  }
  ipcMain.handle(ADMIN_CHANNEL, async (event, message: unknown): Promise<AdminAnswer> => {
    const asked = parseMessage(message)
    if (!window || !isFrom(event, window) || !asked) return { outcome: 'refused', text: null }
    if (asked.command === 'close') {
      close()
      return { outcome: 'accepted', text: null }
    }
    const outcome = await gate.check(asked.passphrase)
    log[outcome === 'accepted' ? 'info' : 'warn'](
      { command: asked.command, outcome },
      'staff asked at the machine',
    )
    if (outcome !== 'accepted') return { outcome, text: null }
    const text = carryOut(asked.command)
    if (text === null) close()
    return { outcome, text }
  })

  return {
    open() {
      if (window && !window.isDestroyed()) return
      log.info({}, "staff's prompt was opened")
      window = openWindow(options)
      window.on('closed', () => (window = null))
      timer = setTimeout(close, OPEN_MS)
    },
    close,
  }
}

function openWindow({ preload, parent }: AdminPromptOptions): BrowserWindow {
  const above = parent()
  const window = new BrowserWindow({
    width: WIDTH,
    height: HEIGHT,
    resizable: false,
    minimizable: false,
    maximizable: false,
    fullscreenable: false,
    alwaysOnTop: true,
    skipTaskbar: true,
    autoHideMenuBar: true,
    ...(above ? { parent: above, modal: true } : {}),
    webPreferences: {
      preload,
      partition: 'admin', // in memory, separate from the kiosk's
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: false,
    },
  })
  const nowhere = (): null => null
  lockSession(window.webContents.session, nowhere)
  lockContents(window.webContents, nowhere, false)
  void window.loadURL(ADMIN_PAGE).catch(() => window.destroy())
  return window
}

/** Accepts only the page that we loaded ourselves, and no frame in it. */
function isFrom(event: IpcMainInvokeEvent, window: BrowserWindow): boolean {
  return event.sender === window.webContents && event.senderFrame === window.webContents.mainFrame
}

function parseMessage(message: unknown): { command: AdminCommand | 'close'; passphrase: string } | null {
  if (typeof message !== 'object' || message === null) return null
  const { command, passphrase } = message as Record<string, unknown>
  if (command === 'close') return { command, passphrase: '' }
  const known = ADMIN_COMMANDS.find((name) => name === command)
  return known && typeof passphrase === 'string' ? { command: known, passphrase } : null
}
