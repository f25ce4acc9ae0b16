/** Runs in the sandboxed renderer before the page. Exposes two strings, nothing callable. */
import { contextBridge } from 'electron'
import { BRIDGE_NAME, type ShellBridge } from './bridge.ts'

/** The window's arguments carry the version, because a sandboxed preload cannot read package.json. */
const VERSION_ARGUMENT = '--counterproof-version='
const version = process.argv.find((argument) => argument.startsWith(VERSION_ARGUMENT))
const bridge: ShellBridge = { shell: 'electron', version: version?.slice(VERSION_ARGUMENT.length) ?? '' }
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge)
