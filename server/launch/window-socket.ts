/**
 * A socket in the file system over which the appliance issues the secrets of the kiosk's window. Each
 * connection gets a fresh one. The folder of the socket decides who may connect: only its owner, or the group
 * of a folder with the set-group-id bit.
 */
import { chmodSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'

/** Limit of sun_path: a longer path cannot be bound. */
const MAX_PATH = 107
const SET_GROUP_ID = 0o2000
const WAIT_MS = 5000

export interface WindowSocket {
  close(): Promise<void>
}

/**
 * @param newSecret null: the kiosk needs none. Throws `configuration_invalid` for a path that is unsuitable
 * for a socket.
 */
export async function openWindowSocket(path: string, newSecret: () => string | null): Promise<WindowSocket> {
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  if (!folder?.isDirectory() || path.length > MAX_PATH)
    throw new AppError('configuration_invalid', {
      field: '--window-socket',
      reason: `needs a folder that is there, and at most ${MAX_PATH} characters`,
    })
  // A killed server leaves its socket behind.
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${newSecret() ?? ''}\n`)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, (folder.mode & SET_GROUP_ID) === 0 ? 0o600 : 0o660)
  return { close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** Null: the kiosk needs none. Rejects if the appliance does not answer. */
export function requestSecret(path: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no answer')))
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    socket.once('error', reject)
    socket.once('end', () => resolve(text.trim() === '' ? null : text.trim()))
  })
}

/**
 * Returns the address of the kiosk's first page. The browser sends a fragment to no server, and no log
 * contains it.
 */
export function withSecret(address: string, secret: string | null): string {
  return secret === null ? address : `${address}#window=${secret}`
}
