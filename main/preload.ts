/**
 * Runs in the sandboxed renderer before the page. Exposes two strings and one function; blocks dropped files.
 */
import { contextBridge, ipcRenderer } from 'electron'
import { BRIDGE_NAME, PRINT_CHANNEL, type ShellBridge } from './bridge.ts'

/** The window's arguments carry the version, because a sandboxed preload cannot read package.json. */
const VERSION_ARGUMENT = '--counterproof-version='
const version = process.argv.find((argument) => argument.startsWith(VERSION_ARGUMENT))
const print = (): Promise<boolean> => ipcRenderer.invoke(PRINT_CHANNEL) as Promise<boolean>
const bridge: ShellBridge = {
  shell: 'electron',
  version: version?.slice(VERSION_ARGUMENT.length) ?? '',
  print,
}
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge)

// The dialog of `window.print()` offers files and other printers: print without it to the one printer.
contextBridge.executeInMainWorld({
  func: (printSilently: () => Promise<boolean>) => {
    window.print = () => void printSilently()
  },
  args: [print],
})

// Runs before the page: a dropped file neither opens nor reaches a field.
for (const name of ['dragenter', 'dragover', 'drop'] as const)
  window.addEventListener(
    name,
    (event) => {
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    { capture: true },
  )
