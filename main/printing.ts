/**
 * Prints the receipt without a dialog, so that an applicant cannot choose a printer, pages or a file. Owns:
 * who may print, and how often. Never: the content of the page; its print style defines that.
 */
import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import { PRINT_CHANNEL } from './bridge.ts'
import type { LockedWindow } from './locked-window.ts'
import type { ShellLog } from './shell-log.ts'

/** A printer takes longer than this for a receipt, so that a double press prints one. */
const BETWEEN_MS = 5000

export function letPrint(
  windows: () => readonly LockedWindow[],
  log: ShellLog,
  now: () => number = () => performance.now(),
): void {
  let last = -Infinity
  let outcome = Promise.resolve(false)
  ipcMain.handle(PRINT_CHANNEL, async (event) => {
    const window = windows().find((candidate) => isOwnPage(event, candidate))
    if (!window) return false
    if (now() - last < BETWEEN_MS) return outcome
    last = now()
    outcome = print(event, log)
    return outcome
  })
}

/** True: the printer accepted the job. It does not report whether it has paper. */
async function print(event: IpcMainInvokeEvent, log: ShellLog): Promise<boolean> {
  const outcome = await new Promise<{ printed: boolean; reason: string }>((resolve) => {
    event.sender.print(
      { silent: true, printBackground: false, margins: { marginType: 'default' } },
      (printed, reason) => resolve({ printed, reason }),
    )
  })
  if (outcome.printed) log.info({}, 'a receipt was printed')
  else log.warn({ reason: outcome.reason.slice(0, 60) }, 'a receipt was not printed')
  return outcome.printed
}

/** Accepts only our own page itself, from our origin, and no frame in it. */
function isOwnPage(event: IpcMainInvokeEvent, { window, isOurs }: LockedWindow): boolean {
  if (window.isDestroyed() || event.sender !== window.webContents) return false
  return event.senderFrame === window.webContents.mainFrame && isOurs(event.senderFrame?.url ?? '')
}
