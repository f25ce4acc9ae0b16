/**
 * A socket in the file system over which the appliance hands out the secrets of the kiosk's window. Each connection gets a
 * fresh one. The folder of the socket decides who may connect: its owner alone, or the group of a folder with the
 * set-group-id bit.
 */
import { chmodSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'

/** Of sun_path: a longer one cannot be bound. */
const MAX_PATH = 107
const SET_GROUP_ID = 0o2000
const WAIT_MS = 5000

export interface WindowSocket {
  close(): Promise<void>
}

/** @param newSecret null: the kiosk needs none. Throws `configuration_invalid` for a path that is no place for a socket. */
export async function openWindowSocket(path: string, newSecret: () => string | null): Promise<WindowSocket> {
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  if (!folder?.isDirectory() || path.length > MAX_PATH)
    throw new AppError('configuration_invalid', {
      field: '--window-socket',
      reason: `needs a folder that is there, and at most ${MAX_PATH} characters`,
    })
  // A server that was killed leaves its socket behind.
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

/** Null: the kiosk needs none. Rejects when the appliance does not answer there. */
export function askForSecret(path: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no answer')))
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    socket.once('error', reject)
    socket.once('end', () => resolve(text.trim() === '' ? null : text.trim()))
  })
}

/** The address of the kiosk's first page. A fragment stays in the browser: it is sent to no server and stands in no log. */
export function withSecret(address: string, secret: string | null): string {
  return secret === null ? address : `${address}#window=${secret}`
}
